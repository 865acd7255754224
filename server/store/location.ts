// Where the data is: all that a command next to the server needs to know of the environment.
import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'

export interface DataConfig {
  dataDir: string
  /** The SQLite file. */
  database: string
  /** The variable that it comes from. */
  databaseFrom: 'DATABASE_URL' | 'DATA_DIR'
  archiveDir: string
}

/** Adds the variables of `.env` in the working folder, which never override the environment. */
export function loadDotEnv(): void {
  if (existsSync('.env')) process.loadEnvFile('.env')
}

/** @throws Error that names the variable and its rule */
export function readDataConfig(env: Record<string, string | undefined>): DataConfig {
  const dataDir = resolve(env.DATA_DIR || './data')
  const database = databaseFile(env.DATABASE_URL, dataDir)
  const archiveDir = readArchiveDir(env)
  refuseExposedDatabase(archiveDir, dirname(database))
  return {
    dataDir,
    database,
    databaseFrom: env.DATABASE_URL ? 'DATABASE_URL' : 'DATA_DIR',
    archiveDir,
  }
}

/** The archive is made to be served by any static server, and hidden texts lie in the database. */
function refuseExposedDatabase(archiveDir: string, databaseDir: string): void {
  const inside = relative(withoutLinks(archiveDir), withoutLinks(databaseDir))
  if (inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside))
    throw new Error(
      `ARCHIVE_DIR: must not be or contain the folder of the database: ${databaseDir} is in ${archiveDir}`,
    )
}

/** A path with its links resolved, as far as it can be read; what cannot is reported when it is opened. */
function withoutLinks(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(withoutLinks(parent), basename(path))
  }
}

/** Where the archive is, whatever the database. */
export function readArchiveDir(env: Record<string, string | undefined>): string {
  return resolve(env.ARCHIVE_DIR || join(env.DATA_DIR || './data', 'transmissions'))
}

/** `file:` and plain paths name a SQLite file. */
function databaseFile(url: string | undefined, dataDir: string): string {
  if (!url) return join(dataDir, 'daysignal.sqlite')
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase()
  if (scheme !== undefined && scheme !== 'file' && scheme !== 'sqlite')
    throw new Error(`DATABASE_URL: ${scheme}: is not supported; must be sqlite:PATH`)
  const path = url.replace(/^[a-z]+:(?:\/\/)?/i, '')
  if (path === '') throw new Error('DATABASE_URL: must name a file, as in sqlite:PATH')
  return isAbsolute(path) ? path : resolve(path)
}
