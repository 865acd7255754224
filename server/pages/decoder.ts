// The page that reads a recording in the browser: the file never leaves the reader's machine.
import { html } from 'hono/html'
import { ARCHIVE_URL, PROTOCOL_URL } from '../../archive/format/paths.ts'
import { layout } from './layout.ts'

/** A recording that the page brings with it and decodes at once, since it may fetch nothing later. */
export interface Brought {
  name: string
  bytes: Buffer
}

/**
 * The page's script finds its elements by these ids.
 * @param script the address of the page's script
 * @param isClosed whether no message can be published now
 */
export const decoderPage = (script: string, isClosed: boolean, brought?: Brought): string =>
  layout({
    title: 'Decode a recording',
    section: 'transmissions',
    sheet: 'signal',
    description: 'Reads the day out of a WAV recording, in your browser. Nothing is uploaded.',
    script,
    isClosed,
    main: html`<h1>Decode a recording</h1>
<p class="lead">Choose a WAV recording of a transmission, and read the day out of it.</p>
<p>The recording stays on your machine: this page uploads nothing, and asks the network for nothing once it is loaded. It may be noisy, cut, or from a telephone. Only WAV files are read; convert others first, as in <code>ffmpeg -i call.m4a call.wav</code>. <a href="${PROTOCOL_URL}">How the signal is made</a> is written down, and each of the <a href="${ARCHIVE_URL}">days</a> has a recording.</p>
<noscript><p class="empty">The decoder needs JavaScript. Without it, <code>npm run decode -- FILE.wav</code> reads the same recording.</p></noscript>
<div id="drop" class="drop">
<label for="file">A WAV file, or several, chosen or dropped here</label>
<input type="file" id="file" accept=".wav,audio/wav,audio/x-wav,audio/vnd.wave" multiple disabled>
</div>
<p><button type="button" id="example" disabled>Try an example</button> <span class="hint">A recording in noise, made here.</span></p>
<p id="status" role="status"></p>
<progress id="progress" max="1" value="0" aria-label="Decoded so far" hidden></progress>
<canvas id="live" class="recording" width="1092" height="96" aria-hidden="true" hidden></canvas>
<div id="results"></div>
${brought ? html`<template id="brought" data-name="${brought.name}">${brought.bytes.toString('base64')}</template>` : ''}`,
  })
