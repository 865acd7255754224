// The "first decoder" of SPEC.md 9, in Python, decodes clean recordings of our encoder.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { modulate, writeWav } from '../../protocol/index.ts'
import { findProgram } from '../support/programs.ts'
import { temporaryFolder } from '../support/release.ts'
import { fromHex, readVectors } from './vector-files.ts'

const python = findProgram('python3')
const script = fileURLToPath(new URL('second-decoder.py', import.meta.url))
const folder = temporaryFolder()

function decodeAsFile(samples: Int16Array): string {
  const file = join(folder, 'recording.wav')
  writeFileSync(file, writeWav(samples))
  return execFileSync(python!, [script, file], { encoding: 'utf8' }).trim()
}

describe.skipIf(python === undefined)('the simple decoder', () => {
  const { vectors } = readVectors<{ vectors: { name: string; frame: string; tones: string }[] }>(
    'code.json',
  )
  for (const { name, frame, tones } of vectors.slice(0, 5)) {
    test(`the simple decoder decodes a clean recording: ${name}`, () => {
      expect(decodeAsFile(modulate(fromHex(tones)))).toBe(frame)
    })
  }

  test('the simple decoder decodes a recording between silences, and reports an error for others', () => {
    const { frame, tones } = vectors[2]!
    const sound = modulate(fromHex(tones))
    const padded = new Int16Array(sound.length + 60_000)
    padded.set(sound, 20_123)
    expect(decodeAsFile(padded)).toBe(frame)
    expect(decodeAsFile(new Int16Array(48_000))).toBe('silent')
    expect(decodeAsFile(sound.subarray(0, 1_000_000))).toBe('too_short')
    expect(decodeAsFile(sound.toReversed())).toBe('no_sync')
  })
})
