// Tests of the shipped recordings by a given decoding function; each decoded frame is encoded again.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { encodeFrame, toHex } from '../../../protocol/index.ts'
import type { Decoding, Diagnostics } from '../../../protocol/receiver/index.ts'
import { readVectors } from '../vector-files.ts'

interface Reception {
  start_seconds: number
  speed: number
  translation_hz: number
  eb_n0_db: number | null
  absent_part: number
}

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

/**
 * Defines the tests for one way of decoding the recordings.
 * @param isChosen whether a file is decoded; by default, every one is
 */
export function describeRecordings(
  way: string,
  decode: (bytes: Uint8Array) => Decoding,
  isChosen: (file: string) => boolean = () => true,
): void {
  describe(`recordings decoded ${way}`, () => {
    for (const { file, name, sha256, frames, receptions } of vectors) {
      test.runIf(isChosen(file))(
        `${file} yields its frames and how each was received: ${name}`,
        () => {
          const { transmissions, error } = decode(readRecording(file, sha256))
          expect(error).toBeNull()
          expect(transmissions.map(({ frame }) => toHex(frame))).toEqual(frames)
          expect(transmissions.map(({ fields }) => toHex(encodeFrame(fields)))).toEqual(frames)
          for (const [i, { diagnostics }] of transmissions.entries())
            expectReception(diagnostics, receptions[i]!)
        },
      )
    }

    for (const { file, name, sha256, code } of invalid) {
      test.runIf(isChosen(file))(`${file} fails with ${code}: ${name}`, () => {
        const { transmissions, error } = decode(readRecording(file, sha256))
        expect([transmissions, error?.code]).toEqual([[], code])
        expect(error?.message).toMatch(/^[a-z].*[^.]$/)
      })
    }
  })
}
