// A service that moves between SQLite and PostgreSQL, in either direction, responds as before.
// Rules: COMMANDS.md 6.7-6.8.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Database } from '../../server/database/database.ts'
import { isUntouched } from '../../server/database/transfer.ts'
import { differences } from '../support/crawl.ts'
import { databaseIn, openExisting } from '../support/database.ts'
import { ROOT } from '../support/imports.ts'
import { answersOf, nextAnswer, operateOn, populate, startAtNow } from '../support/moving.ts'
import { statement } from '../support/postgres.ts'
import { childEnvironment } from '../support/programs.ts'
import { temporaryFolder } from '../support/release.ts'
import { until } from '../support/time.ts'

const dir = temporaryFolder()
const source = await startAtNow({ DATABASE_URL: `sqlite:${join(dir, 'source.sqlite')}` })
await populate(source)
await source.restart()
const before = await answersOf(source)
expect([...before.values()].filter((answer) => answer.startsWith('200\n')).length).toBeGreaterThan(
  300,
)

/** The tables at which an import is killed, in the order in which it writes them. */
const KILLED_AT = ['messages', 'entries', 'reviews', 'liveness']

const emptyPostgres = () => databaseIn(temporaryFolder())

interface Exported {
  rows: Record<string, number>
  sha256: string
}
const exported = async (database: string, file: string) =>
  JSON.parse(await operateOn(database, ['export', join(dir, file), '--json'])) as Exported
const imported = (database: string, file: string) =>
  operateOn(database, ['import', join(dir, file)])

test('a service that moved to PostgreSQL and back responds as before, byte for byte', async () => {
  const first = await exported(source.config.database, 'first.ndjson')
  for (const table of ['reviews', 'links', 'moderation_log', 'idempotency_keys', 'rate_windows'])
    expect(first.rows[table]).toBeGreaterThan(0)

  const url = await emptyPostgres()
  await imported(url, 'first.ndjson')
  const second = await exported(url, 'second.ndjson.gz')
  expect(second).toMatchObject({ rows: first.rows, sha256: first.sha256 })

  const sqlite = join(dir, 'back.sqlite')
  await imported(sqlite, 'second.ndjson.gz')
  expect(await exported(sqlite, 'third.ndjson')).toMatchObject({ sha256: first.sha256 })

  const next: string[] = []
  for (const moved of [url, `sqlite:${sqlite}`]) {
    const service = await startAtNow({ DATABASE_URL: moved })
    expect(differences(before, await answersOf(service))).toEqual([])
    next.push(await nextAnswer(service.client))
    await service.stop()
  }
  expect(new Set([...next, await nextAnswer(source.client)]).size).toBe(1)
})

test('a database with a linguistic collation exports the same bytes', async () => {
  const url = await emptyPostgres()
  const icu = new URL(url)
  icu.pathname = `${icu.pathname}_icu`
  await statement(
    url,
    `create database ${icu.pathname.slice(1)} template template0 locale_provider icu icu_locale 'en' locale 'C'`,
  )
  const first = await exported(source.config.database, 'sorted.ndjson')
  await imported(icu.href, 'sorted.ndjson')
  expect(await exported(icu.href, 'sorted-again.ndjson')).toMatchObject({ sha256: first.sha256 })
  await statement(url, `drop database ${icu.pathname.slice(1)} with (force)`)
})

test('an import that is killed at any table leaves an empty database, which the next one fills', async () => {
  const first = await exported(source.config.database, 'killed.ndjson')
  const url = await emptyPostgres()
  const database = await openExisting(url)
  for (const table of KILLED_AT) {
    await killImportAt(table, database, () => startImport(url, 'killed.ndjson'))
    expect(await isUntouched(database.db)).toBe(true)
  }
  await imported(url, 'killed.ndjson')
  await database.close()
  expect(await exported(url, 'after-kills.ndjson')).toMatchObject({ sha256: first.sha256 })
})

/** Locks a table, so that an import stops when it reaches this table, and kills the import there. */
async function killImportAt(
  table: string,
  database: Database,
  start: () => ChildProcess,
): Promise<void> {
  const waiting = sql`select 1 from pg_locks where not granted and relation = ${table}::regclass`
  const isWaiting = async () => (await waiting.execute(database.db)).rows.length > 0
  // Not by database.write, which would take the lock that all writers share.
  await database.db.transaction().execute(async (tx) => {
    await sql`lock table ${sql.table(table)} in share mode`.execute(tx)
    const child = start()
    const ended = once(child, 'exit')
    await until(async () => child.exitCode !== null || (await isWaiting()))
    child.kill('SIGKILL')
    expect(await ended).toEqual([null, 'SIGKILL'])
  })
}

function startImport(url: string, file: string): ChildProcess {
  return spawn(process.execPath, ['server/operator/main.ts', 'import', join(dir, file)], {
    cwd: ROOT,
    env: childEnvironment({ DATABASE_URL: url }),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

test('backup on PostgreSQL fails and names pg_dump', async () => {
  const url = await emptyPostgres()
  await expect(operateOn(url, ['backup', join(dir, 'copy')])).rejects.toThrow(
    /^operator: backup: is only for SQLite; use pg_dump/,
  )
})
