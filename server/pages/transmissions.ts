// The pages of the archive: a list of days with their sound and pictures, and the page of one day.
import { html } from 'hono/html'
import {
  ARCHIVE_URL,
  DECODER_URL,
  dayUrl,
  INDEX_CSV_URL,
  INDEX_JSON_URL,
  MEDIA_KINDS,
  type MediaKind,
  manifestUrl,
  PROTOCOL_URL,
  snapshotName,
  snapshotUrl,
} from '../../archive/format/paths.ts'
import type { Snapshot } from '../../archive/format/snapshot.ts'
import type { HeldManifest } from '../transmissions/held.ts'
import type { DayView, ListView, TransmissionPages } from '../transmissions/routes.ts'
import { countersTable, status } from './day-fields.ts'
import { dayFeed } from './feeds.ts'
import { checkingADay, keepingACopy } from './keeping.ts'
import { type Html, layout } from './layout.ts'
import { countInWords } from './static/counter-labels.ts'

const section = 'transmissions'

export const transmissionPages: TransmissionPages = {
  feed: dayFeed,
  list: (view) =>
    layout({
      title: 'Transmissions',
      section,
      description: 'Every finished day of the board as sound, video, picture and numbers.',
      main: html`${listMain(view)}${view.from_newest ? keepingACopy(view) : ''}`,
    }),
  day: (view) =>
    layout({
      title: view.manifest.day,
      section,
      description: `The transmission of ${view.manifest.day}.`,
      main: dayMain(view),
    }),
}

/** The first page features the newest day; later pages are lists only. */
function listMain(page: ListView): Html {
  const [newest, ...others] = page.manifests
  const earlier = page.from_newest ? others : page.manifests
  return html`<h1>Transmissions</h1>
<p>Every finished UTC day of the board becomes twelve counters and their flags, and these become sound. <a href="${PROTOCOL_URL}">How the signal is made</a> · <a href="${DECODER_URL}">Decode a recording</a></p>
${newest && page.from_newest ? newestDay(newest) : ''}
${earlier.length > 0 ? html`<h2>${page.from_newest ? 'Earlier days' : 'Days'}</h2>\n<div class="days">${earlier.map(dayCard)}</div>` : ''}
${page.manifests.length === 0 ? html`<p class="empty">${page.from_newest ? 'No day has been archived yet.' : 'No earlier day is archived.'}</p>` : ''}
${pageLinks(page)}`
}

function pageLinks({ next_before, from_newest, limit }: ListView): Html {
  const before = next_before === null ? '' : `before=${next_before}&limit=${limit}`
  return html`<nav class="pages" aria-label="Pages">
${from_newest ? '' : html`<a href="${ARCHIVE_URL}">Newest day</a>`}
${before && html`<a href="${ARCHIVE_URL}?${before}" rel="next">Earlier days</a>`}
<a href="${INDEX_JSON_URL}">JSON</a>
<a href="${INDEX_CSV_URL}">CSV</a>
</nav>`
}

function newestDay(manifest: HeldManifest): Html {
  const { day, snapshot } = manifest
  return html`<section class="newest" aria-labelledby="newest">
<h2 id="newest"><a href="${dayUrl(day)}"><time datetime="${day}">${day}</time></a></h2>
${flags(snapshot)}
${player(manifest, 'metadata')}
${countersTable(snapshot.counters)}
</section>`
}

/** Loads only the small picture until a visitor asks for more. */
function dayCard(manifest: HeldManifest): Html {
  const { day, snapshot } = manifest
  const { messages } = snapshot.counters
  return html`<article class="day">
<h3><a href="${dayUrl(day)}"><time datetime="${day}">${day}</time></a></h3>
${flags(snapshot)}
<p>${messages === null ? 'Messages were not counted.' : `${countInWords(BigInt(messages))} ${messages === '1' ? 'message' : 'messages'}`}</p>
${picture(manifest, 'small')}
${audio(manifest, 'none')}
<p class="meta">${downloads(manifest)}</p>
</article>`
}

function dayMain(view: DayView): Html {
  const { manifest, older, newer } = view
  const { day, snapshot } = manifest
  return html`<h1><time datetime="${day}">${day}</time></h1>
${flags(snapshot)}
${player(manifest, 'metadata')}
<h2>What was counted</h2>
${countersTable(snapshot.counters)}
${reasons(snapshot)}
<h2>What it is made of</h2>
${files(manifest)}
${record(manifest)}
${checkingADay(view)}
<nav class="pages" aria-label="Days">
${older && html`<a href="${dayUrl(older)}" rel="prev">Earlier: ${older}</a>`}
${newer && html`<a href="${dayUrl(newer)}" rel="next">Later: ${newer}</a>`}
<a href="${ARCHIVE_URL}">All days</a>
</nav>`
}

const flags = ({ conclusion, coverage, clock }: Snapshot): Html =>
  html`<p class="meta"><span>Conclusion ${status(conclusion)}</span><span>Coverage ${status(coverage.status)}</span><span>Clock ${status(clock.status)}</span></p>`

