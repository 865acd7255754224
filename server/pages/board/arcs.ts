// Draws the references in a thread as arcs between its entries; the entries state the same references in words.

import type { References } from '../../board/references.ts'
import type { AnyEntry } from '../../investigations/entries.ts'
import { type Html, html } from '../parts/html.ts'

/** Sizes of the drawing [SVG units]. */
const ROW = 22
const DOT_X = 90
const WIDEST = 86

/** @returns an empty text if no entry refers to another one on the page */
export function referenceArcs(
  entries: readonly AnyEntry[],
  references: Map<bigint, References>,
): Html | string {
  const rowOf = new Map(entries.map(({ message_id }, row) => [message_id, row]))
  const arcs = entries.flatMap(({ message_id }, from) =>
    (references.get(message_id)?.to ?? []).flatMap((reference) => {
      const to = rowOf.get(reference.message_id)
      return to === undefined || to === from ? [] : [arc(from, to, reference.relation)]
    }),
  )
  if (arcs.length === 0) return ''
  const height = entries.length * ROW
  return html`<figure class="arcs" aria-hidden="true"><figcaption class="label">References</figcaption>
<svg viewBox="0 0 200 ${height}" width="200" height="${height}">
${arcs}${entries.map(
  ({ message_id, kind }, row) =>
    html`<circle class="dot ${kind}" cx="${DOT_X}" cy="${middle(row)}" r="5"></circle>
      <text x="${DOT_X + 14}" y="${middle(row) + 4}">${message_id}</text>\n`,
)}</svg></figure>`
}

const middle = (row: number): number => row * ROW + ROW / 2

/** An arc that bulges to the left, farther for entries farther apart. */
function arc(from: number, to: number, relation: string): Html {
  const [above, below] = [Math.min(from, to), Math.max(from, to)]
  const across = Math.min(WIDEST, 14 + (below - above) * 10)
  const [begin, end, left] = [middle(above), middle(below), DOT_X - across]
  const curve = `M${DOT_X - 5} ${begin}C${left} ${begin} ${left} ${end} ${DOT_X - 5} ${end}`
  return html`<path class="arc ${relation}" d="${curve}"></path>`
}
