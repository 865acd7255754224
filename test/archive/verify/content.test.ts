// The text and the record of a message, compared with the leaf that its receipt states.
// Rules: COMMANDS.md 3.2.
import { describe, expect, test } from 'vitest'
import { stringifyJson } from '../../../archive/base/json.ts'
import { sha256Of } from '../../../archive/format/hash.ts'
import { messageLeafData, type RecordedMessage } from '../../../archive/log/sealed-records.ts'
import { type ContentFiles, checkContent } from '../../../archive/verify/content.ts'

const DAY = '2026-11-19'
const AT = `${DAY}T08:00:00.000Z`
/** The first id that a double cannot hold. */
const LARGE_ID = 2n ** 53n + 1n

const recorded = (id: bigint, text: string): RecordedMessage => ({
  id,
  directory: 'garden',
  bodyHash: sha256Of(Buffer.from(text)),
  receivedAt: AT,
  publishAt: AT,
  authorLabel: 'Ada',
  entry: null,
  salt: '000102030405060708090a0b0c0d0e0f',
})
const plainLeaf = messageLeafData(recorded(5n, 'five'))
const links = [{ message_id: LARGE_ID - 1n, relation: 'extends' }]
const entryLeaf = messageLeafData({
  ...recorded(LARGE_ID, 'eight'),
  entry: {
    investigationId: 1n,
    kind: 'attempt',
    title: null,
    sources: '[]',
    links: stringifyJson(links),
  },
})

/** What both records have. */
const common = (text: string) => ({
  body: text,
  body_hash: sha256Of(Buffer.from(text)),
  author_label: 'Ada',
  received_at: AT,
  publish_at: AT,
})
const record = { id: 5n, directory: 'garden', ...common('five') }
/** The contribution as in its investigation. */
const entry = {
  ...{ message_id: LARGE_ID, investigation_id: 1n, kind: 'attempt', ...common('eight') },
  ...{ sources: [], links },
}

const bytes = (value: unknown) => Buffer.from(stringifyJson(value))
/** The steps that succeed, or the reason for which one fails. */
function checked(files: ContentFiles, leaf = plainLeaf): string[] {
  const steps: string[] = []
  try {
    checkContent(files, leaf, (step, message) => steps.push(`${step}: ${message}`))
    return steps
  } catch (error) {
    return [(error as Error).message]
  }
}

describe('a text and a record', () => {
  test('of the message give its leaf', () => {
    expect(checked({ message: bytes(record), text: Buffer.from('five') })).toEqual([
      `text: has the hash ${record.body_hash}`,
      'message: message 5 gives the leaf',
    ])
  })

  test('may have properties that the verifier does not know', () => {
    expect(checked({ message: bytes({ ...record, mood: { is: 'cheerful' } }) })).toHaveLength(1)
  })

  test.each<[string, ContentFiles, RegExp]>([
    ['another text', { text: Buffer.from('six') }, /^the text does not have the hash/],
    ['another label', { message: bytes({ ...record, author_label: 'Eve' }) }, /not give the leaf/],
    ['another body', { message: bytes({ ...record, body: 'six' }) }, /not have its body_hash/],
    ['an id that is no number', { message: bytes({ ...record, id: 'five' }) }, /no integer as id/],
    [
      'further lines in its directory',
      { message: bytes({ ...record, directory: plainLeaf.split('\n').slice(2, 8).join('\n') }) },
      /not give the leaf/,
    ],
    ['no JSON', { message: Buffer.from('{') }, /is not a JSON object/],
  ])('with %s is refuted', (_, files, message) => {
    expect(checked(files)).toEqual([expect.stringMatching(message)])
  })
})

describe('the record of a contribution', () => {
  test('gives the whole leaf, whatever the id', () => {
    expect(checked({ message: bytes(entry) }, entryLeaf)).toEqual([
      `message: message ${LARGE_ID} gives the leaf`,
    ])
  })

  test.each([{ kind: 'result' }, { links: [] }, { investigation_id: 2n }])(
    'with %o is refuted',
    (change) => {
      expect(checked({ message: bytes({ ...entry, ...change }) }, entryLeaf)).toEqual([
        'the record of the message does not give the leaf',
      ])
    },
  )

  test('as a plain message gives all but the entry, and the step says so', () => {
    const plain = { id: LARGE_ID, directory: 'garden', ...common('eight') }
    expect(checked({ message: bytes(plain) }, entryLeaf)).toEqual([
      `message: message ${LARGE_ID} gives the leaf; its entry is not in the record and was not compared`,
    ])
  })
})
