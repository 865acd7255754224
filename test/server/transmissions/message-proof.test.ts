// Proofs of messages over HTTP, and the check of the last sealed day (API.md 9.9, FORMAT.md 20.3).
// Rules: FORMAT.md 20.3.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { sha256Of } from '../../../archive/format/hash.ts'
import { composeManifest } from '../../../archive/format/manifest.ts'
import { eachKind } from '../../../archive/format/media.ts'
import { leafHash, rootOfInclusion } from '../../../archive/log/tree.ts'
import { openReader } from '../../../archive/reading/reader.ts'
import { takeSnapshot } from '../../../pipeline/snapshot.ts'
import type { Database } from '../../../server/database/database.ts'
import { openDatabase } from '../../../server/database/open.ts'
import { moderate } from '../../../server/moderation/queries.ts'
import { system } from '../../../server/system.ts'
import { startLastDayCheck } from '../../../server/transmissions/last-day-check.ts'
import { MessageProofs, type ProofOptions } from '../../../server/transmissions/message-proofs.ts'
import { readDayRecords } from '../../../server/transmissions/records.ts'
import { databaseIn } from '../../support/database.ts'
import { act, operator } from '../../support/operator.ts'
import { overwriteFile } from '../../support/overwrite-file.ts'
import { sealDays } from '../../support/sealing.ts'
import { clockAt, startTestService, type TestService } from '../../support/service.ts'
import { until } from '../../support/time.ts'
import { openWriter } from '../../support/writers.ts'

const SEALED = '2026-11-18'
const WITHOUT = '2026-11-19'

let service: TestService
let database: Database
const ids: number[] = []

beforeAll(async () => {
  const clock = clockAt(`${SEALED}T08:00:00Z`)
  service = await startTestService({}, clock)
  const post = async (path: string, body: object) => {
    const { json } = await service.client.post(path, body)
    return (json as { message_id?: number; root_message_id?: number }) ?? {}
  }
  await post('/api/v1/directories', { path: 'garden' })
  for (let i = 0; i < 5; i++) {
    const body = { directory: 'garden', body: `message ${i}`, author_label: 'Ada' }
    ids.push((await post('/api/v1/messages', body)).message_id as number)
  }
  clock.passTo(`${WITHOUT}T08:00:00Z`)
  ids.push(
    (await post('/api/v1/messages', { directory: 'garden', body: 'later' })).message_id as number,
  )
  clock.passTo('2026-11-20T08:00:00Z')
  ids.push(
    (await post('/api/v1/messages', { directory: 'garden', body: 'today' })).message_id as number,
  )
  database = await openDatabase(service.config.database, { clock: system.clock, create: false })
  const writer = await openWriter(service.archiveDir, { create: true })
  const unavailable = { available: false, reason: 'render_failed' } as const
  const media = eachKind(() => unavailable)
  const tools = { node: '24', sharp: '0', ffmpeg: null }
  for (const day of [SEALED, WITHOUT]) {
    const { snapshot } = await takeSnapshot(database, day, null, Date.parse('2026-11-20T00:05:00Z'))
    if (day === WITHOUT) delete snapshot.records
    await writer.fixSnapshot(snapshot)
    await writer.seal(composeManifest(snapshot, media, tools))
  }
})
afterAll(async () => {
  await database.close()
  await service.stop()
})

const proofOf = (id: number | string) => service.client.get(`/messages/${id}.proof.json`)
const hide = (id: number, act: 'hide' | 'show') =>
  database.write((tx) =>
    moderate(tx, { act, kind: 'message', id: BigInt(id), reason: 'test' }, Date.now()),
  )

