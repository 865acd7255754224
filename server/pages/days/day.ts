// Renders the page of a day: its conclusion, media, counters, coverage, files, and how to verify them; and of the current
// day: its numbers so far, what was written, and when it becomes a transmission.

import { COUNTER_LABELS } from '../../../archive/drawing/counter-labels.ts'
import { dayOf, nextDay } from '../../../archive/format/calendar.ts'
import { byKind, MEDIA } from '../../../archive/format/media.ts'
import {
  ARCHIVE_URL,
  dayRecordsUrl,
  dayUrl,
  manifestUrl,
  recordsUrl,
  snapshotUrl,
} from '../../../archive/format/paths.ts'
import { COUNTER_NAMES } from '../../../protocol/index.ts'
import type { Headline } from '../../sections/headlines.ts'
import type { DayView, ServedManifest, ServedMedium, TodayView } from '../../transmissions/views.ts'
import { FOLLOW_URL, WRITE_URL } from '../api.ts'
import { chordChart } from '../parts/charts.ts'
import { command } from '../parts/command.ts'
import { type Count, countBars, counterKey, counterList, DOUBLING } from '../parts/counts.ts'
import { longDate, shortDate, weekdayName } from '../parts/dates.ts'
import { type Html, html } from '../parts/html.ts'
import { neighbourLinks, periodCrumbs } from '../parts/paths.ts'
import { COUNTER_INITIALS, formatCount } from '../static/counters.ts'
import { exampleDay, nextSentence } from './absent-day.ts'
import { conclusionSentence, ribbon, status } from './coverage.ts'
import { chordAndSound, downloads, hearLink, megabytes, UNAVAILABLE } from './day-player.ts'
import { foundLine, HEADLINE_RULE, headlineTitle, quotedLink } from './headline.ts'
import { dayChecks } from './keeping.ts'
import { firstRecordsSection, sectionOf } from './records.ts'

/** A few words come first, then the sound, the other words, and the numbers. */
export function dayMain(view: DayView): Html {
  const { day, snapshot } = view.manifest
  const { conclusion, coverage, clock, counters } = snapshot
  const headline = view.headlines.get(day)
  const title = headlineTitle(headline, snapshot)
  const isWhole = coverage.reasons.length === 0
  const today = dayOf(view.now)
  const newer = view.newer ?? (nextDay(day) === today && !view.isMirror ? today : null)
  const nameOf = (other: string) => (other === today ? 'Today so far' : shortDate(other))
  return html`<div class="crumbs-and-days">${periodCrumbs(day)}${neighbourLinks('days', { ...view, newer }, dayUrl, nameOf)}</div>
<div class="columns whole-day">
<div>
${dayHead(day, headline, view.manifest)}
${firstRecordsSection(day, view.firstRecords, counters.messages, headline)}
</div>
<section class="night" aria-labelledby="sound">
<h2 id="sound">How it sounds</h2>
${chordAndSound(view.manifest)}
<p class="links">${downloads(view.manifest)}${view.hasRecords && html`<a href="${recordsUrl(day)}">Records, NDJSON</a> `}<a href="${FOLLOW_URL}">Every day as a podcast</a></p>
</section>
<section aria-labelledby="counted">
<h2 id="counted">What was counted</h2>
<p class="verdict">${status(conclusion)}: ${conclusionSentence(snapshot)}</p>
${counterTable(view)}
</section>
<div>
<section aria-labelledby="observed">
<h2 id="observed">When it was observed</h2>
<p class="meta"><span>Coverage ${status(coverage.status)}</span><span>Clock ${status(clock.status)}</span>${isWhole && html`<span>all 24 hours</span>`}</p>
${isWhole ? '' : ribbon(snapshot)}
</section>
<section aria-labelledby="cite">
<h2 id="cite">Cite this day</h2>
${command(`Daysignal, ${headline?.kind === 'message' ? title : `“${title}”`}, ${longDate(day)}, ${view.baseUrl}${dayUrl(day)}, SHA-256 of the manifest ${view.manifestSha256}`)}
</section>
</div>
</div>
<section aria-labelledby="check">
<h2 id="check">Check</h2>
<p>
  The snapshot of each day names the hash of the one before, so that none can be changed unnoticed. A
  message can be checked on its own page, in your browser.
</p>
${chain(view)}
<details>
<summary>Files and their hashes</summary>
${files(view)}
</details>
<details>
<summary>With commands</summary>
${verification(view)}
${dayChecks(view)}
</details>
${HEADLINE_RULE}
</section>
<p class="links">${view.older && html`<a href="${dayUrl(view.older)}">← ${shortDate(view.older)}</a> `}${newer && html`<a href="${dayUrl(newer)}">${nameOf(newer)} →</a>`}</p>`
}

