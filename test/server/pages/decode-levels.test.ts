// The levels of the decoder page's spectrogram: each tone at its frequency, at any sample rate, from one or two channels.
import { describe, expect, test } from 'vitest'
import {
  COLUMNS_PER_SECOND,
  HIGHEST,
  LOWEST,
  levelMeter,
  ROWS,
} from '../../../server/pages/static/decode/levels.ts'

const rowOf = (frequency: number) => Math.floor(((frequency - LOWEST) / (HIGHEST - LOWEST)) * ROWS)

/** A second of a tone at full scale. */
const toneOf = (frequency: number, rate: number): Float32Array =>
  Float32Array.from({ length: rate }, (_, i) => Math.sin((2 * Math.PI * frequency * i) / rate))

const loudestRow = (column: Uint8Array) => column.indexOf(Math.max(...column))

describe.each([8_000, 11_025, 44_100, 48_000, 192_000])('at %d samples per second', (rate) => {
  test.each([512, 1_000, 2_650])('a tone of %d Hz is loudest in its row', (frequency) => {
    const levels = levelMeter(rate)([toneOf(frequency, rate)])
    expect(levels.length / ROWS).toBe(Math.floor(COLUMNS_PER_SECOND))
    const column = levels.subarray(0, ROWS)
    expect(Math.abs(loudestRow(column) - rowOf(frequency))).toBeLessThanOrEqual(1)
    // Half-decibel steps from -120 dB. The window and the bin spacing lose up to 8 dB.
    expect(Math.max(...column)).toBeGreaterThan(2 * 112)
  })
})

test('sound in blocks of any size gives the same columns', () => {
  const tone = toneOf(1_000, 8_000)
  const meter = levelMeter(8_000)
  const pieces = Array.from({ length: 80 }, (_, i) => tone.subarray(i * 100, (i + 1) * 100))
  const columns = pieces.flatMap((piece) => [...meter([piece])])
  expect(columns).toEqual([...levelMeter(8_000)([tone])])
})

test('two channels of opposite polarity do not cancel each other', () => {
  const tone = toneOf(1_000, 8_000)
  const inverted = tone.map((sample) => -sample)
  const both = levelMeter(8_000)([tone, inverted]).subarray(0, ROWS)
  expect(loudestRow(both)).toBe(rowOf(1_000))
  const silent = levelMeter(8_000)([tone, new Float32Array(tone.length)])
  expect(Math.max(...both)).toBeGreaterThanOrEqual(Math.max(...silent))
})

test('silence is the lowest level', () => {
  expect(Math.max(...levelMeter(8_000)([new Float32Array(8_000)]))).toBe(0)
})