describe('message proofs', () => {
  test('the proof of a message leads from its leaf to the root in the snapshot of its day', async () => {
    const snapshot = await service.client.get(`/transmissions/${SEALED}.json`)
    const { records } = snapshot.json as { records: { count: string; root: string } }
    for (const [index, id] of ids.slice(0, 5).entries()) {
      const { status, text } = await proofOf(id)
      expect(status).toBe(200)
      const proof = JSON.parse(text) as { leaf: string; hashes: string[] }
      expect(proof).toEqual({
        message_id: Number(id),
        day: SEALED,
        index,
        count: 5,
        leaf: expect.stringContaining(`\n${id}\ngarden\n`),
        hashes: expect.any(Array),
        root: records.root,
        snapshot_sha256: sha256Of(Buffer.from(snapshot.text)),
      })
      const hashes = proof.hashes.map((hash) => Buffer.from(hash, 'hex'))
      const root = rootOfInclusion(leafHash(Buffer.from(proof.leaf)), index, 5, hashes)
      expect(Buffer.from(root!).toString('hex')).toBe(records.root)
    }
  })

  test('a proof is unchanged when another message is hidden, and gone while its own message is hidden', async () => {
    const [first = 0, second = 0] = ids
    const before = (await proofOf(first)).text
    await hide(second, 'hide')
    expect((await proofOf(first)).text).toBe(before)
    expect(await proofOf(second)).toMatchObject({
      status: 404,
      json: { error: { code: 'message_not_found' } },
    })
    await hide(second, 'show')
    expect((await proofOf(second)).status).toBe(200)
  })

  test('the page of a message says so and links its proof once its day is sealed with records', async () => {
    const pageOf = async (id: number) =>
      (await service.client.get(`/messages/${id}`, { accept: 'text/html' })).text
    expect(await pageOf(ids[0]!)).toContain(`<a href="/messages/${ids[0]}.proof.json">proof</a>`)
    expect(await pageOf(ids[0]!)).toContain('</a>, counted and sealed</dd>')
    expect(await pageOf(ids[5]!)).not.toContain('proof.json')
    expect(await pageOf(ids[5]!)).not.toContain('counted and sealed')
    expect(await pageOf(ids[6]!)).not.toContain('proof.json')
  })

  test.each([
    ['of a message that does not exist', () => 999, 'message_not_found'],
    ['of a message whose day is not sealed', () => ids[6] as number, 'proof_not_ready'],
    [
      'of a message whose day was sealed without records',
      () => ids[5] as number,
      'proof_not_available',
    ],
  ])('the proof %s is not found', async (_, id, code) => {
    expect(await proofOf(id())).toMatchObject({ status: 404, json: { error: { code } } })
  })

  test('the proof of an invalid id returns the same status as the message itself', async () => {
    const { status } = await service.client.get('/messages/x.json')
    expect((await proofOf('x')).status).toBe(status)
  })
})

describe('trees of days', () => {
  const archive = () => openReader(service.archiveDir)
  const proofs = (options: ProofOptions) => new MessageProofs(database.db, archive(), options)

  test('a day is read once for many requests, and again after its eviction from the cache', async () => {
    let reads = 0
    const readDay = (day: string) => {
      reads += 1
      return readDayRecords(database.db, day)
    }
    const id = BigInt(ids[0]!)
    const caching = proofs({ readDay })
    await Promise.all([caching.proofOf(id), caching.proofOf(BigInt(ids[1]!))])
    await caching.proofOf(id)
    expect(reads).toBe(1)
    const uncached = proofs({ readDay, cacheBytes: 0 })
    await uncached.proofOf(id)
    await uncached.proofOf(id)
    expect(reads).toBe(3)
  })

  test('a day that does not match its seal is not proven', async () => {
    const readDay = () => readDayRecords(database.db, WITHOUT)
    const id = BigInt(ids[0]!)
    for (let i = 0; i < 2; i++)
      await expect(proofs({ readDay }).proofOf(id)).rejects.toMatchObject({
        code: 'archive_unavailable',
      })
  })

  test('a request that would queue more days than allowed is rejected, and the queued ones succeed', async () => {
    const gate = Promise.withResolvers<void>()
    const readDay = async (day: string) => {
      await gate.promise
      return readDayRecords(database.db, day)
    }
    const reader = archive()
    const sealed = await reader.manifest(SEALED)
    const both = Object.assign(reader, { manifest: async () => sealed })
    const busy = new MessageProofs(database.db, both, { readDay, maxPending: 1 })
    const first = busy.proofOf(BigInt(ids[0]!))
    await until(() => busy.pending === 1)
    await expect(busy.proofOf(BigInt(ids[5]!))).rejects.toMatchObject({ code: 'overloaded' })
    gate.resolve()
    expect(await first).toMatchObject({ index: 0 })
  })
})

