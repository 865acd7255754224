// Receipts over HTTP: who signs them, from when on, and what they promise.
// Rules: API.md 4.8, 9.8.

import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseKeys } from '../../../archive/log/note.ts'
import { openReceipt } from '../../../archive/log/receipt.ts'
import { replaceSigningKey } from '../../../archive/log/signing-keys.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { openDayLog } from '../../../pipeline/run/signed-log.ts'
import { system } from '../../../server/system/system.ts'
import { backUpDatabase } from '../../support/database.ts'
import { act, operator } from '../../support/operator.ts'
import { logConfigIn, sealDays } from '../../support/sealing.ts'
import { clockAt, startTestService, type TestService } from '../../support/service.ts'
import { until } from '../../support/time.ts'

const ORIGIN = 'board.example/transmissions'
const NAMED = { BASE_URL: 'https://board.example' }

async function start(env: Record<string, string> = NAMED, clock = system.clock) {
  const service = await startTestService(env, clock)
  await service.publish.directory('lab')
  return service
}

/** Starts on a day that `seal` lets end, and seals. */
async function startDay(env = NAMED as Record<string, string>) {
  const clock = clockAt('2026-11-19T12:00:00Z')
  const service = await start(env, clock)
  const seal = (settings: Record<string, string> = {}) => {
    clock.passTo('2026-11-20T00:10:00Z')
    return sealDays(service.dataDir, ['2026-11-19'], clock.now(), settings)
  }
  return { service, seal }
}

const say = (service: TestService) => service.publish.message('lab', 'Frost.')
const receiptOf = (service: TestService, id: bigint) =>
  service.client.get(`/messages/${id}.receipt`)
const keysOf = async (service: TestService) =>
  parseKeys(Buffer.from((await service.client.get('/transmissions/key')).text))
const NOT_AVAILABLE = { status: 404, json: { error: { code: 'receipt_not_available' } } }

/** Replaces the key as a run with --rekey does. */
const rekey = (service: TestService) =>
  service.inDatabase((database) => {
    const config = { ...logConfigIn(service.dataDir), defaultLogOrigin: ORIGIN }
    return openDayLog(database, folderPlace(service.archiveDir), config, { rekey: true })
  })

