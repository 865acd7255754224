// The drawings of a day: its chord, as numbers and as an image, and the strip of its tones.
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import {
  blockDashes,
  type ChordGrid,
  chordOf,
  chordSize,
  columnPath,
  gridPath,
  rowsFor,
  SMALL_COLUMNS,
  slashPath,
  smallChordOf,
} from '../../../archive/drawing/chord.ts'
import { chordImage } from '../../../archive/drawing/chord-image.ts'
import { markAt, STRIP, SYNC_ONLY, stripPath } from '../../../archive/drawing/tone-strip.ts'
import {
  COUNTER_NAMES,
  LARGEST_COUNTER,
  SLOTS,
  SYNC_COUNT,
  TONES,
} from '../../../protocol/index.ts'
import { inFull } from '../../support/runs.ts'

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

  it('the unlit grid has all rows of all columns, and a slash crosses the whole column', () => {
    expect(gridPath(grid).match(/v-68/g)).toHaveLength(12)
    expect(slashPath(grid, 2)).toBe('M28 68l10-68')
  })
})

type Counters = Parameters<typeof smallChordOf>[0]

/** The difference of a colour component that is plain to see, out of 255. */
const VISIBLE = 48

/** A year of days as a board has them: a few messages on most days, little of the rest, and now and then a flood. */
function year(): Counters[] {
  let state = 1
  const random = () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
  return Array.from({ length: 365 }, () => {
    const size = 2 ** (random() * (random() < 0.05 ? 16 : 6))
    const counts = COUNTER_NAMES.map((name, i) => {
      if (random() < 0.01) return [name, null]
      const share = i < 2 ? 1 : random() < 0.6 ? 0 : random() / (i - 1)
      return [name, String(Math.floor(size * share * (i === 1 ? 80 : 1)))]
    })
    return Object.fromEntries(counts) as Counters
  })
}

const pixels = (chord: ReturnType<typeof smallChordOf>): Promise<Buffer> =>
  sharp(Buffer.from(chordImage(chord, 'a day')))
    .resize(24, 24)
    .removeAlpha()
    .raw()
    .toBuffer()

const differs = (a: Buffer, b: Buffer): boolean =>
  a.some((value, i) => Math.abs(value - (b[i] as number)) >= VISIBLE)

describe('the chord of a day at 24 pixels', () => {
  const chords = new Map(year().map((counters) => [String(smallChordOf(counters)), counters]))

  it('looks different from every other chord of a year', async () => {
    const drawn = await Promise.all([...chords.values()].map((day) => pixels(smallChordOf(day))))
    expect(drawn.length).toBeGreaterThan(150)
    for (const [i, one] of drawn.entries())
      for (const other of drawn.slice(0, i)) expect(differs(one, other)).toBe(true)
  })

  inFull('looks different if any column but the bytes has one block more', async () => {
    for (const day of [...chords.values()].slice(0, 40)) {
      const chord = smallChordOf(day)
      const drawn = await pixels(chord)
      for (const column of SMALL_COLUMNS.keys()) {
        const more = chord.with(column, (chord[column] ?? 0) + 1)
        expect(differs(drawn, await pixels(more)), `${chord}, column ${column}`).toBe(true)
      }
    }
  })

  it('leaves the bytes out, which follow the messages', () => {
    const day = [...chords.values()][0] as Counters
    expect(smallChordOf({ ...day, message_bytes: '1' })).toEqual(smallChordOf(day))
    expect(smallChordOf(day)).toHaveLength(11)
  })
})

describe('the tone strip', () => {
  it('the lowest tone of an even slot is at the bottom, and the highest tone of an odd slot at the top', () => {
    expect(markAt(0, 0)).toEqual({ x: 0, y: STRIP.height - 1 })
    expect(markAt(TONES - 1, SLOTS - 2)).toEqual({ x: STRIP.width - 8, y: 0 })
  })

  it('each known tone has exactly one mark', () => {
    const all = stripPath(Array.from({ length: SLOTS }, () => 5))
    expect(all.match(/M/g)).toHaveLength(SLOTS)
    expect(stripPath(SYNC_ONLY).match(/M/g)).toHaveLength(SYNC_COUNT)
  })
})
