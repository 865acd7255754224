// The current code opens, verifies, serves and continues the databases and archives that release 2 wrote.
// Rules: WRITING.md 1.6.
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { mirrorArchive } from '../../archive/mirror/mirror.ts'
import { bucketPlace } from '../../archive/place/bucket.ts'
import { folderPlace } from '../../archive/place/folder.ts'
import type { Place } from '../../archive/place/place.ts'
import { ArchiveReader, openReader } from '../../archive/reading/reader.ts'
import { verifyArchive } from '../../archive/verify/archive.ts'
import type { Report } from '../../archive/verify/findings.ts'
import { checkBodies, checkRecords } from '../../pipeline/database-check.ts'
import type { Database } from '../../server/database/database.ts'
import { removeSetting } from '../../server/database/settings/settings.ts'
import { decode } from '../archive/decoding.ts'
import { type Parts, partsInBucket, partsInFolder, runOn } from '../support/sealing.ts'
import { clockAt, startTestService, type TestService } from '../support/service.ts'
import {
  copyOfRelease2,
  DUE,
  NOW,
  original,
  type Release2,
  SEALED,
  startBucket,
} from './release-2.ts'

const ALL = [...SEALED, ...DUE]

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp()
})

async function copy(...archives: string[]): Promise<Release2> {
  const release = await copyOfRelease2(...archives)
  cleanups.push(release.remove)
  return release
}

async function serve(env: Record<string, string>): Promise<TestService> {
  const service = await startTestService(env, clockAt(NOW))
  cleanups.push(service.stop)
  return service
}