describe('a receipt', () => {
  test('states the leaf of the message and is signed by the key of the log', async () => {
    const service = await start()
    const id = await say(service)
    const receipt = await receiptOf(service, id)
    expect(receipt.status).toBe(200)
    expect(receipt.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const { origin, message, verified } = openReceipt(receipt.bytes, await keysOf(service))
    expect(origin).toBe(ORIGIN)
    expect(verified).toEqual(await keysOf(service))
    const record = (await service.client.get(`/messages/${id}.json`)).json
    expect(record).toMatchObject({
      id,
      directory: message.directory,
      body_hash: message.bodyHash,
      received_at: message.receivedAt,
      publish_at: message.publishAt,
    })
    expect((await receiptOf(service, id)).bytes).toEqual(receipt.bytes)
  })

  test('is named by the response to every create of a message, and by its replays', async () => {
    const service = await start()
    const link = async (path: string, body: object) => {
      const key = { 'idempotency-key': path.replaceAll('/', '.') }
      const [first, replay] = [
        await service.client.post(path, body, key),
        await service.client.post(path, body, key),
      ]
      expect([first.status, replay.status]).toEqual([201, 200])
      expect(replay.headers.get('link')).toBe(first.headers.get('link'))
      return first.headers.get('link')
    }
    const said = { directory: 'lab', body: '"root_message_id":9', author_label: '/inv' }
    expect(await link('/api/v1/messages', said)).toBe('</messages/1.receipt>; rel="receipt"')
    const asked = { directory: 'lab', title: 'Why?', body: '"root_message_id":9' }
    expect(await link('/api/v1/investigations', asked)).toBe('</messages/2.receipt>; rel="receipt"')
    const added = { kind: 'observation', body: 'seen' }
    expect(await link('/api/v1/investigations/1/contributions', added)).toBe(
      '</messages/3.receipt>; rel="receipt"',
    )
    expect(await link('/api/v1/directories', { path: 'shed' })).toBeNull()
    for (const id of [1n, 2n, 3n]) expect((await receiptOf(service, id)).status).toBe(200)
  })

  test('is not given for a message that is hidden or missing', async () => {
    const service = await start()
    const id = await say(service)
    await act(service, 'hide', 'message', id)
    for (const absent of [id, 99n])
      expect(await receiptOf(service, absent)).toMatchObject({
        status: 404,
        json: { error: { code: 'message_not_found' } },
      })
  })
})

describe('the key that signs receipts', () => {
  test('there is none before the service has a name, and no response names a receipt', async () => {
    const service = await start({})
    const request = { directory: 'lab', body: 'Frost.' }
    const { json, headers } = await service.client.post('/api/v1/messages', request)
    expect(headers.get('link')).toBeNull()
    const absent = await receiptOf(service, (json as { message_id: bigint }).message_id)
    expect(absent).toMatchObject(NOT_AVAILABLE)
    expect(absent.text).toContain(
      'this message was written before the archive had a key, so it has no receipt',
    )
    expect((await service.client.get('/transmissions/key')).status).toBe(404)
    await service.restart(NAMED)
    expect((await receiptOf(service, 1n)).status).toBe(200)
  })

  test('a log that begins later has the name and the key of the receipts', async () => {
    const { service, seal } = await startDay()
    const id = await say(service)
    const keys = await keysOf(service)
    const receipt = await receiptOf(service, id)
    await seal()
    expect((await service.client.get('/transmissions/checkpoint')).text).toMatch(`${ORIGIN}\n`)
    expect(await keysOf(service)).toEqual(keys)
    expect((await receiptOf(service, id)).bytes).toEqual(receipt.bytes)
  })

  test('another LOG_ORIGIN is refused once receipts were signed', async () => {
    const { seal } = await startDay()
    await expect(seal({ LOG_ORIGIN: 'other' })).rejects.toThrow(
      `LOG_ORIGIN: the log's origin is ${ORIGIN} and never changes`,
    )
  })

  test.each([
    ['is lost', (file: string) => renameSync(file, `${file}.away`), 'is missing'],
    [
      'was replaced by another',
      (file: string) => {
        rmSync(file)
        writeFileSync(file, OTHER_KEY)
      },
      'is not the key that has signed receipts',
    ],
  ])('no log begins if the key %s', async (_, damage, why) => {
    const { service, seal } = await startDay()
    const id = await say(service)
    damage(join(service.dataDir, 'signing.key'))
    expect(await receiptOf(service, id)).toMatchObject(NOT_AVAILABLE)
    await receiptOf(service, id)
    expect(service.complaints.filter((line) => line.includes('receipts'))).toHaveLength(1)
    await expect(seal()).rejects.toThrow(why)
    const { out } = await operator(service, ['status'])
    expect(out).toContain('SIGNING_KEY_FILE')
  })

  test('after a replacement, receipts are signed with the new key, and the earlier ones stay valid', async () => {
    const service = await start()
    const id = await say(service)
    const before = await receiptOf(service, id)
    await rekey(service)
    const after = await receiptOf(service, id)
    const keys = await keysOf(service)
    expect(keys).toHaveLength(2)
    expect(openReceipt(after.bytes, keys).verified).toEqual([keys[0]])
    expect(openReceipt(before.bytes, keys).verified).toEqual([keys[1]])
  })

  test('until the log names a new key, receipts are signed with the former one', async () => {
    const service = await start()
    const id = await say(service)
    const { bytes } = await receiptOf(service, id)
    await replaceSigningKey(join(service.dataDir, 'signing.key'), ORIGIN)
    expect((await receiptOf(service, id)).bytes).toEqual(bytes)
    expect(service.complaints).toEqual([])
  })

  test('a service that starts with the archive of an existing log takes over its keys', async () => {
    const { service, seal } = await startDay({})
    const id = await say(service)
    let restore = async () => {}
    await service.restart({}, async () => {
      restore = await backUpDatabase(service.dataDir)
      await seal(NAMED)
    })
    await service.restart({}, restore)
    const { bytes } = await receiptOf(service, id)
    expect(openReceipt(bytes, await keysOf(service)).origin).toBe(ORIGIN)
  })

  test('a running service that has no key signs with the one that the first run makes', async () => {
    const { service, seal } = await startDay({})
    await say(service)
    await seal(NAMED)
    await until(async () => {
      const { headers } = await service.client.post('/api/v1/messages', {
        directory: 'lab',
        body: 'later',
      })
      return headers.get('link') !== null
    })
  })
})

const OTHER_KEY = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIAkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJ
-----END PRIVATE KEY-----
`
