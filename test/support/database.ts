// Creates the databases of tests: a SQLite file in the data folder or, with TEST_DATABASE=postgres, a database on the
// run's PostgreSQL. Either is a copy of a template with our tables.
import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from '../../server/database/database.ts'
import { openDatabase } from '../../server/database/open.ts'
import { type Clock, system } from '../../server/system/system.ts'
import { statement } from './postgres.ts'
import { released } from './release.ts'

export const ON_POSTGRES = process.env.TEST_DATABASE === 'postgres'

/** The PostgreSQL database with our tables and no records. */
export const TEMPLATE = 'template_of_tests'

/** Data folder -> URL of the PostgreSQL database that replaces its SQLite file. */
const databases = new Map<string, string>()
let databaseCount = 0
let backupCount = 0

/** Returns the URL of the run's PostgreSQL. @throws Error unless test/support/engines-per-run.ts has started it */
function serverUrl(): URL {
  const url = process.env.TEST_POSTGRES_URL
  if (!url) throw new Error('TEST_POSTGRES_URL is not set; use npm run test:engines')
  return new URL(url)
}

/** Returns the database of a data folder, and creates it at the first call. */
export async function databaseIn(dataDir: string): Promise<string> {
  if (!ON_POSTGRES) return sqliteIn(dataDir)
  const known = databases.get(dataDir)
  if (known) return known
  return createDatabase(dataDir, TEMPLATE)
}

/** Creates the PostgreSQL database of a data folder, as a copy of another; it goes with the test or the file. @returns its URL */
export async function createDatabase(dataDir: string, template: string): Promise<string> {
  const name = `test_${process.pid}_${databaseCount++}`
  const url = serverUrl()
  await statement(url.href, `create database ${name} template ${template}`)
  url.pathname = name
  databases.set(dataDir, url.href)
  released(() => removeDatabase(dataDir))
  return url.href
}

/** Without a template, as in a benchmark, whoever opens the file first creates the tables. */
function sqliteIn(dataDir: string): string {
  const file = join(dataDir, 'daysignal.sqlite')
  const template = process.env.TEST_SQLITE_TEMPLATE
  if (template && !existsSync(file)) copyFileSync(template, file)
  return file
}

/** The environment variables with which a program finds the data of a folder. */
export function dataEnvironment(dataDir: string): Record<string, string> {
  const url = databases.get(dataDir)
  return { DATA_DIR: dataDir, ...(url && { DATABASE_URL: url }) }
}

/** Drops the PostgreSQL database of a data folder, and disconnects its clients. */
export async function removeDatabase(dataDir: string): Promise<void> {
  const url = databases.get(dataDir)
  if (!url) return
  databases.delete(dataDir)
  await statement(serverUrl().href, `drop database ${new URL(url).pathname.slice(1)} with (force)`)
}

/** Opens the database of a data folder, and closes it at the latest at the end of the test or of the file. */
export const openDatabaseIn = async (dataDir: string, clock?: Clock): Promise<Database> =>
  openUntilEnd(await databaseIn(dataDir), clock, true)

/** The same for a database that exists. */
export const openExisting = (address: string, clock?: Clock): Promise<Database> =>
  openUntilEnd(address, clock, false)

async function openUntilEnd(address: string, clock = system.clock, create: boolean) {
  const database = await openDatabase(address, { clock, create })
  return { ...database, close: released(() => database.close()) }
}

/** Replaces the database of a data folder by an empty one, while nothing uses it. */
export async function emptyDatabase(dataDir: string): Promise<void> {
  const url = databases.get(dataDir)
  const file = join(dataDir, 'daysignal.sqlite')
  if (!url) {
    remove(file, `${file}-wal`, `${file}-shm`)
    sqliteIn(dataDir)
    return
  }
  await recreate(new URL(url).pathname.slice(1), TEMPLATE)
}

/**
 * Copies the database of a data folder while nothing uses it.
 * @returns a function that replaces the database by the copy, while nothing uses it
 */
export async function backUpDatabase(dataDir: string): Promise<() => Promise<void>> {
  const url = databases.get(dataDir)
  return url ? backUpPostgres(url) : backUpSqlite(join(dataDir, 'daysignal.sqlite'))
}

function backUpSqlite(file: string): () => Promise<void> {
  const copy = `${file}.${backupCount++}`
  copyFileSync(file, copy)
  return async () => {
    // SQLite would replay them into the copy.
    remove(`${file}-wal`, `${file}-shm`)
    copyFileSync(copy, file)
  }
}

function remove(...files: string[]): void {
  for (const file of files) rmSync(file, { force: true })
}

async function backUpPostgres(url: string): Promise<() => Promise<void>> {
  const name = new URL(url).pathname.slice(1)
  const copy = `${name}_${backupCount++}`
  const { href } = serverUrl()
  await statement(href, `create database ${copy} template ${name}`)
  return () => recreate(name, copy)
}

async function recreate(name: string, template: string): Promise<void> {
  const { href } = serverUrl()
  await statement(href, `drop database ${name} with (force)`)
  await statement(href, `create database ${name} template ${template}`)
}
