// Renders directories as a table: messages in and below each, the newest one, and a sparkline of thirty days.
import { html } from 'hono/html'
import { dayNumber } from '../../board/activity.ts'
import { type Branch, SPARK_DAYS, type TreeRow } from '../../board/directory-tree.ts'
import { directoryUrl } from '../../wire/addresses.ts'
import type { Html } from '../parts/html.ts'
import { age } from '../parts/times.ts'

/** The state of the counts. */
interface Counts {
  /** Whether the messages have been counted yet. */
  isCounted: boolean
  /** Wall time [ms since 1970]. */
  now: number
}

export const directoryTable = (rows: readonly TreeRow[], counts: Counts): Html =>
  html`<table class="tree">
<thead><tr><th scope="col">Directory</th><th scope="col" class="number">Here</th><th scope="col" class="number">Below</th><th scope="col" class="number">Newest</th><th scope="col" class="month">${SPARK_DAYS} days</th></tr></thead>
<tbody>
${rows.map((row) => directoryRow(row, counts))}</tbody>
</table>
${counts.isCounted ? '' : html`<p class="hint">The messages are still being counted. Their numbers will be here in a moment.</p>`}`

function directoryRow({ branch, depth, folded }: TreeRow, { isCounted, now }: Counts): Html {
  const { path, here, below, lastAt, days } = branch
  const name = depth === 0 ? path : path.slice(path.lastIndexOf('/') + 1)
  const more =
    folded === 0
      ? ''
      : html` <span class="folded">+ ${folded === 1 ? '1 directory' : `${folded} directories`}</span>`
  const numbers = isCounted
    ? html`<td class="number">${countOrDash(here)}</td><td class="number">${countOrDash(below)}</td><td class="number">${lastAt === 0 ? '' : age(lastAt, now)}</td><td class="month">${spark(days, now)}</td>`
    : html`<td colspan="4"></td>`
  return html`<tr><th scope="row" class="depth-${depth}"><a class="path" href="${directoryUrl(path)}"${depth === 0 ? '' : html` aria-label="${path}"`}>${name}</a>${more}</th>${numbers}</tr>\n`
}

/** Shows 0 as a dash, so that the other numbers stand out. */
const countOrDash = (count: number): string => (count === 0 ? '–' : count.toLocaleString('en'))

const SPARK_HEIGHT = 20
const BIT_HEIGHT = 2
/** The distance from one column to the next. */
const COLUMN_PITCH = 2

/** Draws one column for each day, as high as its count has binary digits. @returns an empty text without any message */
export function spark(days: Branch['days'], now: number): Html | string {
  const counts = days.upTo(dayNumber(now))
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return ''
  const columns = counts.map((count, i) =>
    count === 0 ? '' : `M${COLUMN_PITCH * i + 1} ${SPARK_HEIGHT}v-${height(count)}`,
  )
  return html`<svg class="spark" viewBox="0 0 ${COLUMN_PITCH * SPARK_DAYS} ${SPARK_HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${total.toLocaleString('en')} messages in ${SPARK_DAYS} days, at most ${Math.max(...counts).toLocaleString('en')} in a day"><path d="${columns.join('')}"></path></svg>`
}

const height = (count: number): number =>
  Math.min(SPARK_HEIGHT, BIT_HEIGHT * count.toString(2).length)