export function todayMain(view: TodayView): Html {
  const { today, older, firstRecords, headlines } = view
  const { day, counters } = today
  const headline = headlines.get(day)
  return html`<div class="crumbs-and-days">${older?.startsWith(day.slice(0, 7)) ? periodCrumbs(day) : html`<p class="crumbs"><a href="${ARCHIVE_URL}">Days</a></p>`}${neighbourLinks('days', { older }, dayUrl, shortDate)}</div>
${dayHead(day, headline, undefined, view.isClosed)}
<div class="columns">
${firstRecordsSection(day, firstRecords, counters.messages, headline)}
<section aria-labelledby="counted">
<h2 id="counted">What was counted so far</h2>
<p class="hint">This day is not over. It is counted after midnight UTC and then becomes sound. ${nextSentence(view)}</p>
${chordChart(counters)}
${counterList(counters, 'Nothing yet.')}
<p class="hint">${DOUBLING}</p>
</section>
</div>
${older ? '' : exampleDay()}`
}

/** The date of a day, and what it was about. @param manifest of an archived day @param isClosed for writing */
const dayHead = (
  day: string,
  headline: Headline | undefined,
  manifest?: ServedManifest,
  isClosed = true,
): Html =>
  html`<div class="day-head">
<p class="weekday"><time datetime="${day}">${weekdayName(day)}, ${longDate(day)}</time>${manifest ? '' : ', so far'}${manifest && manifest.snapshot.coverage.status !== 'complete' && html` <a class="status partial" href="#observed">not observed in full</a>`}</p>
<h1 dir="auto">${headlineTitle(headline, manifest?.snapshot)}</h1>
${foundLine(headline)}<p class="actions">
  ${isClosed ? '' : html`<a class="act" href="${WRITE_URL}">Write a message</a>`}
  ${manifest && hearLink(manifest)}
  ${quotedLink(headline)}
</p>
<p class="links">
  ${manifest && html`<a href="#sound">Its sound</a> `}<a href="#counted">Its numbers</a>
  ${manifest && html`<a href="#cite">Cite it</a> <a href="#check">Check it</a>`}
</p>
</div>`

/** Compares the counters with the day before, and draws bars of up to thirty days that end with this one. */
function counterTable({ manifest, days, isMirror }: DayView): Html {
  const { counters, day } = manifest.snapshot
  const before = days.filter((snapshot) => snapshot.day < day).at(-1)
  const rows = COUNTER_NAMES.map((name, tone) => {
    const [count, earlier] = [counters[name], before?.counters[name] ?? null]
    // The records of a mirror's days are at its source.
    const hasRecords = !isMirror && count !== '0'
    const compared = before ? html`<td class="count change">${difference(count, earlier)}</td>` : ''
    const label = hasRecords
      ? html`<a href="${dayRecordsUrl(day)}#${sectionOf(name)}">${COUNTER_LABELS[name]}</a>`
      : COUNTER_LABELS[name]
    return html`<tr>
      <th scope="row">${counterKey(tone)}<span class="code" aria-hidden="true">${COUNTER_INITIALS[name]}</span>${label}</th>
      <td class="count">${formatCount(count)}</td>
      ${compared}
      <td class="spark">${countBars(days, name, tone)}</td>
    </tr>\n`
  })
  const compared = before ? html`<th scope="col" class="number change">change</th>` : ''
  return html`<table class="counters">
    <thead>
      <tr>
        <th scope="col">Counter</th>
        <th scope="col" class="number">${shortDate(day)}</th>
        ${compared}
        <th scope="col" class="spark">${days.length === 1 ? '1 day' : `${days.length} days`}</th>
      </tr>
    </thead>
    <tbody>
${rows}</tbody></table>
<p class="hint">${before && html`<span class="change">Change since <a href="${dayUrl(before.day)}">${shortDate(before.day)}</a>${before.coverage.status !== 'complete' && ', which was not observed in full'}. </span>`}${days.some((one) => one.coverage.status !== 'complete') && 'Pale: not observed in full.'}</p>`
}

