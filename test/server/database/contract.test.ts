// Tests of the database's contract, which run on SQLite and, in test:engines, on PostgreSQL.
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { inSavepoint } from '../../../server/data/counts.ts'
import type { Database } from '../../../server/database/database.ts'
import { isUnavailable } from '../../../server/database/errors.ts'
import { nextId } from '../../../server/database/records/sequences.ts'
import { columnsOf, TABLE_NAMES } from '../../../server/database/schema/schema.ts'
import { databaseIn, ON_POSTGRES, openDatabaseIn, openExisting } from '../../support/database.ts'
import { temporaryFolder } from '../../support/release.ts'

const MAX_ID = 9223372036854775807n

let dir: string
let database: Database
/** The same database, opened again, which the engine cannot tell from another process. */
let other: Database
beforeEach(async () => {
  dir = temporaryFolder()
  database = await openDatabaseIn(dir)
  other = await openExisting(await databaseIn(dir))
})

const set = (at: Database, name: string, value: string) =>
  at.write((tx) => tx.insertInto('settings').values({ name, value }).execute())

const settings = async (db: Pick<Database['db'], 'selectFrom'>) =>
  (await db.selectFrom('settings').select('name').orderBy('name').execute()).map(({ name }) => name)

/** Tables that only PostgreSQL has, and that no export contains. */
const INTERNAL = ['commits', 'leases']

/** The index of words, which is made from the messages. */
const INDEX = /^message_words/

test('the migrations create the tables and columns that are described, and no others', async () => {
  const tables = await database.db.introspection.getTables()
  const found = tables
    .filter(({ name }) => !INTERNAL.includes(name) && !INDEX.test(name))
    .map(({ name, columns }) => [name, columns.map((column) => column.name).sort()] as const)
  const described = TABLE_NAMES.map((name) => [name, columnsOf(name).sort()] as const)
  expect(new Map(found)).toEqual(new Map(described))
})

test('a write is visible to every process at once', async () => {
  await set(database, 'a', '1')
  expect(await settings(database.db)).toEqual(['a'])
  expect(await settings(other.db)).toEqual(['a'])
})

test('a write receives the clock of the database, if that is not the clock of this machine', async () => {
  const { databaseTime } = await database.write(async (_, opening) => opening)
  if (!ON_POSTGRES) return expect(databaseTime).toBeNull()
  const { rows } = await sql<{ at: bigint }>`
    select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as at`.execute(database.db)
  const [after] = rows.map(({ at }) => Number(at))
  const next = await database.write(async (_, opening) => opening.databaseTime)
  expect(databaseTime).toBeLessThanOrEqual(after as number)
  expect(next).toBeGreaterThanOrEqual((after as number) - 1)
})

test('a write that throws leaves nothing behind, and the next one succeeds', async () => {
  const failing = database.write(async (tx) => {
    await tx.insertInto('settings').values({ name: 'a', value: '1' }).execute()
    await nextId(tx, 'message')
    throw new Error('on purpose')
  })
  await expect(failing).rejects.toThrow('on purpose')
  expect(await settings(other.db)).toEqual([])
  expect(await database.write((tx) => nextId(tx, 'message'))).toBe(1n)
})

test('a write that breaks a constraint fails, but not as unavailable', async () => {
  await set(database, 'a', '1')
  const error = await set(database, 'a', '2').catch((reason) => reason)
  expect(error).toBeInstanceOf(Error)
  expect(isUnavailable(error)).toBe(false)
})

test('reads of one transaction see one snapshot, whatever is written in the meantime', async () => {
  await set(database, 'a', '1')
  const seen = await database.read(async (tx) => {
    const before = await settings(tx)
    await set(other, 'b', '2')
    return [before, await settings(tx)]
  })
  expect(seen).toEqual([['a'], ['a']])
  expect(await settings(database.db)).toEqual(['a', 'b'])
})

test('writers of two processes run one after another, and ids have no gaps', async () => {
  const increment = (at: Database) =>
    at.write(async (tx) => {
      const { value } = await tx
        .selectFrom('settings')
        .select('value')
        .where('name', '=', 'count')
        .executeTakeFirstOrThrow()
      await tx
        .updateTable('settings')
        .set({ value: String(Number(value) + 1) })
        .where('name', '=', 'count')
        .execute()
      return nextId(tx, 'message')
    })
  await set(database, 'count', '0')
  const ids = await Promise.all(
    Array.from({ length: 40 }, (_, i) => increment(i % 2 ? database : other)),
  )
  const ascending = ids.toSorted((a, b) => (a < b ? -1 : 1))
  expect(ascending).toEqual(ids.map((_, i) => BigInt(i + 1)))
  const row = await database.db.selectFrom('settings').select('value').executeTakeFirstOrThrow()
  expect(row.value).toBe('40')
})

test('the largest id is issued, and after it the database is unavailable', async () => {
  await database.write((tx) =>
    tx
      .updateTable('sequences')
      .set({ last: MAX_ID - 1n })
      .where('name', '=', 'review')
      .execute(),
  )
  expect(await database.write((tx) => nextId(tx, 'review'))).toBe(MAX_ID)
  const error = await database.write((tx) => nextId(tx, 'review')).catch((reason) => reason)
  expect(isUnavailable(error)).toBe(true)
})

test('the version changes with every commit of another process, and with nothing else', async () => {
  const versions = [await database.version()]
  for (const name of ['a', 'b', 'c']) {
    await set(other, name, '1')
    versions.push(await database.version())
  }
  expect(new Set(versions).size).toBe(4)
  const last = versions.at(-1)
  await settings(other.db)
  await other.write(() => Promise.reject(new Error('rolled back'))).catch(() => {})
  expect(await database.version()).toBe(last)
})

test('64-bit integers and texts in any script are read back unchanged', async () => {
  const text = '\u{1f4fb} \u2028 \u00e4 a\u0308 "\\\' ; --\ttab'
  await database.write(async (tx) => {
    await tx.insertInto('settings').values({ name: 'text', value: text }).execute()
    await tx
      .insertInto('clock_steps')
      .values({ id: MAX_ID, server: '', expected_at: -1n, actual_at: -MAX_ID - 1n })
      .execute()
  })
  const step = await other.db.selectFrom('clock_steps').selectAll().executeTakeFirst()
  expect(step).toEqual({ id: MAX_ID, server: '', expected_at: -1n, actual_at: -MAX_ID - 1n })
  const row = await other.db.selectFrom('settings').select('value').executeTakeFirst()
  expect(row?.value).toBe(text)
})

test('a failed query in a savepoint leaves the rest of the read usable', async () => {
  await set(database, 'a', '1')
  const names = await database.read(async (tx) => {
    const failing = inSavepoint(tx, () => sql`select * from nowhere`.execute(tx))
    await expect(failing).rejects.toThrow(/nowhere/)
    return settings(tx)
  })
  expect(names).toEqual(['a'])
})
