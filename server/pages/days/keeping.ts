// Renders the commands with which visitors check a day or a message's receipt, and keep a mirror that detects a changed past.

import { byKind } from '../../../archive/format/media.ts'
import {
  CHECKPOINT_FILE,
  CHECKPOINT_URL,
  daySumsName,
  daySumsUrl,
  dayUrl,
  KEY_URL,
  LOG_URL,
  manifestUrl,
  receiptUrl,
  SUMS_FILE,
  SUMS_URL,
  snapshotUrl,
} from '../../../archive/format/paths.ts'
import type { KeyedLog } from '../../../archive/reading/signed-log.ts'
import type { MessageRecord } from '../../board/api.ts'
import type { DayView, ListView, ServedManifest, ServedMedium } from '../../transmissions/views.ts'
import { messageUrl } from '../../wire/addresses.ts'
import { command } from '../parts/command.ts'
import { type Html, html } from '../parts/html.ts'
import { quantity } from '../static/counters.ts'
import { readerPackage } from './reader-package.ts'

/** What is said of a log that its keys have not signed, or that cannot be read. */
const DAMAGED = 'The signed list of days is damaged.'

/** Shows how to check a day, and its leaf in the log. */
export function dayChecks({ manifest, log, isLogDamaged, baseUrl }: DayView): Html {
  const { day } = manifest
  const leaf = log?.newest.get(day)
  const logFacts = leaf
    ? html`<dt>In the signed list of days</dt><dd><a href="${LOG_URL}">Entry ${leaf.index + 1} of ${log?.head.size}</a>, in the order of sealing</dd>
<dt>Checkpoint, the signature of the list</dt><dd><pre>${log?.note}</pre></dd>`
    : html`<dt>In the signed list of days</dt><dd>${isLogDamaged ? DAMAGED : 'Not yet.'}</dd>`
  return html`<p>
    Download the day, and compare each file with its hash in
    <a href="${daySumsUrl(day)}">${daySumsName(day)}</a>:
  </p>
${command(`curl -s --remote-name-all ${urlsOf(manifest, baseUrl).join(' \\\n  ')}\nsha256sum -c ${daySumsName(day)}`)}
<dl>
${logFacts}
</dl>`
}

/** The URLs of a day's available files, its check file first. */
function urlsOf({ day, media }: ServedManifest, baseUrl: string): string[] {
  const files = byKind<ServedMedium>(media).flatMap(([, medium]) =>
    medium.available ? medium.url : [],
  )
  const paths = [daySumsUrl(day), snapshotUrl(day), manifestUrl(day), ...files]
  return paths.map((path) => baseUrl + path)
}

/** Shows how to find out what became of the promise that is a message's receipt. */
export function receiptCommands({ id, publish_at }: MessageRecord, baseUrl: string): Html {
  const file = (name: string) => `~/receipts/${id}.${name}`
  return html`<h3>That it is in the archive</h3>
<p>
  Its <a href="${receiptUrl(id)}">receipt</a> is a signed promise to keep the message
  unchanged, with <a href="${dayUrl(publish_at.slice(0, 10))}">its day</a>. Save it, and compare it with
  the archive. With a checkout of this program in <code>~/daysignal</code>:
</p>
${command(`curl -s --create-dirs --output-dir ~/receipts --remote-name-all '${baseUrl}${messageUrl(id)}.{receipt,txt}'
cd ~/daysignal && npm run --silent verify -- --receipt ${file('receipt')} --text ${file('txt')} ${baseUrl}`)}`
}

/** Shows the log's key, the mirrors, and how to keep a copy of the archive. */
export function mirrorCommands(view: ListView): Html {
  const { log, isLogDamaged, mirrors, witnessed } = view
  const steps = log
    ? html`<dl>
<dt>Key</dt><dd class="hash">${log.keys[0]}</dd>
<dt>List</dt>
  <dd>
    <a href="${LOG_URL}">${quantity(log.head.size, 'entry', 'entries')}</a>,
    <a href="${CHECKPOINT_URL}">checkpoint</a>,
    <a href="${KEY_URL}">all keys</a>
  </dd>
${witnessed === null ? '' : html`<dt>Witnesses</dt><dd>${witnessed}</dd>`}
</dl>
<details>
<summary>With commands</summary>
${
  mirrors.length > 0 &&
  html`<p>
    Others keep copies: ${mirrors.map((url, i) => html`${i > 0 ? ', ' : ''}<a href="${url}">${url}</a>`)}.
    The lines below compare the list with theirs, so that nobody is shown another one.
  </p>`
}
${verifyCommand(view.baseUrl)}
${cronLines(log, view)}
</details>`
    : html`<p>${isLogDamaged ? DAMAGED : 'The signed list of days has not been started yet.'}</p>`
  return html`<section aria-labelledby="copy">
<h2 id="copy">Check: keep a copy</h2>
<p>
  Every day is added to a signed list that can only grow. Keep its key and now and then a checkpoint,
  the list’s signature: if an old day were changed, yours would no longer fit.
  <a href="${SUMS_URL}">${SUMS_FILE}</a> lists every file with its hash.
</p>
${steps}
</section>`
}

const verifyCommand = (baseUrl: string): Html =>
  readerPackage
    ? html`<p>
    Verify every day now. With Node and npm, nothing else needs to be installed:
  </p>
${command(`npx -y ${baseUrl}${readerPackage.path} verify ${baseUrl}`)}`
    : html`<p>
    Verify every day now, with a checkout of this program in <code>~/daysignal</code>:
  </p>
${command(`cd ~/daysignal && npm run --silent verify -- ${baseUrl}`)}`

/** The longest that a day may be missing before the mirror reports it [h]: a run at midnight has half a day to seal. */
const FRESH_HOURS = 36

/** Cron mails whatever a job prints, so these jobs print nothing while all is well. */
function cronLines({ keys }: KeyedLog, { baseUrl, mirrors }: ListView): Html {
  const key = keys[0] ?? ''
  const peers = mirrors.map((url) => ` --peer ${url}`).join('')
  const mirror = `npm run --silent mirror -- ${baseUrl} ~/copy --key`
  return html`<p>
    With a checkout of this program in <code>~/daysignal</code>, create a mirror once, and save its
    checkpoint outside the mirror:
  </p>
${command(`cd ~/daysignal && ${mirror} ${quoted(key)} && cp ~/copy/${CHECKPOINT_FILE} ~/${CHECKPOINT_FILE}`)}
<p>
  Then three crontab lines fetch new days every hour, and check everything every Sunday. They print
  problems, such as no new day for ${FRESH_HOURS} hours, and nothing else.
</p>
${command(`KEY=${key}
17 * * * * cd ~/daysignal && ${mirror} "$KEY" --fresh ${FRESH_HOURS}${peers} >/dev/null
47 5 * * 0 cd ~/daysignal && npm run --silent verify -- ~/copy --key "$KEY" --since ~/${CHECKPOINT_FILE} --update >~/report || cat ~/report`)}
<p>
  With <code>--records</code>, <code>mirror</code> also keeps what was written, as far as it is visible
  now: if this board were lost, a new one could be made from such a copy. What is hidden here vanishes
  from it with its next run. Only messages of archived days are in it.
</p>
<p>
  Both commands exit with 0 if all is well and with 1 if something is wrong or missing;
  <code>mirror</code> exits with 75 while another mirror is writing to the folder.
</p>`
}

/** Quotes a shell word: an origin, and thus a key, may contain any printable character. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