describe('days with leaves in the archive', () => {
  const DAY = '2026-11-19'

  /** A service with three messages of a sealed day. */
  async function sealed(): Promise<TestService> {
    const clock = clockAt(`${DAY}T08:00:00Z`)
    const own = await startTestService({}, clock)
    await own.client.post('/api/v1/directories', { path: 'lab' })
    for (let i = 0; i < 3; i++)
      await own.client.post('/api/v1/messages', { directory: 'lab', body: `message ${i}` })
    clock.passTo('2026-11-20T00:10:00Z')
    await sealDays(own.dataDir, [DAY], clock.now())
    return own
  }

  test('the leaves are served byte for byte and revalidated by their root', async () => {
    const own = await sealed()
    const { status, text, headers } = await own.client.get(`/transmissions/${DAY}.leaves`)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(headers.get('cache-control')).toBe('no-cache')
    expect(text).toBe(readFileSync(join(own.archiveDir, DAY, `${DAY}.leaves`), 'utf8'))
    expect(text).toMatch(/^(?:[0-9a-f]{64}\n){3}$/)
    const etag = headers.get('etag') ?? ''
    const again = await own.client.get(`/transmissions/${DAY}.leaves`, { 'if-none-match': etag })
    expect(again.status).toBe(304)
    await own.stop()
  })

  test('a day without leaves answers 404', async () => {
    expect(await service.client.get(`/transmissions/${WITHOUT}.leaves`)).toMatchObject({
      status: 404,
      json: { error: { code: 'not_found' } },
    })
  })

  test('a message is proven although others of its day are lost, erased or hidden', async () => {
    const own = await sealed()
    const before = await own.client.get('/messages/3.proof.json')
    expect(before.status).toBe(200)
    await act(own, 'hide', 'message', 2n)
    await operator(own, ['erase', 'message', '2', '--reason', 'r'])
    const address = await databaseIn(own.dataDir)
    await own.restart({}, async () => {
      const lossy = await openDatabase(address, { clock: system.clock, create: false })
      await lossy.write((tx) => tx.deleteFrom('messages').where('id', '=', 1n).execute())
      await lossy.close()
    })
    expect((await own.client.get('/messages/3.proof.json')).text).toBe(before.text)
    await own.stop()
  })

  test('damaged leaves prove nothing', async () => {
    const own = await sealed()
    const file = join(own.archiveDir, DAY, `${DAY}.leaves`)
    overwriteFile(file, readFileSync(file, 'utf8').slice(65))
    expect(await own.client.get('/messages/3.proof.json')).toMatchObject({
      status: 503,
      json: { error: { code: 'archive_unavailable' } },
    })
    await own.stop()
  })
})

describe('checks of the last sealed day', () => {
  test('the service checks the last sealed day after startup and logs a mismatch', async () => {
    const log = { info: vi.fn(), error: vi.fn(), warn: vi.fn() }
    const reader = openReader(service.archiveDir)
    const archive = Object.assign(reader, { days: async () => [SEALED] })
    const ended = async () => {
      startLastDayCheck({ db: database.db, archive, log: log as never })
      await until(() => log.info.mock.calls.length + log.error.mock.calls.length > 0)
    }
    await ended()
    expect(log.info.mock.calls[0]?.[1]).toBe(`the records of ${SEALED} match its seal`)
    log.info.mockClear()
    const label = (author_label: string) =>
      database.write((tx) =>
        tx
          .updateTable('messages')
          .set({ author_label })
          .where('id', '=', BigInt(ids[0]!))
          .execute(),
      )
    await label('Eve')
    await ended()
    expect(log.error.mock.calls[0]?.[1]).toBe(
      `the records of ${SEALED} do not match its seal: root`,
    )
    await label('Ada')
  })
})
