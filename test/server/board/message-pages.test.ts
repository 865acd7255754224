// Pages assembled from caches equal the pages read from the database (API.md 4.3, 8.1).
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { stringifyJson } from '../../../archive/format/json.ts'
import { directoryCreation, messageCreation } from '../../../server/board/creations.ts'
import { MessagePages } from '../../../server/board/message-pages.ts'
import { listMessages } from '../../../server/board/queries.ts'
import type { PageText } from '../../../server/board/record-text.ts'
import { moderate } from '../../../server/moderation/queries.ts'
import { publishAt } from '../../../server/publishing/batch.ts'
import { draftOf } from '../../../server/publishing/creation.ts'
import { openStore, type Store, StoreUnavailable } from '../../../server/store/database.ts'
import { system } from '../../../server/system.ts'
import { databaseIn, ON_POSTGRES, openStoreIn } from '../../support/database.ts'

const notBroken = (error: unknown) => expect.unreachable(String(error))

let dir: string
let store: Store
/** Another process on the same database. */
let other: Store
let pages: MessagePages
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'pages-'))
  store = await openStoreIn(dir)
  other = await openStore(await databaseIn(dir), { clock: system.clock, create: false })
  pages = new MessagePages(store, notBroken)
  for (const name of ['lab', 'yard'])
    await store.write((tx) =>
      publishAt(tx, draftOf(directoryCreation, { path: name, author_label: '' }), 0),
    )
  for (let i = 0; i < 7; i++)
    await say(other, `"${i}" \n ä \u{1f41b} \ufeff`, i % 2 ? 'lab' : 'yard')
})
afterEach(async () => {
  await store.close()
  await other.close()
  rmSync(dir, { recursive: true })
})

const say = (at: Store, body: string, directory = 'lab') =>
  at.write((tx) =>
    publishAt(tx, draftOf(messageCreation, { directory, body, author_label: 'Ada' }), 1e12),
  )

/** Publishes the messages 8 to 180 in one transaction. Some of them are long. */
const sayMany = () =>
  other.write(async (tx) => {
    for (let id = 8; id <= 180; id++) {
      const isLong = id >= 70 && id < 75
      const [directory, body] = [id % 3 ? 'lab' : 'yard', `ä${id}`.repeat(isLong ? 3_000 : 1)]
      await publishAt(tx, draftOf(messageCreation, { directory, body, author_label: '' }), 1e12)
    }
  })

const moderateDirectory = (act: 'hide' | 'show', path: string) =>
  other.write((tx) => moderate(tx, { act, kind: 'directory', path, reason: 'r' }, 0))

const moderateMessage = (act: 'hide' | 'show', id: bigint) =>
  other.write((tx) => moderate(tx, { act, kind: 'message', id, reason: 'r' }, 0))

