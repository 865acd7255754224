// Renders the page that decodes recordings in the browser; the files never leave the visitor's machine.

import { ARCHIVE_URL, LISTEN_URL, PROTOCOL_URL } from '../../../archive/format/paths.ts'
import { layout, type Site } from '../frame/layout.ts'
import { html } from '../parts/html.ts'

/**
 * static/decode/page.ts finds the elements by these ids.
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
<p class="lead">Choose a WAV recording of a transmission to read the day that it carries.</p>
<p>
  The recording stays on your machine: this page uploads nothing and makes no request once it is
  loaded. The recording may be noisy, cut off, or made over a telephone. Only WAV files can be read;
  <a href="${LISTEN_URL}">Listen</a> opens the other formats of your browser, and receives with the
  microphone. The <a href="${PROTOCOL_URL}">protocol</a> describes how the signal is made, and each of
  the <a href="${ARCHIVE_URL}">days</a> has a recording.
</p>
<noscript>
  <p class="empty">
    The decoder needs JavaScript. Without it, <code>npm run decode -- FILE.wav</code> decodes the same
    recording.
  </p>
</noscript>
<div id="drop" class="drop">
<label for="file">Choose one or more WAV files, or drop them here</label>
<input type="file" id="file" accept=".wav,audio/wav,audio/x-wav,audio/vnd.wave" multiple disabled>
</div>
<p>
  <button type="button" id="example" disabled>Example: a day under noise</button>
  <span class="hint">A recording made in your browser.</span>
</p>
<p id="status" role="status"></p>
<progress id="progress" max="1" value="0" aria-label="Progress of decoding" hidden></progress>
<canvas id="live" class="recording" width="1092" height="96" aria-hidden="true" hidden></canvas>
<div id="results" class="results"></div>
${embedded ? html`<template id="embedded" data-name="${embedded.name}">${embedded.bytes.toString('base64')}</template>` : ''}`,
  })
