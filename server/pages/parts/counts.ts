// Lists counts, and draws a counter over several days as bars.

import { COUNTER_LABELS } from '../../../archive/drawing/counter-labels.ts'
import type { Snapshot } from '../../../archive/format/snapshot.ts'
import { COUNTER_NAMES, type CounterName } from '../../../protocol/index.ts'
import { COUNTER_INITIALS, formatCount } from '../static/counters.ts'
import { type Html, html } from './html.ts'

export type Count = string | null

/** How to read a column of a chord. Word joiners keep its numbers in one line each. */
export const DOUBLING = 'Each block doubles: 1, 2–\u20603, 4–\u20607, 8–\u206015\u00a0…'

/** A block in the colour of a counter, shown next to its name. */
export const counterKey = (tone: number): Html =>
  html`<svg class="key" viewBox="0 0 8 8" aria-hidden="true"><path class="tone-${tone}" d="M0 4h8" stroke-width="8"/></svg>`

/** Shows an unavailable count as a dash. */
export const countOrDash = (count: Count): string => (count === null ? '–' : formatCount(count))

/** Lists the counters, in the order of the columns; shows a sentence if all are 0. */
export function counterList(counters: Record<string, Count>, whenNone: string): Html {
  if (COUNTER_NAMES.every((name) => counters[name] === '0'))
    return html`<p class="counted">${whenNone}</p>`
  const item = (name: CounterName, tone: number) => {
    const [count, initials] = [counters[name] ?? null, COUNTER_INITIALS[name]]
    return html`<li>
        ${initials && html`${counterKey(tone)}<span class="code" aria-hidden="true">${initials}</span>`}${COUNTER_LABELS[name]} <b class="figures${count === '0' && ' none'}">${countOrDash(count)}</b>
      </li> `
  }
  return html`<ul class="counted">${COUNTER_NAMES.map(item)}</ul>`
}

const BAR_PITCH = 8
const BAR_WIDTH = 6
const BARS_HEIGHT = 40

/** The lowest top of the scale, so that a lone 1 does not look like many. */
const LOWEST_TOP = 4n

/** Draws one counter over several days as bars, scaled to the largest count. A 0 has no bar. @param days ascending */
export function countBars(days: readonly Snapshot[], name: CounterName, tone: number): Html {
  const counts = days.map(({ counters }) => counters[name])
  const most = larger(LOWEST_TOP, BigInt(mostOf(days, name) ?? 0))
  const paths = { lit: '', dim: '', absent: '' }
  for (const [i, count] of counts.entries()) {
    const foot = `M${i * BAR_PITCH + BAR_WIDTH / 2} ${BARS_HEIGHT}`
    if (count === null) paths.absent += `${foot}v-${BARS_HEIGHT}`
    else if (count !== '0') {
      const height = Number((BigInt(count) * 1000n) / most) / 1000
      const isWhole = days[i]?.coverage.status === 'complete'
      paths[isWhole ? 'lit' : 'dim'] += `${foot}v-${Math.max(2, Math.round(height * BARS_HEIGHT))}`
    }
  }
  const path = (name: string, data: string) => data && html`<path class="${name}" d="${data}"/>`
  const width = days.length * BAR_PITCH - (BAR_PITCH - BAR_WIDTH)
  return html`<svg class="bars" viewBox="0 0 ${width} ${BARS_HEIGHT}" preserveAspectRatio="none"
      stroke-width="${BAR_WIDTH}" aria-hidden="true">
    ${path(`tone-${tone}`, paths.lit)}${path(`tone-${tone} dim`, paths.dim)}${path('absent', paths.absent)}
  </svg>`
}

/** Returns the largest count of a counter on these days; null if it was never available. */
export function mostOf(days: readonly Snapshot[], name: CounterName): Count {
  const counts = days.flatMap(({ counters }) => counters[name] ?? [])
  if (counts.length === 0) return null
  return String(counts.map(BigInt).reduce(larger))
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
