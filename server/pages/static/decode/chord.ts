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
} from '../../../../archive/drawing/chord.ts'
import { BASE, OUTLINE } from '../chart-grid.ts'
import { svg } from '../element.ts'

/** Draws a chord; the colours come from the style sheet. */
export function chordElement(chord: Chord, grid: ChordGrid): SVGElement {
  const { width, height } = chordSize(grid)
  const stroke = { 'stroke-width': String(grid.block.width), 'stroke-dasharray': blockDashes(grid) }
  const columns = chord.map((blocks, i) => {
    if (blocks === null) return svg('path', { class: 'absent', d: slashPath(grid, i) })
    if (blocks > 0 && i === OUTLINED_COLUMN)
      return svg('path', {
        class: `outline tone-${i}`,
        d: outlinePath(grid, i, blocks, OUTLINE),
      })
    return svg('path', { class: `tone-${i}`, d: blocks === 0 ? '' : columnPath(grid, i, blocks) })
  })
  return svg(
    'svg',
    { class: 'chord', viewBox: `0 0 ${width} ${height + BASE}`, 'aria-hidden': 'true' },
    svg('path', { class: 'unlit', d: gridPath(grid), ...stroke }),
    svg('path', { class: 'base', d: `M0 ${height + BASE - 1}h${width}` }),
    svg('g', { class: 'lit', ...stroke }, ...columns),
  )
}
