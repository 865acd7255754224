// The shipped recordings; each decoded frame is encoded again. In full they are all decoded, and in buffers of every size.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { encodeFrame, toHex } from '../../../protocol/index.ts'
import {
  type Decoding,
  type Diagnostics,
  decodeWav,
  WavDecoder,
} from '../../../protocol/receiver/index.ts'
import type { Reception } from '../../fixtures/vectors/recordings.ts'
import { IN_FULL } from '../../support/runs.ts'
import { readVectors } from '../vector-files.ts'

interface Recordings {
  tolerances: Record<keyof Reception, number>
  vectors: {
    file: string
    name: string
    sha256: string
    frames: string[]
    receptions: Reception[]
  }[]
  invalid: { file: string; name: string; sha256: string; code: string }[]
}

const { tolerances, vectors, invalid } = readVectors<Recordings>('recordings.json')

function readRecording(file: string, sha256: string): Uint8Array {
  const bytes = readFileSync(new URL(`../../../protocol/vectors/${file}`, import.meta.url))
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256)
  return bytes
}

function expectReception(diagnostics: Diagnostics, expected: Reception): void {
  const measured: Reception = {
    start_seconds: diagnostics.start,
    speed: diagnostics.speed,
    translation_hz: diagnostics.translation,
    eb_n0_db: diagnostics.ebN0,
    absent_part: diagnostics.absentPart,
  }
  for (const name of Object.keys(tolerances) as (keyof Reception)[]) {
    const value = expected[name]
    if (value === null) continue
    expect(Math.abs(measured[name]! - value), name).toBeLessThan(tolerances[name])
  }
}

/** Those that npm test decodes: good ones with and without noise, and those that fail quickly. */
const QUICK = [
  'two.wav',
  'noise.wav',
  'cut.wav',
  'room.wav',
  'rough.wav',
  'half.wav',
  'conclusion.wav',
  'nothing.wav',
  'silent.wav',
  'short.wav',
]
const isChosen = (file: string) => IN_FULL || QUICK.includes(file)

function decode(bytes: Uint8Array): Decoding {
  if (!IN_FULL) return decodeWav(bytes)
  const decoder = new WavDecoder()
  let size = 1
  for (let at = 0; at < bytes.length; at += size) {
    size = (size * 7 + 3) % 9973
    decoder.push(bytes.slice(at, at + size))
  }
  return decoder.end()
}

for (const { file, name, sha256, frames, receptions } of vectors) {
  test.runIf(isChosen(file))(`${file} yields its frames and how each was received: ${name}`, () => {
    const { transmissions, error } = decode(readRecording(file, sha256))
    expect(error).toBeNull()
    expect(transmissions.map(({ frame }) => toHex(frame))).toEqual(frames)
    expect(transmissions.map(({ fields }) => toHex(encodeFrame(fields)))).toEqual(frames)
    for (const [i, { diagnostics }] of transmissions.entries())
      expectReception(diagnostics, receptions[i]!)
  })
}

for (const { file, name, sha256, code } of invalid) {
  test.runIf(isChosen(file))(`${file} fails with ${code}: ${name}`, () => {
    const { transmissions, error } = decode(readRecording(file, sha256))
    expect([transmissions, error?.code]).toEqual([[], code])
    expect(error?.message).toMatch(/^[a-z].*[^.]$/)
  })
}
