// Opens a database on either engine.
import type { Database, OpenOptions } from './database.ts'
import { isPostgresUrl, nameOfPostgres, parsePostgresUrl } from './postgres/url.ts'
import { reportingNewerSchema } from './schema/version.ts'
import { openSqliteDatabase } from './sqlite/database.ts'

/**
 * Opens the database and brings its schema up to date.
 * @param address the SQLite file, or the URL of a PostgreSQL database
 * @param options.clock measures timeouts
 * @param options.create create the file (and its folder), or the tables, if they are missing
 * @param options.dataDir where the timelines of PostgreSQL are remembered; by default, only while the database is open
 * @param options.log none for a command, whose errors name the problem
 * @param options.onlyReads also open a SQLite file that cannot be written, if its schema is up to date
 * @throws Error with one clear line: missing, not ours, damaged, or written by a newer version
 */
export async function openDatabase(address: string, options: OpenOptions): Promise<Database> {
  // Only who uses PostgreSQL loads it.
  const database = isPostgresUrl(address)
    ? await (await import('./postgres/database.ts')).openPostgresDatabase(address, options)
    : await openSqliteDatabase(address, options)
  const report = (line: string) => options.log?.error(`${nameOfDatabase(address)}: ${line}`)
  return { ...database, write: reportingNewerSchema(database.write, report) }
}

/** The database's name in messages, without user and password. */
export const nameOfDatabase = (address: string): string =>
  isPostgresUrl(address) ? nameOfPostgres(parsePostgresUrl(address)) : address
