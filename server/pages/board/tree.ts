// Renders directories as a table: messages in and below each, the first words of the newest, a sparkline of thirty days.

import { dayNumber } from '../../board/activity.ts'
import { type Branch, SPARK_DAYS, type TreeRow } from '../../board/directory-tree.ts'
import type { Excerpt } from '../../board/references.ts'
import type { DirectoryCounts } from '../../board/views.ts'
import { directoryUrl, messageUrl } from '../../wire/addresses.ts'
import { grouped } from '../parts/counts.ts'
import { type Html, html } from '../parts/html.ts'
import { age } from '../parts/times.ts'
import { firstWords } from '../parts/user-text.ts'

export const directoryTable = (rows: readonly TreeRow[], counts: DirectoryCounts): Html => {
  // A message is quoted once, at the deepest directory that contains it.
  const quoted = new Map(rows.map((row) => [row.branch.newest, row]))
  return html`<table class="tree">
<thead>
  <tr>
    <th scope="col">Directory</th>
    <th scope="col" class="number">Messages</th>
    <th scope="col" class="number">In sub\u00addirectories</th>
    <th scope="col" class="number">Newest</th>
    <th scope="col" class="month">${SPARK_DAYS} days</th>
  </tr>
</thead>
<tbody>
${rows.map((row) => directoryRow(row, counts, quoted.get(row.branch.newest) === row))}</tbody>
</table>
${counts.isCounted ? '' : html`<p class="hint">The messages are still being counted. Their numbers will be here in a moment.</p>`}`
}

/** @param isQuoted whether to quote the newest message */
function directoryRow(
  { branch, depth, folded }: TreeRow,
  { isCounted, excerpts, now }: DirectoryCounts,
  isQuoted: boolean,
): Html {
  const { path, here, below, lastAt, newest, days } = branch
  const name = depth === 0 ? path : path.slice(path.lastIndexOf('/') + 1)
  const more =
    folded === 0
      ? ''
      : html` <span class="folded">+ ${folded === 1 ? '1 directory' : `${folded} directories`}</span>`
  const numbers = isCounted
    ? html`<td class="number">${countOrDash(here)}</td>
        <td class="number">${countOrDash(below)}</td>
        <td class="number">${lastAt === 0 ? '' : age(lastAt, now)}</td>
        <td class="month">${spark(days, now)}</td>`
    : html`<td colspan="4"></td>`
  const fullPath = depth === 0 ? '' : html` aria-label="${path}"`
  const newestQuoted = isQuoted ? quote(excerpts.get(newest)) : ''
  return html`<tr>
    <th scope="row" class="depth-${depth}">
      <a class="path" href="${directoryUrl(path)}"${fullPath}>${name}</a>${more}${newestQuoted}
    </th>
    ${numbers}
  </tr>\n`
}

const QUOTE_CHARACTERS = 60

/** The first words of the newest message; empty if it has been hidden since it was counted. */
const quote = (newest: Excerpt | undefined): Html | '' =>
  newest
    ? html`<a class="newest" href="${messageUrl(newest.message_id)}" dir="auto">
        ${firstWords(newest.beginning, QUOTE_CHARACTERS) || `Message ${newest.message_id}`}
      </a>`
    : ''

/** Shows 0 as a dash, so that the other numbers stand out. */
const countOrDash = (count: number): string => (count === 0 ? '–' : grouped(count))

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
  const label = `${grouped(total)} messages in ${SPARK_DAYS} days, at most ${grouped(Math.max(...counts))} in a day`
  return html`<svg class="spark" viewBox="0 0 ${COLUMN_PITCH * SPARK_DAYS} ${SPARK_HEIGHT}"
      preserveAspectRatio="none" role="img" aria-label="${label}">
    <path d="${columns.join('')}"></path>
  </svg>`
}

const height = (count: number): number =>
  Math.min(SPARK_HEIGHT, BIT_HEIGHT * count.toString(2).length)
