// Where tests keep their records: in a SQLite file in their data folder or, with TEST_DATABASE=postgres, in a database
// of their own on the PostgreSQL of the run. Either begins as a copy of a database with our tables.
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { openStore, type Store } from '../../server/store/database.ts'
import { statement } from './postgres.ts'

export const ON_POSTGRES = process.env.TEST_DATABASE === 'postgres'

/** Has the tables, and no records. */
export const TEMPLATE = 'template_of_tests'

/** URLs of the databases that stand for the SQLite file of a data folder. */
const databases = new Map<string, string>()
let made = 0

/** Server of this run's databases. @throws Error unless test/support/postgres-per-run.ts has started it */
function serverUrl(): URL {
  const url = process.env.TEST_POSTGRES_URL
  if (!url) throw new Error('TEST_POSTGRES_URL is not set; use npm run test:engines')
  return new URL(url)
}

/** The database of a data folder, made at the first call. */
export async function databaseIn(dataDir: string): Promise<string> {
  if (!ON_POSTGRES) return sqliteIn(dataDir)
  const known = databases.get(dataDir)
  if (known) return known
  const name = `test_${process.pid}_${made++}`
  const url = serverUrl()
  await statement(url.href, `create database ${name} template ${TEMPLATE}`)
  url.pathname = name
  databases.set(dataDir, url.href)
  return url.href
}

/** Without a template, as in a benchmark, the first to open the file makes the tables. */
function sqliteIn(dataDir: string): string {
  const file = join(dataDir, 'daysignal.sqlite')
  const template = process.env.TEST_SQLITE_TEMPLATE
  if (template && !existsSync(file)) copyFileSync(template, file)
  return file
}

/** What a program finds the data of a folder by. */
export function dataEnvironment(dataDir: string): Record<string, string> {
  const url = databases.get(dataDir)
  return { DATA_DIR: dataDir, ...(url && { DATABASE_URL: url }) }
}

/** Removes what databaseIn has made outside of the folder; everybody is sent away. */
export async function removeDatabase(dataDir: string): Promise<void> {
  const url = databases.get(dataDir)
  if (!url) return
  databases.delete(dataDir)
  await statement(serverUrl().href, `drop database ${new URL(url).pathname.slice(1)} with (force)`)
}

/** The store of a data folder, which goes away when it is closed. */
export async function openStoreIn(dataDir: string): Promise<Store> {
  const store = await openStore(await databaseIn(dataDir), { create: true })
  return {
    ...store,
    close: async () => {
      await store.close()
      await removeDatabase(dataDir)
    },
  }
}
