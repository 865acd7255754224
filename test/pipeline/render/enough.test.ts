// From which slot on a day can be read: for every beginning, for a list decoder, and for the receiver.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fieldsOf, type Snapshot } from '../../../archive/format/snapshot.ts'
import { guessedFrom, secondsAfter, slotsEnough } from '../../../pipeline/render/enough.ts'
import { guessedBits } from '../../../pipeline/render/erasure-list.ts'
import { CODE_LENGTH, SLOTS, TONES } from '../../../protocol/constants.ts'
import { encodeFrame, encodeTones } from '../../../protocol/index.ts'
import { POSITION_SLOTS } from '../../../protocol/interleave.ts'
import { toneLabel } from '../../../protocol/labels.ts'
import { readPaths } from '../../../protocol/receiver/outcome.ts'
import { ListDecoder } from '../../../protocol/receiver/polar-list.ts'
import { ACTIVE, INCONCLUSIVE, LARGEST, QUIET } from './days.ts'
import { isReadAfter, randomDays } from './prefixes.ts'

const frameOf = (snapshot: Snapshot): Uint8Array => encodeFrame(fieldsOf(snapshot))
const slotsOf = (snapshot: Snapshot): number => slotsEnough(frameOf(snapshot))

describe('what is enough', () => {
  it('no beginning leaves a bit to be guessed that a shorter one tells', () => {
    for (let slots = 124; slots < SLOTS; slots++) {
      const fewer = new Set(guessedFrom(slots))
      expect(guessedFrom(slots + 1).filter((bit) => !fewer.has(bit))).toEqual([])
    }
    expect(guessedFrom(SLOTS)).toEqual([])
  })

  it('all beginnings together take less than 0.3 s of CPU', () => {
    const before = process.cpuUsage()
    for (let slots = 124; slots <= SLOTS; slots++) guessedBits((i) => POSITION_SLOTS[i]! < slots)
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1e6).toBeLessThan(0.3)
  })

  it('a quiet day can be read sooner than a busy one, and the fullest one last', () => {
    expect([QUIET, INCONCLUSIVE, ACTIVE, LARGEST].map(slotsOf)).toEqual([124, 124, 169, 191])
    expect(secondsAfter(169)).toBeCloseTo(18.04, 2)
  })
})

const decoder = new ListDecoder(32)

/** Whether the list decoder reads a frame from the tones of the first slots, given without any noise. */
function isReadFromTones(frame: Uint8Array, slots: number): boolean {
  const tones = encodeTones(frame)
  const metrics = new Float32Array(CODE_LENGTH * TONES)
  for (const [i, slot] of POSITION_SLOTS.entries()) {
    if (slot >= slots) continue
    metrics.fill(-50, i * TONES, (i + 1) * TONES)
    metrics[i * TONES + toneLabel(tones[slot]!, i)] = 0
  }
  decoder.decode(metrics, Array(7).fill(32))
  return readPaths(decoder, 32).kind === 'frame'
}

describe('the receiver', () => {
  it('its list decoder, given tones without noise, reads any day from exactly what is enough', () => {
    fc.assert(
      fc.property(randomDays, (day) => {
        const enough = slotsOf(day)
        expect(isReadFromTones(frameOf(day), enough)).toBe(true)
        if (enough > 124) expect(isReadFromTones(frameOf(day), enough - 1)).toBe(false)
      }),
      { numRuns: 30 },
    )
  })

  it.each([
    ['a quiet day', QUIET],
    ['a busy day', ACTIVE],
  ])(
    'the receiver reads the sound of %s from what is enough, and not from a slot less',
    (_, day) => {
      const enough = slotsOf(day)
      expect([enough, enough - 1].map((slots) => isReadAfter(day, slots))).toEqual([true, false])
    },
  )
})