type Preload = 'none' | 'metadata'

/** The video or else the picture, and the sound alone in either case. */
function player(manifest: HeldManifest, preload: Preload): Html {
  return html`${video(manifest, preload) ?? picture(manifest, 'large')}
${audio(manifest, preload)}
<p class="meta">${downloads(manifest)}</p>`
}

function video({ day, media: { mp4, png } }: HeldManifest, preload: Preload): Html | null {
  if (!mp4.available) return null
  const poster = png.available ? html` poster="${png.url}"` : ''
  return html`<figure><video controls playsinline preload="${preload}" width="${mp4.width}" height="${mp4.height}"${poster} src="${mp4.url}" aria-label="The transmission of ${day}, with its spectrogram"></video></figure>`
}

function picture({ day, media: { png } }: HeldManifest, size: 'small' | 'large'): Html | string {
  if (!png.available) return ''
  return html`<figure class="${size}"><a href="${png.url}"><img src="${png.url}" loading="lazy" width="${png.width}" height="${png.height}" alt="The numbers of ${day} and the spectrogram of its transmission"></a></figure>`
}

function audio({ day, media: { wav } }: HeldManifest, preload: Preload): Html | string {
  if (!wav.available) return html`<p class="empty">No sound: ${UNAVAILABLE[wav.reason]}.</p>`
  return html`<audio controls preload="${preload}" src="${wav.url}" aria-label="The transmission of ${day}"></audio>`
}

const UNAVAILABLE = {
  ffmpeg_not_found: 'there was no ffmpeg when the day was made',
  render_failed: 'it could not be made',
  not_mirrored: 'this mirror does not keep it',
} as const

const MEDIUM_NAMES: Record<MediaKind, string> = { wav: 'Sound', mp4: 'Video', png: 'Picture' }

function downloads({ day, media }: HeldManifest): Html {
  const links = MEDIA_KINDS.map((kind) => {
    const medium = media[kind]
    return medium.available
      ? html`<a href="${medium.url}" download="daysignal-${day}.${kind}">${kind.toUpperCase()}</a> `
      : ''
  })
  return html`${links}<a href="${snapshotUrl(day)}">JSON</a> <a href="${manifestUrl(day)}">Manifest</a>`
}

/** Why the day was not observed completely. */
function reasons({ coverage, to: midnight }: Snapshot): Html | string {
  if (coverage.reasons.length === 0) return ''
  const rows = coverage.reasons.map(
    ({ code, from, to }) =>
      html`<tr><td>${REASONS[code]}</td><td><time datetime="${from}">${clockTime(from)}</time></td><td><time datetime="${to}">${to === midnight ? '24:00:00' : clockTime(to)}</time></td></tr>`,
  )
  return html`<h2>What was missing</h2>
<div class="scroll"><table><thead><tr><th scope="col">Reason</th><th scope="col">From (UTC)</th><th scope="col">To (UTC)</th></tr></thead><tbody>${rows}</tbody></table></div>`
}

const REASONS: Record<Snapshot['coverage']['reasons'][number]['code'], string> = {
  service_not_running: 'The service was not running',
  read_only: 'The service was read-only',
  feature_disabled: 'A feature was switched off',
  counter_failed: 'A counter could not be read',
}

const clockTime = (instant: string) => instant.slice(11, 19)

function files({ media }: HeldManifest): Html {
  const rows = MEDIA_KINDS.map((kind) => {
    const medium = media[kind]
    return medium.available
      ? html`<tr><th scope="row"><a href="${medium.url}">${MEDIUM_NAMES[kind]}</a></th><td class="number">${megabytes(medium.bytes)}</td><td class="hash">${medium.sha256}</td></tr>`
      : html`<tr><th scope="row">${MEDIUM_NAMES[kind]}</th><td colspan="2">not available: ${UNAVAILABLE[medium.reason]}</td></tr>`
  })
  return html`<div class="scroll"><table><thead><tr><th scope="col">File</th><th scope="col" class="number">Size</th><th scope="col">SHA-256</th></tr></thead><tbody>${rows}</tbody></table></div>`
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(2)} MB`

function record({ day, snapshot, snapshot_file: file }: HeldManifest): Html {
  const { generated_at, previous, coverage } = snapshot
  return html`<dl>
<dt>Counted</dt><dd><time datetime="${generated_at}">${generated_at}</time></dd>
<dt>Observed</dt><dd>${coverage.observed_seconds} of 86400 seconds</dd>
<dt>Snapshot</dt><dd><a href="${file.url}">${snapshotName(day)}</a> <span class="hash">${file.sha256}</span></dd>
<dt>Chained to</dt><dd>${previous ? html`<a href="${dayUrl(previous.day)}">${previous.day}</a> <span class="hash">${previous.sha256}</span>` : 'no earlier day'}</dd>
</dl>`
}
