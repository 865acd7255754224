// The leaves of days and messages, and the log file, records and checkpoints built on them.
// Rules: FORMAT.md 17.1-17.3, 18.2-18.4, 20.1-20.2.
import { createHash, generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { checkpointText, openCheckpoint } from '../../../archive/log/checkpoint.ts'
import { dayLeafData, logBytes, newestLeaves, parseLog } from '../../../archive/log/days.ts'
import { isKeyName, signNote, verifierOf } from '../../../archive/log/note.ts'
import {
  DayLeaves,
  messageLeaf,
  messageLeafData,
  sealedRecordsOf,
} from '../../../archive/log/sealed-records.ts'
import { rootOf } from '../../../archive/log/tree.ts'

const A = 'a'.repeat(64)
const B = 'b'.repeat(64)
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

test('the leaf of a day is the day and the hash of its manifest, one per line', () => {
  expect(Buffer.from(dayLeafData({ day: '2026-11-19', sha256: A })).toString()).toBe(
    `daysignal-day-v1\n2026-11-19\n${A}\n`,
  )
})

test('a log survives a round trip through its bytes', () => {
  const entries = [
    { day: '2026-11-19', sha256: A },
    { day: '2026-11-18', sha256: A },
    { day: '2026-11-19', sha256: B },
  ]
  expect(parseLog(logBytes(entries))).toEqual(entries)
  expect(parseLog(logBytes([]))).toEqual([])
  expect(newestLeaves(entries).get('2026-11-19')).toEqual({ ...entries[2], index: 2 })
})

test.each([
  ['no line break at the end', `2026-11-19 ${A}`],
  ['two spaces', `2026-11-19  ${A}\n`],
  ['capitals', `2026-11-19 ${A.toUpperCase()}\n`],
  ['a date that does not exist', `2026-02-30 ${A}\n`],
  ['an empty line', `2026-11-19 ${A}\n\n`],
  ['CR LF', `2026-11-19 ${A}\r\n`],
])('the parser rejects a log with %s', (_, text) => {
  expect(() => parseLog(Buffer.from(text))).toThrow(
    expect.objectContaining({ code: 'invalid_log' }),
  )
})

const plain = {
  id: 7n,
  directory: 'garden/frost',
  bodyHash: A,
  receivedAt: '2026-11-19T08:00:00.000Z',
  publishAt: '2026-11-19T08:00:01.000Z',
  authorLabel: 'Ada',
  entry: null,
  salt: '00112233445566778899aabbccddeeff',
}

test('the leaf of a message has a line for each of its fields', () => {
  expect(messageLeafData(plain)).toBe(
    `daysignal-message-v1\n7\ngarden/frost\n${A}\n2026-11-19T08:00:00.000Z\n2026-11-19T08:00:01.000Z\n${sha256('Ada')}\n${sha256('')}\n${plain.salt}\n`,
  )
})

test('the leaf of a question or contribution contains the hash of its entry as compact JSON', () => {
  const entry = {
    investigationId: 3n,
    kind: 'question',
    title: 'Why "thaw"?',
    sources: '[{"title":"Log"}]',
    links: '[]',
  }
  const text =
    '{"investigation_id":3,"kind":"question","title":"Why \\"thaw\\"?","sources":[{"title":"Log"}],"links":[]}'
  expect(messageLeafData({ ...plain, entry }).split('\n')[7]).toBe(sha256(text))
  const other = text.replace('"Why \\"thaw\\"?"', 'null').replace('question', 'result')
  expect(
    messageLeafData({ ...plain, entry: { ...entry, kind: 'result', title: null } }).split('\n')[7],
  ).toBe(sha256(other))
})

test('the records of a day contain their count, first and last id, and the root, sorted by id', () => {
  const day = new DayLeaves()
  expect(sealedRecordsOf(day.sorted())).toEqual({
    count: '0',
    first_message_id: null,
    last_message_id: null,
    root: sha256(''),
  })
  const other = { ...plain, id: 10n }
  for (const message of [other, plain, other]) day.add(message)
  expect(sealedRecordsOf(day.sorted())).toEqual({
    count: '2',
    first_message_id: '7',
    last_message_id: '10',
    root: Buffer.from(rootOf([plain, other].map(messageLeaf))).toString('hex'),
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
