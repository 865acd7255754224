// Compares our log and records with an independent implementation, written in Python from FORMAT.md alone.
// Rules: FORMAT.md 15.1-15.3, 16.2-16.4, 18.1-18.2.
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dayOf, dayStart } from '../../../archive/format/calendar.ts'
import { checkpointText } from '../../../archive/log/checkpoint.ts'
import { dayLeaf, type LogEntry, logBytes } from '../../../archive/log/days.ts'
import {
  messageLeaf,
  messageLeafData,
  type RecordedMessage,
  sealedRecordsWith,
} from '../../../archive/log/sealed-records.ts'
import { rootOf } from '../../../archive/log/tree.ts'
import { askPython, findProgram } from '../../support/programs.ts'
import { ORIGIN } from '../signing.ts'

const python = findProgram('python3')
const script = new URL('second-log.py', import.meta.url)
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

const ask = (questions: object[]): unknown[] => askPython(script, questions)

interface Written {
  id: number
  directory: string
  body: string
  received_at: string
  publish_at: string
  author_label: string
  entry: Record<string, unknown> | null
  salt: string
}

const entry = fc.record({
  investigation_id: fc.integer({ min: 1, max: 1000 }),
  kind: fc.constantFrom('question', 'result'),
  title: fc.option(fc.string({ unit: 'grapheme' })),
  sources: fc.array(
    fc.record({ url: fc.webUrl(), note: fc.string({ unit: 'grapheme', maxLength: 20 }) }),
    { maxLength: 3 },
  ),
  links: fc.array(
    fc.record({ message_id: fc.nat(), relation: fc.constantFrom('supports', 'answers') }),
    { maxLength: 3 },
  ),
})
const instant = fc
  .integer({ min: 0, max: 86_399_999 })
  .map((ms) => new Date(dayStart('2026-11-19') + ms).toISOString())
const message: fc.Arbitrary<Omit<Written, 'id'>> = fc.record({
  directory: fc.constantFrom('garden', 'garden/frost', 'zürich'),
  body: fc.string({ unit: 'grapheme' }),
  received_at: instant,
  publish_at: instant,
  author_label: fc.string({ unit: 'grapheme', maxLength: 10 }),
  entry: fc.option(entry),
  salt: fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 32, maxLength: 32 }),
})

function recorded({ id, directory, body, entry, ...rest }: Written): RecordedMessage {
  return {
    id: BigInt(id),
    directory,
    bodyHash: sha256(body),
    receivedAt: rest.received_at,
    publishAt: rest.publish_at,
    authorLabel: rest.author_label,
    entry: entry && {
      investigationId: BigInt(entry.investigation_id as number),
      kind: entry.kind as string,
      title: entry.title as string | null,
      sources: JSON.stringify(entry.sources),
      links: JSON.stringify(entry.links),
    },
    salt: rest.salt,
  }
}

describe.skipIf(python === undefined)('the second implementation', () => {
  test('the second implementation computes our leaves, roots and checkpoints of days', () => {
    const entries: LogEntry[] = Array.from({ length: 40 }, (_, i) => ({
      day: dayOf(dayStart('2026-10-01') + i * 86_400_000),
      sha256: sha256(String(i)),
    }))
    const cases = entries.map((_, i) => ({
      part: entries.slice(0, i + 1),
      index: (i * 7) % (i + 1),
    }))
    const answers = ask(
      cases.map(({ part, index }) => ({
        log: Buffer.from(logBytes(part)).toString(),
        origin: ORIGIN,
        index,
      })),
    )
    const ours = cases.map(({ part, index }) => {
      const leaves = part.map(dayLeaf)
      const root = rootOf(leaves)
      return {
        leaf: hex(leaves[index]!),
        root: hex(root),
        checkpoint: checkpointText({ origin: ORIGIN, size: part.length, root }),
      }
    })
    expect(answers).toEqual(ours)
  })

  test('the second implementation computes our leaves and records of messages', () => {
    const days = fc.sample(fc.array(message, { maxLength: 9 }), { numRuns: 40, seed: 11 })
    const cases = days.map((day) => day.map((one, i) => ({ id: i * i + 1, ...one })))
    const answers = ask(cases.map((messages) => ({ messages })))
    const ours = cases.map((messages) => {
      const leaves = messages.map(recorded)
      const ids = leaves.map(({ id }) => id)
      const records = sealedRecordsWith(ids, rootOf(leaves.map(messageLeaf)))
      return { leaves: leaves.map(messageLeafData), records }
    })
    expect(answers).toEqual(ours)
  })
})
