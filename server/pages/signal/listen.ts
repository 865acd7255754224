// Renders the page that receives transmissions in the browser, with the microphone or from a recording in any format.
import { DECODER_URL, LATEST_DAY_URL, PROTOCOL_URL } from '../../../archive/format/paths.ts'
import { layout, type Site } from '../frame/layout.ts'
import { html } from '../parts/html.ts'
import {
  KEPT_MEGABYTES,
  KEPT_MINUTES,
  LARGEST_MEBIBYTES,
  PAGE_MEGABYTES,
} from '../static/listen/bounds.ts'

/** static/listen/page.ts finds the elements by these ids, and static/decode/page.ts those of the files. */
export const listenPage = (site: Site): string =>
  layout(site, {
    title: 'Listen',
    section: 'listen',
    sheet: 'signal',
    description: 'Receives a day with the microphone, in your browser. Nothing is sent.',
    script: 'listen-page',
    main: html`<h1>Listen</h1>
<p class="lead">
  Play a day on one device, such as <a href="${LATEST_DAY_URL}">the newest</a>, and read it on this one.
</p>
<p>
  The sound stays on your device: the browser refuses every connection of this page. However long it
  listens, the page takes at most ${PAGE_MEGABYTES} MB of memory.
</p>
<noscript>
  <p class="empty">
    Listening needs JavaScript. Without it, <code>arecord -f S16_LE -r 48000 | npm run decode -- -</code>
    does the same.
  </p>
</noscript>
<div class="listen">
<p><button type="button" id="listen" disabled>Listen</button></p>
<p id="state">Press Listen, then play a day near this device.</p>
<p id="fault" class="failure" role="alert"></p>
<progress id="received" max="1" value="0" aria-label="Part of the transmission that has been received" hidden></progress>
<figure id="sight" class="night" hidden>
<canvas id="waterfall" aria-hidden="true"></canvas>
<figcaption>The last seconds of sound, the newest on the right, from 500 Hz below to 2,700 Hz above. While a transmission is heard, a circle marks each of its tones.</figcaption>
</figure>
<ul id="notes" class="plain hint"></ul>
<p id="announcement" class="unseen" role="status"></p>
<p id="keeping" hidden>
  <button type="button" id="save">Save the recording</button>
  <span class="hint">A WAV file. The last ${KEPT_MINUTES} minutes are kept, at most ${KEPT_MEGABYTES} MB, until
  you listen again or leave.</span>
</p>
<div id="found" class="results"></div>
</div>
<h2>Or choose a recording</h2>
<p>
  In any format that your browser opens, such as M4A, MP3, Ogg, WebM, or the film of a day; WAV of any
  length, others up to ${LARGEST_MEBIBYTES} MiB, several minutes of sound. The
  <a href="${DECODER_URL}">decoder</a> reads WAV only and has an example, and the
  <a href="${PROTOCOL_URL}">protocol</a> describes the signal.
</p>
<div id="drop" class="drop">
<label for="file">Choose one or more recordings, or drop them here</label>
<input type="file" id="file" accept="audio/*,video/*,.wav" multiple disabled>
</div>
<p id="status" role="status"></p>
<progress id="progress" max="1" value="0" aria-label="Progress of decoding" hidden></progress>
<canvas id="live" class="recording" width="1092" height="96" aria-hidden="true" hidden></canvas>
<div id="results" class="results"></div>`,
  })
