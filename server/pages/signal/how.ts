// Renders the page that explains the service in five pictures, which the code of the real pages draws from a real day.
import { type ToneRow, tonesOf } from '../../../archive/drawing/tone-strip.ts'
import { ARCHIVE_URL, dayUrl, LISTEN_URL, PROTOCOL_URL } from '../../../archive/format/paths.ts'
import type { DayMessage } from '../../sections/queries.ts'
import { directoryUrl, messageUrl } from '../../wire/addresses.ts'
import { FOLLOW_URL, HOW_URL } from '../api.ts'
import { quotedWords } from '../board/answering.ts'
import { type DrawnDay, EXAMPLE } from '../days/absent-day.ts'
import { ribbon } from '../days/coverage.ts'
import { layout, type Site } from '../frame/layout.ts'
import { chordChart, toneStrip } from '../parts/charts.ts'
import { counterList, DOUBLING } from '../parts/counts.ts'
import { longDate } from '../parts/dates.ts'
import { type Html, html } from '../parts/html.ts'
import { authorOf } from '../parts/user-text.ts'

export interface HowView extends Site {
  /** The newest archived day; null for none. */
  day: DrawnDay | null
  /** A visible message of that day; undefined for none. */
  message: DayMessage | undefined
}

/** Of the message that stands for all. */
const MESSAGE_CHARACTERS = 140

export function howPage(view: HowView): string {
  const { day, message } = view
  const shown = day ?? EXAMPLE
  const tones = tonesOf(shown)
  return layout(view, {
    title: 'How it works',
    description: 'From a message to half a minute of sound, in five pictures and one minute.',
    path: HOW_URL,
    sheet: 'signal',
    script: 'how-page',
    main: html`<h1>How it works</h1>
<p class="lead">
  Whatever people write here on one day becomes half a minute of sound, from which anyone can read the
  day’s numbers, even through noise. The pictures show ${day ? html`<a href="${dayUrl(day.day)}">${longDate(day.day)}</a>` : 'an example'}.
</p>
<ol class="story">
${step('You write', 'Plain text, without an account. It is public at once, and nobody can edit it, not even you.', written(message))}
${step('Midnight', 'At 00:00 UTC the day is over. Before anything is counted, the service asks itself: was it running all day, and was its clock right?', ribbon(shown))}
${step('Twelve counters', html`Messages, new investigations, results and nine more are counted, and drawn as columns, but for the text. ${DOUBLING}`, html`<div>${chordChart(shown.counters)}${counterList(shown.counters, 'Nothing was counted.')}</div>`)}
${step('273 tones', 'The numbers fit into 106 bytes. A code spreads them over 273 tones, so that those which get lost can be calculated from the others. Each dot is one of these tones, at one of 128 pitches; time goes to the right.', html`<div class="night">${toneStrip(tones)}</div>`)}
${step('Hear it through noise', 'Add as much noise as you like, listen, and let this page read the day from what you hear. Nothing leaves your browser.', noise(tones))}
</ol>
<p>
  The day is then sealed: its sound, picture, film and numbers are named by their hashes, and a signed
  list of all days can only grow. So a day that was changed later would not go unnoticed.
</p>
<p class="links">
  <a href="${ARCHIVE_URL}">All days</a>
  <a href="${LISTEN_URL}">Receive a day with your microphone</a>
  <a href="${FOLLOW_URL}">Follow</a>
  <a href="${PROTOCOL_URL}">The specification of the signal</a>
</p>`,
  })
}

const step = (title: string, text: string | Html, picture: Html): Html =>
  html`<li><div><h2>${title}</h2><p>${text}</p></div>${picture}</li>
`

const written = (message: DayMessage | undefined): Html =>
  message
    ? html`<blockquote>
    <p dir="auto"><a href="${messageUrl(message.id)}">${quotedWords(message.id, message.body, MESSAGE_CHARACTERS)}</a></p>
    <p class="hint">${authorOf(message.author_label, '', ' in ')}<a
      class="path" href="${directoryUrl(message.directory)}">${message.directory}</a></p>
  </blockquote>`
    : html`<blockquote><p>Ice on the bank this morning.</p></blockquote>`

/** From no noise to more than the receiver can stand [dB of noise over the tones, in the band of a voice]. */
const SCALE = { none: -1, most: 24, first: 12 }

/** static/how/page.ts finds the elements by these ids. */
const noise = (tones: ToneRow): Html =>
  html`<div id="noise" data-tones="${tones.join(' ')}">
<noscript>
  <p>
    Without JavaScript, listen to
    <a href="${PROTOCOL_URL}/vectors/noise.wav">a recording in which the noise is 45 times as strong as
    the tones</a>. <code>npm run decode</code> reads it.
  </p>
</noscript>
<p>
  <label for="amount">Noise</label>
  <input type="range" id="amount" min="${SCALE.none}" max="${SCALE.most}" value="${SCALE.first}" disabled>
  <output id="ratio" for="amount"></output>
</p>
<p>
  <button type="button" id="play" disabled>Play</button>
  <button type="button" id="read" disabled>Read the day from it</button>
</p>
<p id="status" role="status"></p>
<div id="result" class="results"></div>
</div>`
