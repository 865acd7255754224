// Renders the pages that receive transmissions in the browser: from WAV recordings, and with the microphone or from
// recordings in any format. Sound never leaves the visitor's machine.
import {
  ARCHIVE_URL,
  DECODER_URL,
  LATEST_DAY_URL,
  LISTEN_URL,
  PROTOCOL_URL,
} from '../../../archive/format/paths.ts'
import { layout, type Site } from '../frame/layout.ts'
import { type Html, html } from '../parts/html.ts'
import {
  KEPT_MEGABYTES,
  KEPT_MINUTES,
  LARGEST_MEBIBYTES,
  PAGE_MEGABYTES,
} from '../static/listen/bounds.ts'

/** static/decode/page.ts finds the elements by these ids. */
const dropZone = (what: string, accepted: string): Html =>
  html`<div id="drop" class="drop">
<label for="file">Choose one or more ${what}, or drop them here</label>
<input type="file" id="file" accept="${accepted}" multiple disabled>
</div>`

const RESULTS = html`<p id="status" role="status"></p>
<progress id="progress" max="1" value="0" aria-label="Progress of decoding" hidden></progress>
<canvas id="live" class="recording" width="1092" height="96" aria-hidden="true" hidden></canvas>
<div id="results" class="results"></div>`

/**
 * The page for WAV recordings.
 * @param embedded a recording that is decoded at once; the page's policy forbids fetching one
 */
export const decoderPage = (site: Site, embedded?: { name: string; bytes: Buffer }): string =>
  layout(site, {
    title: 'Decode a recording',
    section: 'listen',
    sheet: 'signal',
    description: 'Reads the day from a WAV recording, in your browser. Nothing is uploaded.',
    script: 'decode-page',
    main: html`<h1>Decode a recording</h1>
<p class="lead">
  Choose a WAV recording, such as that of <a href="${LATEST_DAY_URL}">the newest day</a>. Nothing is uploaded.
</p>
<noscript>
  <p class="empty">
    The decoder needs JavaScript. Without it, <code>npm run decode -- FILE.wav</code> decodes the same
    recording.
  </p>
</noscript>
${dropZone('WAV files', '.wav,audio/wav,audio/x-wav,audio/vnd.wave')}
<p>
  <button type="button" id="example" disabled>Example: a day under noise</button>
  <span class="hint">A made-up day, recorded in your browser.</span>
</p>
${RESULTS}
<p class="hint">
  A recording may be noisy, cut off, or made over a telephone. <a href="${LISTEN_URL}">The receiver</a> opens
  other formats, too. Each <a href="${ARCHIVE_URL}">day</a> has a recording; the <a href="${PROTOCOL_URL}">protocol</a> describes it.
</p>
${embedded ? html`<template id="embedded" data-name="${embedded.name}">${embedded.bytes.toString('base64')}</template>` : ''}`,
  })

/** The page that also listens to the microphone. static/listen/page.ts finds its other elements by these ids. */
export const listenPage = (site: Site): string =>
  layout(site, {
    title: 'Receive a day',
    section: 'listen',
    sheet: 'signal',
    description: 'Receives a day with the microphone, in your browser. Nothing is sent.',
    script: 'listen-page',
    main: html`<h1>Receive a day</h1>
<p class="lead">
  Play a day on another device, such as <a href="${LATEST_DAY_URL}">the newest</a>, and this one reads
  it. The sound stays here.
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
${dropZone('recordings', 'audio/*,video/*,.wav')}
<p class="hint">
  Any format that your browser opens: WAV of any length, others, such as M4A, MP3, Ogg, WebM or the film
  of a day, up to ${LARGEST_MEBIBYTES} MiB. This page cannot send anything, and takes at most
  ${PAGE_MEGABYTES} MB of memory. The <a href="${DECODER_URL}">decoder</a> has an example.
</p>
${RESULTS}`,
  })