async function withDatabase<T>(
  release: Release2,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await release.open()
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

const verify = (source: Place): Promise<Report> =>
  verifyArchive(source, { decode, log: { pauseMs: 0 } })

const good = (days: readonly string[], size = days.length) => ({
  ok: true,
  days: days.map((day) => ({ day, ok: true, findings: [] })),
  findings: [],
  log: { origin: 'board.example/transmissions', size },
})

/** Seals the days that were due. */
const continueOn = (release: Release2, parts: (database: Database) => Promise<Parts> | Parts) =>
  withDatabase(release, async (database) => {
    const warnings = await runOn(await parts(database), release.dataDir, DUE, Date.parse(NOW))
    expect(warnings).toEqual([])
  })

const daysOf = async ({ client }: TestService) =>
  ((await client.get('/transmissions/index.json')).json as { items: { day: string }[] }).items
    .map(({ day }) => day)
    .reverse()

describe('the database of release 2', () => {
  test('the service shows its records, keeps to its switches, and gives the next id', async () => {
    const { dataDir } = await copy('transmissions')
    const { client, complaints } = await serve({ DATA_DIR: dataDir })
    expect((await client.get('/messages/1.txt')).text).toBe('First frost tonight: -2 °C at 05:10.')
    for (const id of [5, 6]) expect((await client.get(`/messages/${id}.json`)).status).toBe(404)
    expect((await client.get('/investigations/1.json')).json).toMatchObject({
      investigation: { title: 'What thaws first?' },
      entries: [{ review: { outcome: 'substantiated' } }],
    })
    const closed = await client.post('/api/v1/directories', { path: 'shed' })
    expect(closed).toMatchObject({ status: 503, json: { error: { code: 'feature_disabled' } } })
    const next = await client.post('/api/v1/messages', { directory: 'garden', body: 'Next.' })
    expect(next).toMatchObject({ status: 201, json: { message_id: 9n } })
    expect(complaints).toEqual([])
  })

  test('it matches what was sealed', async () => {
    const release = await copy('transmissions')
    await withDatabase(release, async (database) => {
      const reader = openReader(release.archiveDir)
      for (const day of SEALED) {
        const { records } = (await reader.manifest(day))!.manifest.snapshot
        expect(await checkRecords(database, day, records!)).toEqual([])
      }
      expect(await checkBodies(database.db)).toMatchObject([
        { code: 'body_erased', file: 'message 6' },
      ])
    })
  })
})

describe('the archive of release 2 in a folder', () => {
  test('it verifies, is served, and is continued', async () => {
    const release = await copy('transmissions')
    const { dataDir, archiveDir } = release
    expect(await verify(folderPlace(archiveDir))).toMatchObject(good(SEALED))
    await continueOn(release, (database) => partsInFolder(archiveDir, database))
    expect(await verify(folderPlace(archiveDir))).toMatchObject(good(ALL))
    const service = await serve({ DATA_DIR: dataDir })
    expect(await daysOf(service)).toEqual(ALL)
    for (const day of SEALED) {
      const name = `${day}.json`
      const { text } = await service.client.get(`/transmissions/${name}`)
      expect(text).toBe(original('transmissions', day, name).toString())
    }
  })

  test('a killed run is completed: the committed day with the bytes that were staged', async () => {
    const release = await copy('transmissions', 'killed')
    const { archiveDir } = release
    const { ok, findings } = await verify(folderPlace(archiveDir))
    expect([ok, findings.map(({ code }) => code)]).toEqual([true, ['staging_left', 'staging_left']])
    await continueOn(release, (database) => partsInFolder(archiveDir, database))
    expect(await verify(folderPlace(archiveDir))).toMatchObject(good(ALL))
    const [committed, fixed] = DUE
    for (const name of [
      `${committed}/${committed}.json`,
      `${committed}/${committed}.manifest.json`,
      `${fixed}/${fixed}.json`,
    ])
      expect(readFileSync(join(archiveDir, name))).toEqual(original('killed', '.staging', name))
  })

  test('without its log, it gets a log with a leaf for each day', async () => {
    const release = await copy('transmissions')
    const { archiveDir } = release
    const ofLog = /^(log|key|checkpoint|SHA256SUMS)$|\.tlog-proof$/
    for (const name of readdirSync(archiveDir, { recursive: true, encoding: 'utf8' }))
      if (ofLog.test(name)) rmSync(join(archiveDir, name))
    expect(await verify(folderPlace(archiveDir))).toMatchObject({ ok: true, findings: [] })
    await withDatabase(release, (database) =>
      database.write((tx) => removeSetting(tx, 'log.checkpoint')),
    )
    await continueOn(release, (database) => partsInFolder(archiveDir, database))
    const report = await verify(folderPlace(archiveDir))
    expect(report).toMatchObject({ ok: true, findings: [], log: { size: 4 } })
  })
})

describe('the archive of release 2 in a bucket', () => {
  test('it verifies, is served, and is continued', async () => {
    const release = await copy()
    const bucket = await startBucket()
    cleanups.push(bucket.stop)
    const { endpoint, region, accessKeyId, secretAccessKey } = bucket.location.access
    const place = await bucketPlace(bucket.location, { random: () => 0.5 })
    expect(await verify(place)).toMatchObject(good(SEALED))
    await continueOn(release, (database) => partsInBucket(place, database))
    expect(await verify(place)).toMatchObject(good(ALL))
    expect(await new ArchiveReader(place).days()).toEqual(ALL)
    const service = await serve({
      DATA_DIR: release.dataDir,
      ARCHIVE_URL: `s3://${bucket.location.bucket}`,
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    })
    expect(await daysOf(service)).toEqual(ALL)
  })
})

describe('the mirror of release 2', () => {
  test('it verifies, is served, and follows the archive', async () => {
    const release = await copy('transmissions')
    const mirror = await copy('mirror')
    expect(await verify(folderPlace(mirror.archiveDir))).toMatchObject(good(SEALED))
    await continueOn(release, (database) => partsInFolder(release.archiveDir, database))
    const source = await serve({ DATA_DIR: release.dataDir })
    const options = {
      source: source.url,
      dir: mirror.archiveDir,
      selection: {},
      keys: null,
      jobs: 2,
    }
    expect(await mirrorArchive({ ...options, client: {} })).toMatchObject({ ok: true, updated: 2 })
    expect(await verify(folderPlace(mirror.archiveDir))).toMatchObject(good(ALL))
    const service = await serve({ ARCHIVE_DIR: mirror.archiveDir })
    expect(await daysOf(service)).toEqual(ALL)
    const refused = await service.client.post('/api/v1/directories', { path: 'a' })
    expect(refused).toMatchObject({ status: 503, json: { error: { code: 'read_only' } } })
  })
})
