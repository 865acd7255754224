// Receipts: the vectors of archive/vectors, the note that a log signs, and properties of the reader.
// Rules: FORMAT.md 23.1-23.2.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseCheckpoint } from '../../../archive/log/checkpoint.ts'
import { parseVkey } from '../../../archive/log/note.ts'
import {
  openReceipt,
  parseMessageLeaf,
  parseReceipt,
  parseReceiptText,
  receiptText,
  signReceipt,
} from '../../../archive/log/receipt.ts'
import { LEAF_LINES, RECEIPT_TEXT, textOf } from '../../fixtures/vectors/receipt-text.ts'
import { ORIGIN, testKey, vkeyOf } from '../signing.ts'
import { readVectors } from '../vector-files.ts'

interface Vector {
  why: string
  known: string[]
  note: string
}

const vectors = readVectors<{
  accepted: (Vector & { origin: string; id: string; day: string; leaf: string })[]
  refused: (Vector & { code: string })[]
}>('receipt.json')
const open = ({ note, known }: Vector) => openReceipt(Buffer.from(note), known.map(parseVkey))

describe('the vectors', () => {
  test.each(vectors.accepted)('a receipt is accepted and written again: $why', (vector) => {
    const { origin, leafData, message, verified } = open(vector)
    expect({ origin, leafData }).toEqual({ origin: vector.origin, leafData: vector.leaf })
    expect([String(message.id), message.day]).toEqual([vector.id, vector.day])
    expect(verified).toHaveLength(1)
    expect(vector.note.startsWith(`${receiptText({ origin, leafData })}\n— `)).toBe(true)
  })

  test.each(vectors.accepted)('the reader of checkpoints rejects a receipt: $why', ({ note }) => {
    expect(() => parseCheckpoint(Buffer.from(note))).toThrow(
      expect.objectContaining({ code: 'invalid_checkpoint', message: 'is a receipt' }),
    )
  })

  test.each(vectors.refused)('a receipt is rejected: $why', (vector) => {
    expect(() => open(vector)).toThrow(expect.objectContaining({ code: vector.code }))
  })
})

const LEAF = textOf(LEAF_LINES)

test('a receipt that a log signs is read by those who know its key, and is the same each time', () => {
  const receipt = { origin: ORIGIN, leafData: LEAF }
  const note = signReceipt(receipt, testKey(1))
  expect(signReceipt(receipt, testKey(1))).toBe(note)
  const read = openReceipt(Buffer.from(note), [parseVkey(vkeyOf(1))])
  expect(read).toMatchObject({ ...receipt, message: parseMessageLeaf(LEAF) })
})

test('a receipt that is not UTF-8 is rejected', () => {
  const note = Buffer.from(signReceipt({ origin: ORIGIN, leafData: LEAF }, testKey(1)), 'latin1')
  note[0] = 0xff
  expect(() => parseReceipt(note)).toThrow(expect.objectContaining({ code: 'invalid_note' }))
})

test('a text with one character changed is rejected, or read as the receipt that it then is', () => {
  const change = fc.tuple(fc.nat(RECEIPT_TEXT.length - 1), fc.constantFrom(...'\n0aA-é '))
  fc.assert(
    fc.property(change, ([at, character]) => {
      const text = RECEIPT_TEXT.slice(0, at) + character + RECEIPT_TEXT.slice(at + 1)
      try {
        expect(receiptText(parseReceiptText(text))).toBe(text)
      } catch (error) {
        expect(error).toMatchObject({ code: 'invalid_receipt' })
      }
    }),
    { numRuns: 2000, seed: 1 },
  )
})
