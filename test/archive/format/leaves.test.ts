// The text of `<day>.leaves`: the vectors of archive/vectors, read whole and in pieces.
// Rules: FORMAT.md 22.1.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { boundOf } from '../../../archive/format/bounds.ts'
import {
  LEAF_LINE_BYTES,
  leavesBytes,
  parseLeaves,
  readLeaves,
} from '../../../archive/format/leaves.ts'
import { contentTypeOf, leavesKey, leavesUrl, receiptUrl } from '../../../archive/format/paths.ts'
import { rootOf } from '../../../archive/log/tree.ts'
import { readVectors } from '../vector-files.ts'

const vectors = readVectors<{
  accepted: { text: string; count: number; root: string }[]
  refused: { why: string; line: number; text: string }[]
}>('day-leaves.json')

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** Reads a text in chunks of these sizes, the last of which is repeated. All are in one buffer, as a stream may do it. */
async function readInChunks(text: string, sizes: readonly number[]): Promise<Uint8Array[]> {
  const bytes = Buffer.from(text)
  const buffer = Buffer.alloc(Math.max(...sizes))
  async function* chunks() {
    for (let at = 0, i = 0; at < bytes.length; i += 1) {
      const size = sizes[Math.min(i, sizes.length - 1)] as number
      yield buffer.subarray(0, bytes.copy(buffer, 0, at, at + size))
      at += size
    }
  }
  return Array.fromAsync(readLeaves(chunks()))
}

const anySizes = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 20 })

describe('the vectors', () => {
  test.each(vectors.accepted)('$count leaves have their root and are written again', (vector) => {
    const leaves = parseLeaves(Buffer.from(vector.text))
    expect(leaves.count).toBe(vector.count)
    expect(hex(rootOf([...leaves]))).toBe(vector.root)
    expect(Buffer.from(leavesBytes([...leaves])).toString()).toBe(vector.text)
    expect(vector.text).toHaveLength(vector.count * LEAF_LINE_BYTES)
  })

  test.each(vectors.refused)('a text is rejected with its line: $why', ({ text, line }) => {
    const message = expect.stringMatching(`^line ${line} is not 64 lower-case`)
    expect(() => parseLeaves(Buffer.from(text))).toThrow(
      expect.objectContaining({ code: 'leaves_differ', message }),
    )
  })

  test('a text in pieces of any size is read as a whole one is', async () => {
    const outcome = async (read: () => Promise<Uint8Array[]> | Uint8Array[]) => {
      try {
        return (await read()).map(hex)
      } catch (error) {
        return String(error)
      }
    }
    const cases = [...vectors.accepted, ...vectors.refused]
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...cases), anySizes, async ({ text }, sizes) => {
        const whole = await outcome(() => [...parseLeaves(Buffer.from(text))])
        expect(await outcome(() => readInChunks(text, sizes))).toEqual(whole)
      }),
      { seed: 1 },
    )
  })
})

test('the leaves of a day are a text of at most 1 GiB next to its other files', () => {
  expect(leavesKey('2026-11-19')).toBe('2026-11-19/2026-11-19.leaves')
  expect(leavesUrl('2026-11-19')).toBe('/transmissions/2026-11-19.leaves')
  expect(receiptUrl(3n)).toBe('/messages/3.receipt')
  expect(contentTypeOf(leavesKey('2026-11-19'))).toBe('text/plain; charset=utf-8')
  expect(boundOf(leavesKey('2026-11-19'))).toBe(2 ** 30)
})
