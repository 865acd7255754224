// From which slot on a day can be read: for every beginning, for other decoders, and for the receiver.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fieldsOf, type Snapshot } from '../../../archive/format/snapshot.ts'
import {
  isEnough,
  secondsAfter,
  slotsEnough,
  unknownBits,
} from '../../../pipeline/render/enough.ts'
import { unpackBits } from '../../../protocol/bits.ts'
import { CODE_LENGTH, FRAME_BYTES, SLOTS, TONES } from '../../../protocol/constants.ts'
import { decodeWav, encodeFrame, encodeTones, writeWav } from '../../../protocol/index.ts'
import { POSITION_SLOTS } from '../../../protocol/interleave.ts'
import { toneLabel } from '../../../protocol/labels.ts'
import { placeInformation } from '../../../protocol/polar.ts'
import { readPaths } from '../../../protocol/receiver/outcome.ts'
import { ListDecoder } from '../../../protocol/receiver/polar-list.ts'
import { ACTIVE, INCONCLUSIVE, LARGEST, QUIET, samplesOf } from './days.ts'

const frameOf = (snapshot: Snapshot): Uint8Array => encodeFrame(fieldsOf(snapshot))
const slotsOf = (snapshot: Snapshot): number => slotsEnough(frameOf(snapshot))

/** Frames from empty to full: each bit is 1 with the same chance. */
const frames = fc
  .double({ min: 0, max: 1, noNaN: true })
  .chain((ones) =>
    fc.array(
      fc.double({ min: 0, max: 1, noNaN: true }).map((chance) => (chance < ones ? 255 : 0)),
      { minLength: FRAME_BYTES, maxLength: FRAME_BYTES },
    ),
  )
  .map((bytes) => Uint8Array.from(bytes))

describe('what is enough', () => {
  it('another tone never makes a bit unknown that was known without it', () => {
    for (let slots = 0; slots < SLOTS; slots++) {
      const [fewer, more] = [unknownBits(slots), unknownBits(slots + 1)]
      expect(more.every((unknown, i) => unknown <= fewer[i]!)).toBe(true)
    }
    expect(unknownBits(SLOTS).every((unknown) => unknown === 0)).toBe(true)
  })

  it('every longer beginning is enough as well, and no shorter one', () => {
    fc.assert(
      fc.property(frames, (frame) => {
        const levels = placeInformation(unpackBits(frame))
        const enough = slotsEnough(frame)
        for (let slots = enough; slots <= SLOTS; slots++) expect(isEnough(levels, slots)).toBe(true)
        if (enough > 124) expect(isEnough(levels, enough - 1)).toBe(false)
      }),
    )
  })

  it('a quiet day can be read sooner than a busy one, and the fullest one last', () => {
    expect([QUIET, INCONCLUSIVE, ACTIVE, LARGEST].map(slotsOf)).toEqual([124, 124, 169, 193])
    expect(secondsAfter(169)).toBeCloseTo(18.04, 2)
  })
})

/** Whether the list decoder reads a frame from the tones of the first slots, given without any noise. */
function readsFromTones(frame: Uint8Array, slots: number): boolean {
  const tones = encodeTones(frame)
  const metrics = new Float32Array(CODE_LENGTH * TONES)
  for (const [i, slot] of POSITION_SLOTS.entries()) {
    if (slot >= slots) continue
    metrics.fill(-50, i * TONES, (i + 1) * TONES)
    metrics[i * TONES + toneLabel(tones[slot]!, i)] = 0
  }
  const decoder = new ListDecoder(32)
  decoder.decode(metrics, Array(7).fill(32))
  return readPaths(decoder, 32).kind === 'frame'
}

describe('the receiver', () => {
  it('its list decoder reads days without noise from what is enough, and from two slots less at best', () => {
    for (const day of [ACTIVE, LARGEST]) {
      expect(readsFromTones(frameOf(day), slotsOf(day))).toBe(true)
      expect(readsFromTones(frameOf(day), slotsOf(day) - 3)).toBe(false)
    }
  })

  it.each([
    ['a quiet day', QUIET],
    ['a busy day', ACTIVE],
  ])(
    'the receiver reads the sound of %s from what is enough, and not from a slot less',
    (_, day) => {
      const samples = samplesOf(day)
      const readAfter = (slots: number) =>
        decodeWav(writeWav(samples.slice(0, secondsAfter(slots) * 48_000))).transmissions.length
      expect([slotsOf(day), slotsOf(day) - 1].map(readAfter)).toEqual([1, 0])
    },
  )
})
