// Pages of messages as JSON: their bytes, their ETags, and pages too long to hold in memory (API.md 2.5, 4.3).
// Rules: COMMANDS.md 6.4.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, test } from 'vitest'
import { stringifyJson } from '../../../archive/base/json.ts'
import { type MessagePage, messagePage } from '../../../server/board/message-pages.ts'
import { asMessage, messagesAfter } from '../../../server/board/queries.ts'
import type { Database } from '../../../server/database/database.ts'
import { DatabaseUnavailable } from '../../../server/database/errors.ts'
import { moderate } from '../../../server/moderation/queries.ts'
import { databaseIn, ON_POSTGRES, openDatabaseIn, openExisting } from '../../support/database.ts'
import { publisherIn } from '../../support/publish.ts'
import { temporaryFolder } from '../../support/release.ts'

let dir: string
let database: Database
/** Another process on the same database. */
let other: Database
beforeEach(async () => {
  dir = temporaryFolder()
  database = await openDatabaseIn(dir)
  other = await openExisting(await databaseIn(dir))
  for (const name of ['lab', 'yard']) await publisherIn(database).directory(name)
  for (let i = 0; i < 7; i++)
    await say(other, `"${i}" \n ä \u{1f41b} \ufeff`, i % 2 ? 'lab' : 'yard')
})

const say = (at: Database, body: string, directory = 'lab') =>
  publisherIn(at).message(directory, 1e12, body, 'Ada')

const moderateMessage = (act: 'hide' | 'show', id: bigint) =>
  other.write((tx) => moderate(tx, { act, kind: 'message', id, reason: 'r' }, 0))

const pageAt = (after: bigint, limit: number, path?: string) =>
  messagePage(database.db, { after, limit }, path)

/** The page as API.md 4.3 describes it, made from all visible messages. */
async function expectedAt(after: bigint, limit: number, path?: string): Promise<string> {
  const all = (await messagesAfter(database.db, { after: 0n, limit: 1_000 })).map(asMessage)
  const messages = all
    .filter(({ id, directory }) => id > after && (path === undefined || directory === path))
    .slice(0, limit)
  return stringifyJson({ messages, next_cursor: messages.at(-1)?.id ?? after })
}

async function textOf(body: MessagePage['body']): Promise<string> {
  if (body instanceof Uint8Array) return Buffer.from(body).toString()
  let text = ''
  for await (const piece of body.chunks()) text += piece
  expect(Buffer.byteLength(text)).toBe(body.length)
  return text
}

const CURSORS: [after: bigint, limit: number][] = [
  [0n, 3],
  [0n, 7],
  [0n, 50],
  [3n, 4],
  [5n, 1],
  [7n, 50],
  [9223372036854775807n, 50],
]

async function expectAllCurrent(): Promise<void> {
  for (const [after, limit] of CURSORS)
    for (const path of [undefined, 'lab', 'yard'])
      expect(await textOf((await pageAt(after, limit, path)).body)).toBe(
        await expectedAt(after, limit, path),
      )
}

test('a page is the JSON of its records, before and after publications and moderation', async () => {
  await expectAllCurrent()
  await say(other, 'later')
  await expectAllCurrent()
  await moderateMessage('hide', 2n)
  await expectAllCurrent()
  await moderateMessage('show', 2n)
  await moderateMessage('hide', 7n)
  await expectAllCurrent()
  await say(database, 'latest')
  await expectAllCurrent()
})

test('a page of long messages is the JSON of its records, which are read again while it is sent', async () => {
  const long = (i: number) => `${i} ä\u{1f41b}" `.repeat(1_500).slice(0, 12_000)
  for (let i = 0; i < 40; i++) await say(other, long(i))
  const { body } = await pageAt(3n, 100)
  expect(body).not.toBeInstanceOf(Uint8Array)
  expect(await textOf(body)).toBe(await expectedAt(3n, 100))
})

test('a long page whose text is erased while it is sent fails instead of ending early', async () => {
  for (let i = 0; i < 20; i++) await say(other, 'x'.repeat(16_000))
  const { body } = await pageAt(7n, 20)
  await other.write((tx) =>
    tx.updateTable('messages').set({ body: '' }).where('id', '=', 20n).execute(),
  )
  await expect(textOf(body)).rejects.toThrow('a message changed while its page was being sent')
})

test('equal pages have equal ETags, and different pages have different ones', async () => {
  const tagOf = async (after: bigint, limit: number, path?: string) =>
    (await pageAt(after, limit, path)).etag
  const whole = await tagOf(0n, 50)
  expect(whole).toMatch(/^"[\w-]+"$/)
  expect([await tagOf(0n, 50), await tagOf(0n, 7)]).toEqual([whole, whole])
  const tags = [whole, await tagOf(0n, 1), await tagOf(1n, 50), await tagOf(0n, 50, 'lab')]
  tags.push(await tagOf(7n, 50), await tagOf(8n, 50))
  await moderateMessage('hide', 3n)
  tags.push(await tagOf(0n, 50))
  expect(new Set(tags).size).toBe(tags.length)
  const elsewhere = await messagePage(other.db, { after: 0n, limit: 50 }, undefined)
  expect(elsewhere.etag).toBe(tags.at(-1))
})

// PostgreSQL does not allow deleting a row that others reference.
test.skipIf(ON_POSTGRES)('a message without its directory: storage unavailable', async () => {
  const damaged = new DatabaseSync(join(dir, 'daysignal.sqlite'), {
    enableForeignKeyConstraints: false,
  })
  damaged.exec("delete from directories where path = 'yard'")
  damaged.close()
  await expect(pageAt(0n, 50)).rejects.toThrow(DatabaseUnavailable)
})
