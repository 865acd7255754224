// Renders directories as a table: messages in and below each, a sparkline of thirty days, and the first words of the newest
// message in a row of its own, as wide as the table.

import { dayNumber } from '../../board/activity.ts'
import { type Branch, quotedOf, SPARK_DAYS, type TreeRow } from '../../board/directory-tree.ts'
import type { Excerpt } from '../../board/references.ts'
import type { DirectoryCounts } from '../../board/views.ts'
import { directoryUrl, messageUrl } from '../../wire/addresses.ts'
import { age } from '../parts/dates.ts'
import { type Html, html } from '../parts/html.ts'
import { formatCount, quantity } from '../static/counters.ts'
import { quotedWords } from './answering.ts'

export const directoryTable = (rows: readonly TreeRow[], counts: DirectoryCounts): Html =>
  html`<table class="tree">
<thead>
  <tr>
    <th scope="col">Directory</th>
    <th scope="col" class="number">Messages</th>
    <th scope="col" class="number">Newest</th>
    <th scope="col" class="month">${SPARK_DAYS} days</th>
  </tr>
</thead>
<tbody>
${rows.map((row) => directoryRow(row, counts))}</tbody>
</table>
${counts.isCounted ? '' : html`<p class="hint">The messages are still being counted. Their numbers will be here in a moment.</p>`}`

function directoryRow(
  { branch, depth, folded }: TreeRow,
  { isCounted, excerpts, now }: DirectoryCounts,
): Html {
  const { path, here, below, days } = branch
  const quoted = excerpts.get(quotedOf(branch))
  const name = depth === 0 ? path : path.slice(path.lastIndexOf('/') + 1)
  const more =
    folded === 0
      ? ''
      : html` <span class="folded">+ ${quantity(folded, 'directory', 'directories')}</span>`
  const numbers = isCounted
    ? html`<td class="number">${messagesOf(here, below)}</td>
        <td class="number">${quoted ? age(Date.parse(quoted.publish_at), now) : ''}</td>
        <td class="month">${spark(days, now)}</td>`
    : html`<td colspan="3"></td>`
  const fullPath = depth === 0 ? '' : html` aria-label="${path}"`
  return html`<tr>
    <th scope="row" class="depth-${depth}">
      <a class="path" href="${directoryUrl(path)}"${fullPath}>${name}</a>${more}
    </th>
    ${numbers}
  </tr>${quoted ? html`<tr class="last"><td colspan="4" class="depth-${depth}">${quote(quoted)}</td></tr>` : ''}\n`
}

const QUOTE_CHARACTERS = 140

/** The first words of a message; one that has been hidden since it was counted is not here. */
const quote = (newest: Excerpt): Html =>
  html`<a class="newest" href="${messageUrl(newest.message_id)}" dir="auto">
        ${quotedWords(newest.message_id, newest.beginning, QUOTE_CHARACTERS)}
      </a>`

/** `157 here, 71 below`; a single number if all are here, a dash for none. */
function messagesOf(here: number, below: number): string {
  if (below > 0) return `${formatCount(here)}\u00a0here, ${formatCount(below)}\u00a0below`
  return here === 0 ? '–' : formatCount(here)
}

const SPARK_HEIGHT = 20
const BIT_HEIGHT = 2
const COLUMN_PITCH = 2

/** Draws one column for each day, as high as its count has binary digits. @returns an empty text without any message */
export function spark(days: Branch['days'], now: number): Html | string {
  const counts = days.upTo(dayNumber(now))
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return ''
  const columns = counts.map((count, i) => {
    const height = Math.min(SPARK_HEIGHT, BIT_HEIGHT * count.toString(2).length)
    return count === 0 ? '' : `M${COLUMN_PITCH * i + 1} ${SPARK_HEIGHT}v-${height}`
  })
  const label = `${quantity(total, 'message')} in ${SPARK_DAYS} days, at most ${formatCount(Math.max(...counts))} in a day`
  return html`<svg class="spark" viewBox="0 0 ${COLUMN_PITCH * SPARK_DAYS} ${SPARK_HEIGHT}"
      preserveAspectRatio="none" role="img" aria-label="${label}">
    <path d="${columns.join('')}"></path>
  </svg>`
}
