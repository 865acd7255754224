// The shipped recordings through every way in, and each frame read encoded again.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  type Decoding,
  decodeWav,
  encodeFrame,
  toHex,
  WavDecoder,
} from '../../../protocol/index.ts'
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

const WAYS: [name: string, decode: (bytes: Uint8Array) => Decoding][] = [
  ['whole', decodeWav],
  ['in pieces', decodeInPieces],
]

function decodeInPieces(bytes: Uint8Array): Decoding {
  const decoder = new WavDecoder()
  let size = 1
  for (let at = 0; at < bytes.length; at += size) {
    size = (size * 7 + 3) % 9973
    decoder.push(bytes.slice(at, at + size))
  }
  return decoder.end()
}

describe.each(WAYS)('a recording read %s', (_, decode) => {
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
