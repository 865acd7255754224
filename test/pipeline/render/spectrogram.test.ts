// The spectrogram's values: the right row and column for a tone, and colours that grow lighter with loudness.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FREQUENCY_RANGE, PLOT, yOfFrequency } from '../../../pipeline/render/layout.ts'
import { LOUDNESS_COLOURS } from '../../../pipeline/render/palette.ts'
import { spectrogram } from '../../../pipeline/render/spectrogram.ts'
import { SAMPLE_RATE, TRANSMISSION_SAMPLES } from '../../../protocol/index.ts'

/** A sine of half the scale from `from` to `to` (parts of the whole), silence elsewhere. */
function sine(hertz: number, from = 0, to = 1): Int16Array {
  return Int16Array.from({ length: TRANSMISSION_SAMPLES }, (_, i) => {
    const part = i / TRANSMISSION_SAMPLES
    const phase = (2 * Math.PI * hertz * i) / SAMPLE_RATE
    return part >= from && part < to ? Math.round(16_383 * Math.sin(phase)) : 0
  })
}

function column(levels: Float32Array, x: number): number[] {
  return Array.from({ length: PLOT.height }, (_, row) => levels[row * PLOT.width + x]!)
}

test('a lasting tone of any frequency in the plot has level 1 in the row of its frequency', () => {
  const inside = fc.double({
    min: FREQUENCY_RANGE.low + 30,
    max: FREQUENCY_RANGE.high - 30,
    noNaN: true,
  })
  fc.assert(
    fc.property(inside, (hertz) => {
      const levels = column(spectrogram(sine(hertz)), 800)
      const loudest = Math.max(...levels)
      const y = PLOT.y + levels.indexOf(loudest) + 0.5
      expect(loudest).toBeGreaterThan(0.99)
      expect(loudest).toBeLessThan(1.001)
      expect(Math.abs(y - yOfFrequency(hertz))).toBeLessThanOrEqual(0.55)
    }),
    { numRuns: 6 },
  )
})

test('a tone begins and ends in the columns of its time', () => {
  const levels = spectrogram(sine(1500, 0.25, 0.5))
  const row = Math.floor(yOfFrequency(1500) - PLOT.y)
  const level = (x: number) => levels[row * PLOT.width + x]!
  const quarter = PLOT.width / 4
  expect([level(quarter - 3), level(2 * quarter + 2)]).toEqual([0, 0])
  expect(level(quarter + 3)).toBeGreaterThan(0.99)
  expect(level(2 * quarter - 4)).toBeGreaterThan(0.99)
  // The edge lies between two columns, as far from either centre: what one lacks the other has.
  const amplitude = (x: number) => 10 ** ((42 * (level(x) - 1)) / 20)
  expect(amplitude(quarter - 1) + amplitude(quarter)).toBeCloseTo(1, 2)
})

test('silence is level 0 everywhere', () => {
  const levels = spectrogram(new Int16Array(TRANSMISSION_SAMPLES))
  expect(levels.every((level) => level === 0)).toBe(true)
})

test('the colours grow lighter with every step of loudness, from near the background to near white', () => {
  const luminance = LOUDNESS_COLOURS.map(
    ([r, g, b]) => 0.2126 * r ** 2.2 + 0.7152 * g ** 2.2 + 0.0722 * b ** 2.2,
  )
  const steps = luminance.slice(1).map((value, i) => value - luminance[i]!)
  expect(steps.filter((step) => step < 0)).toEqual([])
  expect(Math.max(...LOUDNESS_COLOURS[0]!)).toBeLessThan(40)
  expect(Math.min(...LOUDNESS_COLOURS[255]!)).toBeGreaterThan(200)
})
