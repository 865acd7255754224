// Copies the fixtures of release 2, so that tests can open and change them: see test/fixtures/release-2/README.md.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import type { Database } from '../../server/database/database.ts'
import { openDatabase } from '../../server/database/open.ts'
import { system } from '../../server/system.ts'
import { databaseFrom, removeDatabase } from '../support/database.ts'
import { type FakeBucket, startFakeBucket } from '../support/fake-bucket.ts'

const FIXTURE = join(import.meta.dirname, '..', 'fixtures', 'release-2')

export const SEALED = ['2026-11-17', '2026-11-18'] as const
/** These ended, but were not sealed. */
export const DUE = ['2026-11-19', '2026-11-20'] as const
/** When the fixtures were made. */
export const NOW = '2026-11-21T00:05:00.000Z'

export interface Release2 {
  /** A DATA_DIR with the database and the signing key. */
  dataDir: string
  /** The folder of the archive or mirror in it. */
  archiveDir: string
  open(): Promise<Database>
  remove(): Promise<void>
}

/** @param archives names of folders of the fixture; each is copied over the one before */
export async function copyOfRelease2(...archives: string[]): Promise<Release2> {
  const dataDir = mkdtempSync(join(tmpdir(), 'daysignal-release-2-'))
  const archiveDir = join(dataDir, 'transmissions')
  for (const archive of archives) cpSync(join(FIXTURE, archive), archiveDir, { recursive: true })
  cpSync(join(FIXTURE, 'signing.key'), join(dataDir, 'signing.key'))
  const dump = { sqlite: join(FIXTURE, 'daysignal.sqlite'), sql: join(FIXTURE, 'daysignal.sql') }
  const database = await databaseFrom(dataDir, dump)
  return {
    dataDir,
    archiveDir,
    open: () => openDatabase(database, { clock: system.clock, create: false }),
    async remove() {
      await removeDatabase(dataDir)
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Returns the bytes of a file of the fixture. */
export const original = (...path: string[]): Buffer => readFileSync(join(FIXTURE, ...path))

/** Starts a store that contains the bucket. */
export async function startBucket(): Promise<FakeBucket> {
  const store = await startFakeBucket()
  const bucket = join(FIXTURE, 'bucket')
  for (const entry of readdirSync(bucket, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const key = relative(bucket, path).split(sep).join('/')
    const body = readFileSync(path)
    store.objects.set(key, { body, etag: `"${key}"`, at: new Date(NOW) })
  }
  return store
}
