// Renders what pages say of days that are not archived: why one is absent, when the next is due, and an example of a day.

import { ARCHIVE_URL, dayUrl } from '../../../archive/format/paths.ts'
import type { Audible, Snapshot } from '../../../archive/format/snapshot.ts'
import { perCounter } from '../../../protocol/index.ts'
import { AFTER_MIDNIGHT, nextTransmission } from '../../transmissions/rules.ts'
import type { AbsentView, Upcoming } from '../../transmissions/views.ts'
import { chordChart } from '../parts/charts.ts'
import { dayWithWeekday, formatDuration } from '../parts/dates.ts'
import { type Html, html } from '../parts/html.ts'

export function absentDay({ day, reason, older, newer }: Omit<AbsentView, 'isClosed'>): Html {
  const near = [older, newer].filter((found) => found !== null)
  return html`<p class="crumbs"><a href="${ARCHIVE_URL}">Days</a></p>
<h1>${day === null ? 'No such day' : html`<time class="figures" datetime="${day}">${day}</time>`}</h1>
<p class="lead">${reason.slice(0, 1).toUpperCase()}${reason.slice(1)}.</p>
${
  near.length === 0
    ? ''
    : html`<p>The nearest archived ${near.length === 1 ? 'day' : 'days'}:</p>
<ul>${near.map((found) => html`<li><a href="${dayUrl(found)}">${dayWithWeekday(found)}</a></li>`)}</ul>`
}
<p>Each day becomes a transmission after it has ended, and none is ever removed.</p>
<p class="hint">Status 404, code <code>snapshot_not_found</code></p>`
}

/** What pages say of a board without any archived day. */
export const FIRST_DAY =
  'No day is archived yet. Each day is counted, sealed and turned into sound after midnight UTC.'

/** `Next transmission in 3 h 41 min.`; empty for a mirror. */
export function nextSentence({ now, nextRun, isMirror }: Upcoming): string {
  if (isMirror) return ''
  const due = nextTransmission(now, nextRun)
  if (due === null) return `Next transmission ${AFTER_MIDNIGHT}.`
  const minutes = Math.ceil((due.getTime() - now) / 60_000)
  return `Next transmission in ${formatDuration(minutes * 60)}.`
}

/** When the current day becomes sound: `at 00:05 UTC`, or `after midnight UTC`. */
export function soundTime({ now, nextRun }: Pick<Upcoming, 'now' | 'nextRun'>): string {
  const due = nextTransmission(now, nextRun)
  return due === null ? AFTER_MIDNIGHT : `at ${due.toISOString().slice(11, 16)} UTC`
}

/** A day that is easy to read from its chord. */
const COUNTS = { messages: '7', directories: '1', observations: '3' }

const counters = perCounter((name) => COUNTS[name as keyof typeof COUNTS] ?? '0')

/** What pages draw of a day. */
export type DrawnDay = Audible & Pick<Snapshot, 'from' | 'to'>

export const EXAMPLE: DrawnDay = {
  day: '2026-01-01',
  from: '2026-01-01T00:00:00.000Z',
  to: '2026-01-02T00:00:00.000Z',
  counters,
  coverage: { status: 'complete', observed_seconds: 86_400, reasons: [] },
  clock: { status: 'ok' },
  conclusion: 'active',
}

export function exampleDay(): Html {
  return html`<div class="columns">
    <p class="hint">
      For example, a day with 7 messages, 1 new directory and 3 observations: each column counts one
      thing, and each block doubles, so that 1 makes one block, 2 or 3 make two, 4 to 7 make three.
    </p>
<div>${chordChart(counters)}</div></div>`
}
