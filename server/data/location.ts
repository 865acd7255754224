// Reads from the environment where the data is: database, archive, cache and signing key.
import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { readVariable } from '../../archive/base/base-address.ts'
import { ARCHIVE_URL } from '../../archive/format/paths.ts'
import { isKeyName } from '../../archive/log/note.ts'
import type { ArchiveLocation } from '../../archive/place/location.ts'
import { isPostgresUrl, parsePostgresUrl } from '../database/postgres/url.ts'
import { type DataFolders, type Env, readArchive, readDataFolders } from './environment.ts'

export interface DataConfig extends DataFolders {
  /** The SQLite file, or the URL of a PostgreSQL database. */
  database: string
  /** The variable that the database comes from. */
  databaseFrom: 'DATABASE_URL' | 'DATA_DIR'
  archive: ArchiveLocation
}

/** @throws Error that names the variable and its rule */
export function readDataConfig(env: Env): DataConfig {
  const folders = readDataFolders(env)
  const { dataDir } = folders
  const database = readDatabase(env.DATABASE_URL, dataDir)
  const archive = readArchive(env)
  // The archive may be served by any static server, and the database contains hidden texts.
  if ('dir' in archive && !isPostgresUrl(database) && isWithin(archive.dir, dirname(database)))
    throw new Error(
      `ARCHIVE_DIR: must not be or contain the folder of the database: ${dirname(database)} is in ${archive.dir}`,
    )
  return {
    ...folders,
    database,
    databaseFrom: env.DATABASE_URL ? 'DATABASE_URL' : 'DATA_DIR',
    archive,
  }
}

/** Whether a path is the folder or inside it, with symbolic links resolved. */
function isWithin(folder: string, path: string): boolean {
  const inside = relative(withoutLinks(folder), withoutLinks(path))
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)
}

export interface LogConfig {
  /** Set by the operator; undefined for the existing log's own origin, or the default for a new log. */
  logOrigin: string | undefined
  defaultLogOrigin: string
  signingKeyFile: string
}

/** @throws Error that names the variable and its rule */
export function readLogConfig(env: Env, { dataDir, archive }: DataConfig): LogConfig {
  const logOrigin = env.LOG_ORIGIN || undefined
  if (logOrigin !== undefined && !isKeyName(logOrigin))
    throw new Error('LOG_ORIGIN: must not have white space, control characters or +')
  if (logOrigin?.startsWith('daysignal-'))
    throw new Error('LOG_ORIGIN: must not begin with daysignal-, as receipts do')
  const signingKeyFile = resolve(env.SIGNING_KEY_FILE || join(dataDir, 'signing.key'))
  if ('dir' in archive && isWithin(archive.dir, signingKeyFile))
    throw new Error(`SIGNING_KEY_FILE: must not be in ARCHIVE_DIR, which is public: ${archive.dir}`)
  if (existsSync(signingKeyFile) && !statSync(signingKeyFile).isFile())
    throw new Error(`SIGNING_KEY_FILE: ${signingKeyFile} is not a file`)
  return { logOrigin, defaultLogOrigin: originAt(env.BASE_URL), signingKeyFile }
}

/** Host, port and path of the archive's public URL. */
function originAt(baseUrl: string | undefined): string {
  if (!baseUrl || !URL.canParse(baseUrl)) return `localhost${ARCHIVE_URL}`
  const { host, pathname } = new URL(baseUrl)
  const origin = `${host}${pathname.replace(/\/+$/, '')}${ARCHIVE_URL}`
  return isKeyName(origin) ? origin : `${host}${ARCHIVE_URL}`
}

/** Resolves a path's symbolic links as far as it exists. Errors are left to whatever opens it. */
function withoutLinks(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(withoutLinks(parent), basename(path))
  }
}

/** `sqlite:`, `file:` and plain paths name a SQLite file; only `file:` is a URL, with a percent-encoded path. */
function readDatabase(url: string | undefined, dataDir: string): string {
  if (!url) return join(dataDir, 'daysignal.sqlite')
  if (isPostgresUrl(url)) {
    readVariable('DATABASE_URL', () => parsePostgresUrl(url))
    return url
  }
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase()
  if (scheme !== undefined && scheme !== 'file' && scheme !== 'sqlite')
    throw new Error(
      `DATABASE_URL: ${scheme}: is not supported; must be sqlite:PATH or postgres://...`,
    )
  const rest = url.replace(/^[a-z]+:(?:\/\/)?/i, '')
  const path = scheme === 'file' ? decodedPath(rest) : rest
  // SQLite keeps the database :memory: in memory, where every process and every start has a new one.
  if (path === '' || /^(?:file:)?:memory:/.test(path))
    throw new Error('DATABASE_URL: must name a file, as in sqlite:PATH')
  return isAbsolute(path) ? path : resolve(path)
}

function decodedPath(path: string): string {
  if (path.includes('?')) throw new Error('DATABASE_URL: file: must have no query, only a path')
  try {
    return decodeURIComponent(path)
  } catch {
    throw new Error('DATABASE_URL: file: must be followed by a percent-encoded path')
  }
}
