// The chord as a standalone picture: days that differ look different even at 24 pixels.
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { SMALL_COLUMNS, smallChordOf } from '../../../archive/drawing/chord.ts'
import { chordImage } from '../../../archive/drawing/chord-image.ts'
import { COUNTER_NAMES } from '../../../protocol/index.ts'
import { IN_FULL } from '../../support/runs.ts'

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

  it.runIf(IN_FULL)('looks different if any column but the bytes has one block more', async () => {
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
