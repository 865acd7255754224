// Draws the chord of a day as a standalone SVG on a dark ground, which other sites can show at any size from 24 pixels.
import {
  blockDashes,
  type Chord,
  type ChordGrid,
  chordSize,
  columnPath,
  gridPath,
  SMALL_COLUMNS,
  slashPath,
  smallRowsFor,
} from './chord.ts'
import { NIGHT } from './colours.ts'

/** Eleven columns of 10 and gaps of 1 are 120: at 24 pixels, two for each. */
const COLUMN = { width: 10, gap: 1 }
const SIDE = 132
const MARGIN = (SIDE - SMALL_COLUMNS.length * (COLUMN.width + COLUMN.gap) + COLUMN.gap) / 2
/** Part of a row that is the gap below the next. */
const ROW_GAP = 0.25

/** @param chord a small one @param title its alternative text, without characters that are special in XML */
export function chordImage(chord: Chord, title: string): string {
  const grid = gridFor(smallRowsFor([chord]))
  const stroke = `fill="none" stroke-width="${COLUMN.width}" stroke-dasharray="${blockDashes(grid)}"`
  const columns = chord.map((blocks, column) => drawColumn(grid, column, blocks))
  const top = SIDE - MARGIN - chordSize(grid).height
  const box = `viewBox="0 0 ${SIDE} ${SIDE}" role="img"`
  const ground = `<rect width="${SIDE}" height="${SIDE}" rx="8" fill="${NIGHT.ground}"/>`
  const unlit = `<path d="${gridPath(grid)}" ${stroke} stroke="${NIGHT.unlit}"/>`
  const lit = `<g ${stroke}>${columns.join('')}</g>`
  const placed = `<g transform="translate(${MARGIN} ${top})">${unlit}${lit}</g>`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${box}><title>${title}</title>${ground}${placed}</svg>`
}

function drawColumn(grid: ChordGrid, column: number, blocks: number | null): string {
  if (blocks === 0) return ''
  const colour = NIGHT.tones[SMALL_COLUMNS[column]!]
  if (blocks !== null) return `<path d="${columnPath(grid, column, blocks)}" stroke="${colour}"/>`
  return `<path d="${slashPath(grid, column)}" stroke="${NIGHT.warning}" stroke-width="3" stroke-dasharray="none"/>`
}

/** The rows fill the height. */
function gridFor(rows: number): ChordGrid {
  const pitch = (SIDE - 2 * MARGIN) / rows
  const gap = Number((pitch * ROW_GAP).toFixed(3))
  const height = Number((pitch - gap).toFixed(3))
  return {
    block: { width: COLUMN.width, height },
    gap: { x: COLUMN.gap, y: gap },
    rows,
    columns: SMALL_COLUMNS.length,
  }
}
