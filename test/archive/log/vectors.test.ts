// Runs the vectors of archive/vectors, accepted and refused, through archive/log; the names of keys, and which of them open a
// checkpoint.
// Rules: FORMAT.md 15.1-15.3, 16.1-16.4, 21.1-21.2.

import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { sha256Of } from '../../../archive/format/hash.ts'
import { parseManifest } from '../../../archive/format/manifest.ts'
import {
  checkpointText,
  openCheckpoint,
  parseCheckpoint,
  parseCheckpointText,
} from '../../../archive/log/checkpoint.ts'
import { dayLeaf, logBytes, parseLog } from '../../../archive/log/days.ts'
import {
  formatVkey,
  isKeyName,
  openNote,
  parseVkey,
  signNote,
  verifierOf,
} from '../../../archive/log/note.ts'
import { leafHash, rootOf } from '../../../archive/log/tree.ts'
import { faultInLeaves } from '../../../archive/log/upgrade.ts'
import { ARCHIVE_VECTOR_FILES } from '../../fixtures/vectors/archive-files.ts'
import { readVectors, vectorText } from '../vector-files.ts'

const bytesOf = (text: string) => Buffer.from(text)
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const fromHex = (digits: string) => Buffer.from(digits, 'hex')
const leaf = (index: number) => leafHash(bytesOf(String(index)))
const leaves = (count: number) => Array.from({ length: count }, (_, i) => leaf(i))

test.each(Object.entries(ARCHIVE_VECTOR_FILES))('%s is what is generated', (name, make) => {
  expect(vectorText(name)).toBe(make())
})

const { roots } = readVectors<{ roots: string[] }>('tree.json')

test('each tree has the root of the vectors', () => {
  expect(roots).toHaveLength(41)
  expect(roots.map((_, size) => hex(rootOf(leaves(size))))).toEqual(roots)
})

describe('the log of days', () => {
  type Vector = { why: string; text: string; leaves: number; root: string }
  const vectors = readVectors<{ accepted: Vector[]; refused: Vector[] }>('log.json')

  test.each(vectors.accepted)('a log is parsed and written: $why', ({ text, leaves, root }) => {
    const entries = parseLog(bytesOf(text))
    expect(entries).toHaveLength(leaves)
    expect(hex(rootOf(entries.map(dayLeaf)))).toBe(root)
    expect(String(logBytes(entries))).toBe(text)
  })

  test.each(vectors.refused)('a log is rejected: $why', ({ text }) => {
    expect(() => parseLog(bytesOf(text))).toThrow(expect.objectContaining({ code: 'invalid_log' }))
  })
})

describe('leaves of a day', () => {
  type Vector = { why: string; manifest: string; leaves: string[]; between: [number, number] }
  const vectors = readVectors<{ accepted: Vector[]; refused: Vector[] }>('leaves.json')
  /** The leaves are every other line of the log. */
  const faultIn = ({ manifest, leaves }: Vector) =>
    faultInLeaves(
      parseManifest(bytesOf(manifest)),
      leaves.map((sha256, i) => ({ day: '2026-11-19', sha256, index: 2 * i })),
    )

  test.each(vectors.accepted)('each leaf is an upgrade of the one before: $why', (vector) => {
    expect(vector.leaves.at(-1)).toBe(sha256Of(bytesOf(vector.manifest)))
    expect(faultIn(vector)).toBeNull()
  })

  test.each(vectors.refused)('two leaves are rejected with their lines: $why', (vector) => {
    const [earlier, later] = vector.between.map((index) => 2 * index + 1)
    expect(faultIn(vector)).toContain(`lines ${earlier} and ${later} of log name`)
  })
})

describe('signed notes', () => {
  type Vector = { why: string; known: string[]; note: string; code: string }
  const vectors = readVectors<{ accepted: Vector[]; refused: Vector[] }>('note.json')

  test.each(vectors.accepted)('a signed note is accepted: $why', ({ known, note }) => {
    const { text, verified } = openNote(bytesOf(note), known.map(parseVkey))
    expect(note.startsWith(`${text}\n— `)).toBe(true)
    expect(verified).toHaveLength(1)
    expect(known).toContain(formatVkey(verified[0]!))
  })

  test.each(vectors.refused)('a signed note is rejected: $why', ({ known, note, code }) => {
    expect(() => openNote(bytesOf(note), known.map(parseVkey))).toThrow(
      expect.objectContaining({ code }),
    )
  })

  test('a signed note that is not UTF-8 is rejected', () => {
    expect(() => openNote(Buffer.from([0xff, 0x0a, 0x0a]), [])).toThrow('is not UTF-8')
  })
})

describe('verifier keys', () => {
  const vectors = readVectors<{
    accepted: { vkey: string; name: string; id: string; public_key: string }[]
    refused: { why: string; vkey: string }[]
  }>('key.json')

  test.each(vectors.accepted)('$vkey is parsed and formatted', ({ vkey, name, id, public_key }) => {
    expect(parseVkey(vkey)).toEqual({ name, id, type: 1, material: fromHex(public_key) })
    expect(formatVkey(parseVkey(vkey))).toBe(vkey)
  })

  test.each(vectors.refused)('a verifier key is rejected: $why', ({ vkey }) => {
    expect(() => parseVkey(vkey)).toThrow(expect.objectContaining({ code: 'invalid_key' }))
  })
})

describe('checkpoints', () => {
  type Accepted = { text?: string; note?: string; origin: string; size: number; root: string }
  const vectors = readVectors<{ accepted: Accepted[]; refused: { why: string; text: string }[] }>(
    'checkpoint.json',
  )

  test.each(vectors.accepted)('$origin at $size is read', ({ text, note, origin, size, root }) => {
    const read = note ? parseCheckpoint(bytesOf(note)) : parseCheckpointText(text!)
    expect(read).toEqual({ origin, size, root: fromHex(root) })
    expect((note ?? text)!.startsWith(checkpointText(read))).toBe(true)
  })

  test.each(vectors.refused)('a checkpoint is rejected: $why', ({ text }) => {
    expect(() => parseCheckpointText(text)).toThrow(
      expect.objectContaining({ code: 'invalid_checkpoint' }),
    )
  })
})

test('a checkpoint is opened only with keys named after its origin', () => {
  const { privateKey } = generateKeyPairSync('ed25519')
  const head = { origin: 'a.example/log', size: 0, root: rootOf([]) }
  const own = { name: head.origin, privateKey }
  const witness = { name: 'witness.example', privateKey }
  const known = [own, witness].map(({ name }) => verifierOf(name, privateKey))
  const open = (...signers: (typeof own)[]) =>
    openCheckpoint(Buffer.from(signNote(checkpointText(head), signers)), known)
  expect(open(witness, own)).toEqual({ ...head, verified: [known[0]] })
  expect(() => open(witness)).toThrow(expect.objectContaining({ code: 'unknown_signer' }))
})

test('the name of a key has no white space, control characters or plus signs', () => {
  const names = ['a.example/log', 'localhost:3000/transmissions', 'zürich.example']
  expect(names.map(isKeyName)).toEqual([true, true, true])
  const wrong = ['', 'a b', 'a\u00a0b', 'a\u2003b', 'a\tb', 'a\u0085b', 'a+b', 'a\u007fb', '\ud800']
  expect(wrong.filter(isKeyName)).toEqual([])
})