async function expectedAt(after: bigint, limit: number): Promise<string> {
  const { hasMore: _, ...page } = await listMessages(store.db, { after, limit })
  return stringifyJson(page)
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

/** Requests each page three times: the first time it is assembled, later it may come from a cache. */
async function expectAllCurrent(cursors = CURSORS): Promise<void> {
  for (let round = 0; round < 3; round++)
    for (const [after, limit] of cursors)
      expect(await textOf((await pages.page({ after, limit })).body)).toBe(
        await expectedAt(after, limit),
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
  await say(store, 'latest')
  await expectAllCurrent()
})

test('no record in memory outlives an operator action', async () => {
  await expectAllCurrent()
  await moderateMessage('hide', 2n)
  // An erased text never becomes visible again. Here it does, to tell a record in memory from one in the database.
  await other.write((tx) =>
    tx.updateTable('messages').set({ body: '' }).where('id', '=', 3n).execute(),
  )
  await expectAllCurrent()
})

test('pages assembled from blocks equal those of the database, whatever is published, hidden or shown', async () => {
  await sayMany()
  const cursors = [0n, 14n, 15n, 40n, 63n, 90n, 180n].flatMap((after) =>
    [1, 41, 100].map((limit): [bigint, number] => [after, limit]),
  )
  await expectAllCurrent(cursors)
  await moderateMessage('hide', 16n)
  await expectAllCurrent(cursors)
  await moderateDirectory('hide', 'yard')
  await expectAllCurrent(cursors)
  await moderateMessage('show', 16n)
  await moderateDirectory('show', 'yard')
  await say(other, 'later')
  await expectAllCurrent(cursors)
})

test('a full page of messages that are in memory queries only the version of the database', async () => {
  await sayMany()
  await pages.page({ after: 0n, limit: 50 })
  const [read, query] = [vi.spyOn(store, 'read'), vi.spyOn(store.db, 'executeQuery')]
  const { body } = await pages.page({ after: 3n, limit: 41 })
  expect([read, query].map((spy) => spy.mock.calls.length)).toEqual([0, 0])
  vi.restoreAllMocks()
  expect(await textOf(body)).toBe(await expectedAt(3n, 41))
})

test('a page is consistent even if a directory is hidden while half of its blocks are in memory', async () => {
  await sayMany()
  const beforeRead = vi.fn(async () => {})
  const version = async () => {
    const before = await store.version()
    await beforeRead()
    return before
  }
  const late = new MessagePages({ ...store, version }, notBroken)
  await late.page({ after: 0n, limit: 16 })
  beforeRead.mockImplementationOnce(async () => {
    await moderateDirectory('hide', 'yard')
  })
  const { body } = await late.page({ after: 0n, limit: 41 })
  expect(await textOf(body)).toBe(await expectedAt(0n, 41))
})

async function textOf(body: PageText['body']): Promise<string> {
  if (body instanceof Uint8Array) return Buffer.from(body).toString()
  if ('parts' in body) return Buffer.concat(body.parts, body.length).toString()
  let text = ''
  for await (const piece of body.chunks()) text += piece
  expect(Buffer.byteLength(text)).toBe(body.length)
  return text
}

test('a page of long messages is the JSON of its records, cached or not', async () => {
  const long = (i: number) => `${i} ä\u{1f41b}" `.repeat(1_500).slice(0, 12_000)
  for (let i = 0; i < 40; i++) await say(other, long(i))
  const request = { after: 3n, limit: 100 }
  const expected = await expectedAt(3n, 100)
  const fresh = new MessagePages(store, notBroken)
  for (let round = 0; round < 2; round++) {
    const { body } = await fresh.page(request)
    expect(body).not.toBeInstanceOf(Uint8Array)
    expect(await textOf(body)).toBe(expected)
  }
})

test('equal pages have equal ETags, and different pages have different ones', async () => {
  const tagOf = async (limit: number) => (await pages.page({ after: 0n, limit })).etag
  const [whole, first] = [await tagOf(50), await tagOf(1)]
  expect(whole).toMatch(/^"[\w-]+"$/)
  expect(first).not.toBe(whole)
  await moderateMessage('hide', 3n)
  const without = await tagOf(50)
  expect(without).not.toBe(whole)
  await moderateMessage('show', 3n)
  expect([await tagOf(50), await tagOf(7)]).toEqual([whole, whole])
  expect((await new MessagePages(other, notBroken).page({ after: 0n, limit: 50 })).etag).toBe(whole)
})

test('the directory filter is checked each time, since a directory can be hidden', async () => {
  const page = () => pages.page({ after: 0n, limit: 3 }, 'lab')
  for (let i = 0; i < 3; i++)
    expect(await textOf((await page()).body)).toContain('"directory":"lab"')
  await moderateDirectory('hide', 'lab')
  await expect(page()).rejects.toMatchObject({ code: 'directory_not_found' })
})

test.each(['*', '', 'undefined', 'all'])(
  'a cached page of all messages is not returned for the directory %j',
  async (path) => {
    const request = { after: 0n, limit: 50 }
    for (let i = 0; i < 3; i++) await pages.page(request)
    await expect(pages.page(request, path)).rejects.toMatchObject({
      code: path === '*' ? 'invalid_directory' : 'directory_not_found',
    })
  },
)

// PostgreSQL does not allow deleting a row that others reference.
test.skipIf(ON_POSTGRES)(
  'a listed message that is missing from a damaged database makes the storage unavailable',
  async () => {
    const damaged = new DatabaseSync(join(dir, 'daysignal.sqlite'), {
      enableForeignKeyConstraints: false,
    })
    damaged.exec("delete from directories where path = 'yard'")
    damaged.close()
    await expect(pages.page({ after: 0n, limit: 50 })).rejects.toThrow(StoreUnavailable)
  },
)
