// The shipped recordings read in a given way, and each frame read encoded again.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Decoding, encodeFrame, toHex } from '../../../protocol/index.ts'
import { readVectors } from '../vector-files.ts'

interface Recordings {
  vectors: { file: string; name: string; sha256: string; frames: string[] }[]
  invalid: { file: string; name: string; sha256: string; code: string }[]
}

const { vectors, invalid } = readVectors<Recordings>('recordings.json')

function readRecording(file: string, sha256: string): Uint8Array {
  const bytes = readFileSync(new URL(`../../../protocol/vectors/${file}`, import.meta.url))
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256)
  return bytes
}

/** The tests of one way to read the recordings. */
export function describeRecordings(way: string, decode: (bytes: Uint8Array) => Decoding): void {
  describe(`a recording read ${way}`, () => {
    for (const { file, name, sha256, frames } of vectors) {
      test(`${file}, ${name}: gives its frames`, () => {
        const { transmissions, error } = decode(readRecording(file, sha256))
        expect(error).toBeNull()
        expect(transmissions.map(({ frame }) => toHex(frame))).toEqual(frames)
        expect(transmissions.map(({ fields }) => toHex(encodeFrame(fields)))).toEqual(frames)
      })
    }

    for (const { file, name, sha256, code } of invalid) {
      test(`${file}, ${name}: ${code}`, () => {
        const { transmissions, error } = decode(readRecording(file, sha256))
        expect([transmissions, error?.code]).toEqual([[], code])
      })
    }
  })
}
