// WAV streams written by ffmpeg are read back to the same samples.
import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { readWav, WavReader } from '../../../protocol/wav/read.ts'
import { writeWav } from '../../../protocol/wav/write.ts'
import { findProgram } from '../../support/programs.ts'
import { IN_FULL } from '../../support/runs.ts'

const ffmpeg = findProgram('ffmpeg')
const RATE = 16_000
const sound = Int16Array.from({ length: RATE }, (_, i) =>
  Math.round(12_000 * Math.sin(i * i * 1e-4)),
)

/** Converts our sound with ffmpeg to a pipe, where it cannot seek back to fill in the sizes. */
function streamed(options: string[]): Uint8Array {
  const args = ['-v', 'error', '-i', '-', '-bitexact', ...options, '-f', 'wav', '-']
  return execFileSync(ffmpeg!, args, { input: writeWav(sound, RATE), maxBuffer: 1 << 26 })
}

function worstDifference(file: Uint8Array): number {
  const { channels, format } = readWav(file)
  expect(format.sampleRate).toBe(RATE)
  return Math.max(
    ...channels.map((samples) => {
      expect(samples.length).toBe(sound.length)
      return samples.reduce((worst, x, i) => Math.max(worst, Math.abs(x - sound[i]! / 32_768)), 0)
    }),
  )
}

describe.skipIf(ffmpeg === undefined)('WAV streams of ffmpeg', () => {
  const codecs: [codec: string, tolerance: number][] = [
    ['pcm_s16le', 0],
    ['pcm_u8', 1 / 128],
    ['pcm_s24le', 0],
    ['pcm_s32le', 0],
    ['pcm_f32le', 0],
    ['pcm_f64le', 0],
    ['pcm_mulaw', 1 / 64],
    ['pcm_alaw', 1 / 64],
  ]
  for (const [codec, tolerance] of IN_FULL ? codecs : codecs.slice(0, 1)) {
    test(`a stream in ${codec} yields our samples`, () => {
      expect(worstDifference(streamed(['-c:a', codec]))).toBeLessThanOrEqual(tolerance)
    })
  }

  test('an extensible 24-bit stream of eight channels yields our samples in each', () => {
    const eight = [
      '-af',
      'pan=7.1|c0=c0|c1=c0|c2=c0|c3=c0|c4=c0|c5=c0|c6=c0|c7=c0',
      '-c:a',
      'pcm_s24le',
    ]
    const file = streamed(eight)
    expect(new WavReader().push(file).length).toBe(8)
    expect(worstDifference(file)).toBe(0)
  })

  test('an RF64 stream yields our samples', () => {
    expect(worstDifference(streamed(['-rf64', 'always']))).toBe(0)
  })
})
