// Renders a day's flags, its conclusion as a sentence, and its coverage as a ribbon of 24 hours with the reasons for gaps.

import type { Reason, Snapshot } from '../../../archive/format/snapshot.ts'
import { DAY_MS } from '../../../protocol/index.ts'
import { listed } from '../../wire/text.ts'
import { clockTime, formatDuration } from '../parts/dates.ts'
import { type Html, html } from '../parts/html.ts'
import { quantity } from '../static/counters.ts'

const DAY_SECONDS = DAY_MS / 1000
const MINUTES = 1440

/** The word of a flag; the style sheet adds its mark. */
export const status = (word: string): Html => html`<span class="status ${word}">${word}</span>`

/** Summarizes a day in a sentence; for an inconclusive day it states why. */
export function conclusionSentence(snapshot: Snapshot): string {
  const summary = summaryOf(snapshot)
  if (snapshot.conclusion !== 'inconclusive') return `${summary}, and the service was up all day.`
  const doubts = doubtsOf(snapshot)
  if (snapshot.counters.messages === null) return `${listed([summary, ...doubts])}.`
  const why = doubts.length === 0 ? 'the day is inconclusive' : listed(doubts)
  return `${summary}, but ${why}, so there may have been more.`
}

function summaryOf({ counters: { messages, directories } }: Snapshot): string {
  if (messages === null) return 'Messages could not be counted'
  if (messages !== '0') return `${quantity(messages, 'message was', 'messages were')} counted`
  if (directories === null || directories === '0') return 'Nothing was published'
  return `No message was published, though ${quantity(directories, 'directory was', 'directories were')} created`
}

/** The reasons for an inconclusive day, without the counter of messages, which the summary covers. */
function doubtsOf({ counters, coverage, clock }: Snapshot): string[] {
  const { messages, ...rest } = counters
  const missing = Object.values(rest).filter((count) => count === null).length
  const other = messages === null ? 'other ' : ''
  const downtime = formatDuration(DAY_SECONDS - coverage.observed_seconds)
  return [
    coverage.status === 'none' ? 'the service was down all day' : '',
    coverage.status === 'partial' ? `the service was down for ${downtime}` : '',
    missing > 0
      ? `${quantity(missing, `${other}counter is`, `${other}counters are`)} not available`
      : '',
    clock.status === 'stepped' ? 'the server’s clock was changed' : '',
    clock.status === 'unverified' ? 'the server’s clock was not verified' : '',
  ].filter((doubt) => doubt !== '')
}

/** Draws the day from left to right with its gaps, and lists their reasons. */
export function ribbon({ coverage, from, to }: Pick<Snapshot, 'coverage' | 'from' | 'to'>): Html {
  const observed = formatDuration(coverage.observed_seconds)
  const box = ({ from: begin, to: end }: Reason) => {
    const x = minuteOf(begin, from)
    const width = Math.max(minuteOf(end, from) - x, 4)
    return `M${x} 1h${width}v24h-${width}z`
  }
  const boxes = (codes: Reason['code'][], name: string) => {
    const found = coverage.reasons.filter(({ code }) => codes.includes(code))
    return found.length > 0 && html`<path class="${name}" d="${found.map(box).join('')}"/>`
  }
  const base = coverage.status === 'none' ? 'absent' : 'observed'
  const duration = coverage.observed_seconds === DAY_SECONDS ? 'all' : html`${observed} of`
  const hours = ['00:00', '06:00', '12:00', '18:00', '24:00']
  return html`<figure class="ribbon"><figcaption>Observed for ${duration} 24 h</figcaption>
<svg viewBox="0 0 ${MINUTES} 40" preserveAspectRatio="none" aria-hidden="true">
  <path class="${base}" d="M0 1h${MINUTES}v24H0z"/>
  ${boxes(['read_only', 'feature_disabled'], 'limited')}${boxes(['service_not_running'], 'gap')}
  <path class="ticks" d="${TICKS}"/>
</svg>
<p class="axis" aria-hidden="true">${hours.map((hour) => html`<span>${hour}</span>`)}</p></figure>
${
  coverage.reasons.length > 0 &&
  html`<ul class="plain reasons">${coverage.reasons.map((reason) => reasonItem(reason, to))}</ul>`
}`
}

const TICKS = Array.from({ length: 25 }, (_, hour) => {
  const x = Math.min(hour * 60, MINUTES - 1)
  return `M${x} 28v${hour % 6 === 0 ? 12 : 6}`
}).join('')

const minuteOf = (instant: string, start: string): number =>
  Math.round((Date.parse(instant) - Date.parse(start)) / 60_000)

function reasonItem({ code, from, to }: Reason, midnight: string): Html {
  const length = formatDuration((Date.parse(to) - Date.parse(from)) / 1000)
  return html`<li>
    <span class="status partial">${REASONS[code]}</span>,
    <time datetime="${from}">${clockTime(from)}</time> to
    <time datetime="${to}">${clockTime(to, midnight)}</time>
    <span class="hint">${length}</span>
  </li>`
}

const REASONS: Record<Reason['code'], string> = {
  service_not_running: 'The service was not running',
  read_only: 'The service was read-only',
  feature_disabled: 'A feature was switched off',
  counter_failed: 'A counter could not be read',
}
