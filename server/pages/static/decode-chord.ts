// Draws a chord as an SVG element that matches the server's (charts.ts).
import {
  blockDashes,
  type Chord,
  type ChordGrid,
  chordSize,
  columnPath,
  gridPath,
  OUTLINED_COLUMN,
  outlinePath,
  slashPath,
} from '../../../archive/drawing/chord.ts'
import { BASE, OUTLINE } from './chart-grid.ts'

/** Draws a chord; the colours come from the style sheet. */
export function chordElement(chord: Chord, grid: ChordGrid): SVGElement {
  const { width, height } = chordSize(grid)
  const stroke = { 'stroke-width': String(grid.block.width), 'stroke-dasharray': blockDashes(grid) }
  const columns = chord.map((blocks, i) => {
    if (blocks === null) return shape('path', { class: 'absent', d: slashPath(grid, i) })
    if (blocks > 0 && i === OUTLINED_COLUMN)
      return shape('path', {
        class: `outline tone-${i}`,
        d: outlinePath(grid, i, blocks, OUTLINE),
      })
    return shape('path', { class: `tone-${i}`, d: blocks === 0 ? '' : columnPath(grid, i, blocks) })
  })
  return shape(
    'svg',
    { class: 'chord', viewBox: `0 0 ${width} ${height + BASE}`, 'aria-hidden': 'true' },
    shape('path', { class: 'unlit', d: gridPath(grid), ...stroke }),
    shape('path', { class: 'base', d: `M0 ${height + BASE - 1}h${width}` }),
    shape('g', { class: 'lit', ...stroke }, ...columns),
  )
}

function shape(
  name: string,
  attributes: Record<string, string>,
  ...children: SVGElement[]
): SVGElement {
  const created = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, value)
  created.append(...children)
  return created
}
