// Where the data is: all that a command beside the server needs to know of the environment.
import { existsSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'

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
  return {
    dataDir,
    database: databaseFile(env.DATABASE_URL, dataDir),
    databaseFrom: env.DATABASE_URL ? 'DATABASE_URL' : 'DATA_DIR',
    archiveDir: readArchiveDir(env),
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
