// Reads from the environment where the archive and the folders of data are; location.ts adds the database and the key.
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { reasonOf } from '../../archive/base/system-error.ts'
import { type ArchiveLocation, parseBucketUrl } from '../../archive/place/location.ts'

export type Env = Record<string, string | undefined>

export interface DataFolders {
  dataDir: string
  /** For files that can be regenerated; may be missing, and may be emptied at any time. */
  cacheDir: string
}

/**
 * Adds the variables of `.env` in the working folder, which never override the environment.
 * @throws Error with one line when the file cannot be read
 */
export function loadDotEnv(): void {
  if (!existsSync('.env')) return
  try {
    // loadEnvFile does not report why it cannot read the file.
    readFileSync('.env')
  } catch (error) {
    throw new Error(`.env: ${reasonOf(error as NodeJS.ErrnoException)}`, { cause: error })
  }
  process.loadEnvFile('.env')
}

export function readDataFolders(env: Env): DataFolders {
  const dataDir = resolve(env.DATA_DIR || './data')
  return { dataDir, cacheDir: join(dataDir, '.cache') }
}

/** Reads the archive's location; needs no database setting. */
export function readArchive(env: Env): ArchiveLocation {
  if (!env.ARCHIVE_URL)
    return { dir: resolve(env.ARCHIVE_DIR || join(readDataFolders(env).dataDir, 'transmissions')) }
  if (env.ARCHIVE_DIR) throw new Error('ARCHIVE_URL: must not be set together with ARCHIVE_DIR')
  return parseBucketUrl('ARCHIVE_URL', env.ARCHIVE_URL, env)
}
