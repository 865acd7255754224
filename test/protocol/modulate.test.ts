// The waveform, compared with its defining formula and in its extent in time.
import { expect, test } from 'vitest'
import { SLOTS, slotFrequency, TRANSMISSION_SAMPLES } from '../../protocol/constants.ts'
import { encodeTones } from '../../protocol/encode.ts'
import { modulate } from '../../protocol/modulate.ts'

const tones = encodeTones(Uint8Array.from({ length: 106 }, (_, i) => i))
const samples = modulate(tones)

test('no sample differs by more than 1 from the formula of SPEC.md 7.2', () => {
  let phase = 0
  let worst = 0
  for (let i = 0; i < TRANSMISSION_SAMPLES; i++) {
    const edge = Math.min(i, TRANSMISSION_SAMPLES - 1 - i)
    const gain = edge < 480 ? 0.5 - 0.5 * Math.cos((Math.PI * (edge + 0.5)) / 480) : 1
    worst = Math.max(
      worst,
      Math.abs(samples[i]! - Math.round(32767 * 0.5 * gain * Math.sin(phase))),
    )
    const slot = Math.min(Math.max(Math.floor((i - 480) / 5120), 0), SLOTS - 1)
    phase += (2 * Math.PI * slotFrequency(tones[slot]!, slot)) / 48_000
  }
  expect(worst).toBeLessThanOrEqual(1)
})

test('the transmission lasts 29.14 s, starts and ends in silence, and peaks at half of full scale', () => {
  expect(samples.length / 48_000).toBe(29.14)
  expect([samples[0], samples.at(-1)]).toEqual([0, 0])
  expect(samples.reduce((peak, x) => Math.max(peak, Math.abs(x)), 0)).toBe(16384)
})
