// Tests the chord's geometry: counts to blocks, and blocks to SVG lines.
import { describe, expect, it } from 'vitest'
import {
  blockDashes,
  type ChordGrid,
  chordOf,
  chordSize,
  columnPath,
  gridPath,
  outlinePath,
  rowsFor,
  slashPath,
} from '../../../archive/drawing/chord.ts'
import { COUNTER_NAMES, LARGEST_COUNTER } from '../../../protocol/index.ts'

const grid: ChordGrid = {
  block: { width: 10, height: 5 },
  gap: { x: 4, y: 2 },
  rows: 10,
  columns: 12,
}

const counters = (...values: (string | null)[]) =>
  Object.fromEntries(
    COUNTER_NAMES.map((name, i) => [name, values[i] === undefined ? '0' : values[i]]),
  ) as Parameters<typeof chordOf>[0]

describe('the chord', () => {
  it('a counter has a block for each binary digit, none for 0, and null when it is unavailable', () => {
    const chord = chordOf(counters('7', '553', '1', null, '0', `${LARGEST_COUNTER}`))
    expect(chord).toEqual([3, 10, 1, null, 0, 64, 0, 0, 0, 0, 0, 0])
  })

  it('the scale has at least ten rows and grows with the largest counter', () => {
    expect(rowsFor([])).toBe(10)
    expect(rowsFor([chordOf(counters('7')), chordOf(counters(null, '65536'))])).toBe(17)
  })

  it('a column is one line up from the base, which dashes cut into blocks', () => {
    expect(chordSize(grid)).toEqual({ width: 164, height: 68 })
    expect(columnPath(grid, 1, 3)).toBe('M19 68v-19')
    expect(blockDashes(grid)).toBe('5 2')
  })

  it('the outline of a column is open at the base, and its line lies within the column', () => {
    expect(outlinePath(grid, 1, 3, 2)).toBe('M15 68v-18h8v18')
  })

  it('the unlit grid has all rows of all columns, and a slash crosses the whole column', () => {
    expect(gridPath(grid).match(/v-68/g)).toHaveLength(12)
    expect(slashPath(grid, 2)).toBe('M28 68l10-68')
  })
})