/** `+3`, `−12` or `=`; empty if either count is unavailable. */
function difference(count: Count, earlier: Count): string {
  if (count === null || earlier === null) return ''
  const change = BigInt(count) - BigInt(earlier)
  if (change === 0n) return '='
  return change > 0n ? `+${formatCount(change)}` : `−${formatCount(-change)}`
}

const verification = ({ manifest, newer, baseUrl }: DayView): Html =>
  html`${command(`curl -s ${baseUrl}${snapshotUrl(manifest.day)} | sha256sum`)}
<p>
  It must print <code class="hash">${manifest.snapshot_file.sha256}</code>.
  ${newer ? `${shortDate(newer)} contains this hash, so` : 'The next day will contain this hash, so that'}
  this day cannot change without breaking every later one.
</p>`

/** Shows the day between its neighbours in the chain, in which each snapshot names the hash of the one before. */
function chain({ manifest, older, newer, newerSha256 }: DayView): Html {
  const { previous } = manifest.snapshot
  const item = (name: string | Html, sha256: string, isThis = false) =>
    html`<li${isThis && html` class="this"`}>${name} <span class="hint">snapshot</span> <span class="hash">${shortHash(sha256)}</span></li>`
  const link = (day: string, sha256: string) =>
    item(html`<a href="${dayUrl(day)}">${shortDate(day)}</a>`, sha256)
  // The first day of a mirror may name a predecessor that the mirror does not have.
  const predecessor = (day: string, sha256: string) =>
    older !== null && day <= older ? link(day, sha256) : item(shortDate(day), sha256)
  return html`<ol class="chain">
${previous ? predecessor(previous.day, previous.sha256) : html`<li><span class="hint">The first day of this archive</span></li>`}
${item(html`<b>${shortDate(manifest.day)}</b>`, manifest.snapshot_file.sha256, true)}
${newer && newerSha256 ? link(newer, newerSha256) : html`<li><span class="hint">The next day is not archived yet</span></li>`}
</ol>`
}

const shortHash = (sha256: string): string => `${sha256.slice(0, 8)}…${sha256.slice(-8)}`

function files({ manifest, manifestSha256 }: DayView): Html {
  const { day, media } = manifest
  const { bytes, sha256 } = manifest.snapshot_file
  const row = (name: Html, size: string, hash: string) =>
    html`<tr><th scope="row">${name}</th><td class="number">${size}</td><td class="hash">${hash}</td></tr>\n`
  const rows = byKind<ServedMedium>(media).map(([kind, medium]) => {
    if (!medium.available)
      return html`<tr><th scope="row">${MEDIA[kind].name}</th><td colspan="2">not available: ${UNAVAILABLE[medium.reason]}</td></tr>\n`
    const name = html`<a href="${medium.url}">${MEDIA[kind].name}</a>`
    return row(name, megabytes(medium.bytes), medium.sha256)
  })
  const { generated_at } = manifest.snapshot
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Files and their hashes">
    <table>
      <thead><tr><th scope="col">File</th><th scope="col" class="number">Size</th><th scope="col">SHA-256</th></tr></thead>
      <tbody>
${row(html`<a href="${manifestUrl(day)}">Manifest</a>`, '', manifestSha256)}${row(html`<a href="${snapshotUrl(day)}">Snapshot</a>`, megabytes(bytes), sha256)}${rows}</tbody></table></div>
<p class="hint">
  Counted on <time datetime="${generated_at}">${longDate(generated_at.slice(0, 10))}, ${generated_at.slice(11, 19)}</time>.
  The manifest, which the day is cited with, names the other files.
</p>`
}
