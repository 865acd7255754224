// The alignment of a transmission: noncoherent, then by phase.
import { describe, expect, test } from 'vitest'
import { SLOTS, TONES } from '../../../protocol/constants.ts'
import { encodeTones } from '../../../protocol/index.ts'
import {
  alignmentOf,
  lengthOf,
  startOf,
  translationOf,
} from '../../../protocol/receiver/alignment.ts'
import { BASEBAND_RATE, Baseband, CENTRE_FREQUENCY } from '../../../protocol/receiver/baseband.ts'
import { Demodulator, emptySlots } from '../../../protocol/receiver/demodulate.ts'
import { Recoverer } from '../../../protocol/receiver/recover.ts'
import { atSpeed, noisy, padded, type Sound, translated } from '../../support/channel.ts'
import { sent } from '../../support/payloads.ts'
import { inFull } from '../../support/runs.ts'

function basebandOf(sound: Sound) {
  const baseband = new Baseband(48_000)
  baseband.push(sound)
  baseband.finish()
  return baseband.signal
}

const { frame, sound } = sent(4)
const tones = encodeTones(frame)

inFull('the tones of all slots have the same phase at the true alignment', () => {
  const speed = 1.0071
  const signal = basebandOf(padded(translated(atSpeed(sound, speed), -9), 1, 1))
  const slots = emptySlots()
  const alignment = alignmentOf((1 + 0.01 / speed) * BASEBAND_RATE, speed, -9)
  new Demodulator().demodulate(signal, alignment, slots)
  const phases = Array.from(tones, (tone, slot) => {
    const at = slot * TONES + tone
    return { real: slots.real[at]!, imag: slots.imag[at]! }
  })
  const total = phases.map(({ real, imag }) => Math.hypot(real, imag)).reduce((a, b) => a + b)
  const real = phases.reduce((sum, phase) => sum + phase.real, 0)
  const imag = phases.reduce((sum, phase) => sum + phase.imag, 0)
  expect(Math.hypot(real, imag) / total).toBeGreaterThan(0.98)
  expect(slots.recorded.reduce((sum, recorded) => sum + recorded, 0)).toBe(SLOTS)
})

test('an alignment has the start, speed and translation that it was built from', () => {
  const alignment = alignmentOf(1234.5, 0.983, 7)
  const parts = [startOf(alignment), alignment.speed, translationOf(alignment)]
  expect(parts.map((x) => Math.round(x * 1e6))).toEqual([1234.5e6, 983000, 7e6])
  expect(alignment.offset).toBeCloseTo(7 - 0.017 * CENTRE_FREQUENCY, 9)
  expect(lengthOf({ speed: 1 }) / BASEBAND_RATE).toBeCloseTo(29.12, 9)
})

describe('candidates', () => {
  inFull(
    'a candidate 3 ms, 300 ppm and 0.7 Hz off is refined to 0.1 ms, 3 ppm and 0.02 Hz at 1.25 dB',
    () => {
      const speed = 0.9942
      const signal = basebandOf(noisy(padded(translated(atSpeed(sound, speed), 5), 2, 1), 1.25, 8))
      const truth = alignmentOf((2 + 0.01 / speed) * BASEBAND_RATE, speed, 5)
      const from = {
        time: truth.time + 14,
        speed: truth.speed + 3e-4,
        offset: truth.offset - 0.7,
      }
      const recoverer = new Recoverer()
      const { outcome, reception } = recoverer.recover(signal, from, true)
      const { alignment: found } = recoverer.remeasure(signal, reception, tones)
      expect(outcome).toMatchObject({ kind: 'frame', frame })
      expect(Math.abs(found.time - truth.time) / BASEBAND_RATE).toBeLessThan(1e-4)
      expect(Math.abs(found.speed / truth.speed - 1)).toBeLessThan(3e-6)
      expect(Math.abs(found.offset - truth.offset)).toBeLessThan(0.02)
    },
  )

  test('the outcome is nothing where there is no signal', () => {
    const signal = basebandOf(noisy(new Float32Array(48_000 * 35), 3, 9))
    const { outcome } = new Recoverer().recover(signal, alignmentOf(9000, 1, 0), true)
    expect(outcome).toEqual({ kind: 'nothing' })
  })
})
