// An independent encoder, written in Python from SPEC.md only, agrees with ours and with the vectors.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeTones, toHex } from '../../protocol/index.ts'
import type { WrittenFields } from '../fixtures/vectors/days.ts'
import { askPython, findProgram } from '../support/programs.ts'
import { inFull } from '../support/runs.ts'
import { readVectors } from './vector-files.ts'

type Input = { fields: WrittenFields } | { frame: string }
type Output = { frame: string; tones: string } | { error: string }

const python = findProgram('python3')
const script = new URL('second-encoder.py', import.meta.url)

const run = (inputs: Input[]) => askPython<Output>(script, inputs)

describe.skipIf(python === undefined)('the second encoder', () => {
  test('the second encoder produces the frames and tone lists of the vectors', () => {
    const days = readVectors<{ vectors: { fields: WrittenFields; frame: string }[] }>(
      'frames.json',
    ).vectors
    const codes = readVectors<{ vectors: { frame: string; tones: string }[] }>('code.json').vectors
    const tonesOf = new Map(codes.map(({ frame, tones }) => [frame, tones]))
    expect(run(days.map(({ fields }) => ({ fields })))).toEqual(
      days.map(({ frame }) => ({ frame, tones: tonesOf.get(frame) })),
    )
    expect(run(codes.map(({ frame }) => ({ frame })))).toEqual(
      codes.map(({ frame, tones }) => ({ frame, tones })),
    )
  })

  test('the second encoder rejects the days that the vectors call invalid', () => {
    const { vectors } = readVectors<{ vectors: { fields: WrittenFields; code: string }[] }>(
      'invalid-fields.json',
    )
    expect(run(vectors.map(({ fields }) => ({ fields })))).toEqual(
      vectors.map(({ code }) => ({ error: code })),
    )
  })

  inFull('the second encoder produces our tone list for any frame', () => {
    const frames = fc.sample(fc.uint8Array({ minLength: 106, maxLength: 106 }), {
      numRuns: 40,
      seed: 1,
    })
    expect(run(frames.map((frame) => ({ frame: toHex(frame) })))).toEqual(
      frames.map((frame) => ({ frame: toHex(frame), tones: toHex(encodeTones(frame)) })),
    )
  })
})
