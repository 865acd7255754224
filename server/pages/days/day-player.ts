// Renders a day's media: a player on the strip of its tones, the film, and download links.

import { secondsAfter, slotsNeeded } from '../../../archive/drawing/enough.ts'
import { markAt, STRIP, tonesOf } from '../../../archive/drawing/tone-strip.ts'
import { byKind, MEDIA } from '../../../archive/format/media.ts'
import { DECODER_URL, LISTEN_URL } from '../../../archive/format/paths.ts'
import { fieldsOf, type Snapshot } from '../../../archive/format/snapshot.ts'
import { encodeFrame, ProtocolError, SLOTS, TRANSMISSION_SECONDS } from '../../../protocol/index.ts'
import type { ServedManifest, ServedMedium } from '../../transmissions/views.ts'
import { CHORD_ID, chordChart, toneStrip } from '../parts/charts.ts'
import { counterList, DOUBLING } from '../parts/counts.ts'
import { type Html, html } from '../parts/html.ts'
import { quantity } from '../static/counters.ts'

/** Explains why a medium is not available. */
export const UNAVAILABLE = {
  ffmpeg_not_found: 'ffmpeg was missing when the day was rendered',
  render_failed: 'rendering it failed',
  not_mirrored: 'this mirror does not copy it',
} as const

/** `2.8 MB`, or `1.3 kB` below 50 kB. */
export const megabytes = (bytes: number): string =>
  bytes < 50_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`

const NOTHING =
  'Nothing was counted. A day of zeros is sent all the same, so that silence is no failure.'

/** The chord of a day, its sound, and how to read both. @param reader in the browser */
export const chordAndSound = (manifest: ServedManifest, reader = DECODER_URL): Html => {
  const { counters, coverage } = manifest.snapshot
  return html`${chordChart(counters, coverage.status === 'complete', CHORD_ID)}
${player(manifest)}
${counterList(counters, NOTHING)}
<p class="hint">${DOUBLING}</p>
<p class="hint">
  The tones carry no words, since words may be hidden later. <a href="${LISTEN_URL}">A second device</a>
  can read the counts back${manifest.media.wav.available && html`; so can <a href="${reader}">this browser</a>`}.
</p>`
}

/** Has the browser's own controls; static/day/tone-player.ts replaces them and makes the strip a seek bar. */
function player(manifest: ServedManifest): Html {
  const readable = readableAfter(manifest.snapshot)
  const x = markAt(0, readable).x
  const { messages } = manifest.snapshot.counters
  return html`<div class="player" data-readable="${readable}" data-chord="${CHORD_ID}">
<div class="controls">${sound(manifest)}</div>
<div class="tones">
  ${toneStrip(tonesOf(manifest.snapshot))}<svg class="readable" viewBox="0 0 ${STRIP.width} 1"
    preserveAspectRatio="none" aria-hidden="true"><path d="M${x} 0v1"/></svg>
</div>
<p class="seconds" aria-hidden="true">${SECONDS}</p>
<p class="waiting"><span>Each dot is a tone.</span> <span class="listening">Listening …</span> After ${secondsAfter(readable).toFixed(0)} s, a receiver has heard enough to read these counts.</p>
<p class="read" hidden><span>Read: ${messages === null ? 'all counts' : quantity(messages, 'message')}</span>${messages !== null && ' and all counts'}. The rest is spare, in case of noise.</p>
</div>`
}

/** Leads to the sound of a day, which a script plays at once. */
export const hearLink = ({ media: { wav } }: ServedManifest): Html =>
  html`<a class="act${wav.available && ' hear'}" href="#sound">Hear the day</a> `

/** The number of tones from which the day can be read. */
function readableAfter(snapshot: Snapshot): number {
  try {
    return slotsNeeded(encodeFrame(fieldsOf(snapshot)))
  } catch (error) {
    // The conclusion does not follow from the other fields, so the day has no tones (tonesOf).
    if (error instanceof ProtocolError) return SLOTS
    throw error
  }
}

/** The style sheet has their places. */
const SECONDS = ['0 s', '5', '10', '15', '20', '25', `${Math.round(TRANSMISSION_SECONDS)} s`].map(
  (mark) => html`<span>${mark}</span>`,
)

function sound({ day, media: { wav } }: ServedManifest): Html {
  if (!wav.available) return html`<p class="empty">No sound: ${UNAVAILABLE[wav.reason]}.</p>`
  return html`<audio controls preload="none" src="${wav.url}" aria-label="The transmission of ${day}"></audio>`
}

export const downloads = ({ day, media }: ServedManifest): Html[] =>
  byKind<ServedMedium>(media).flatMap(([kind, medium]) =>
    medium.available
      ? html`<a href="${medium.url}" download="daysignal-${day}.${kind}">${MEDIA[kind].name}, ${kind.toUpperCase()} ${megabytes(medium.bytes)}</a> `
      : [],
  )
