// The messages of sealed days over HTTP: the leaves, what the pages say of them, and the check of the last sealed day.
// Rules: API.md 9.9, 9.11.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { folderPlace } from '../../../archive/place/folder.ts'
import { ArchiveReader } from '../../../archive/reading/reader.ts'
import { startLastDayCheck } from '../../../server/data/last-day-check.ts'
import { openExisting } from '../../support/database.ts'
import { sealDays } from '../../support/sealing.ts'
import { clockAt, startTestService } from '../../support/service.ts'
import { until } from '../../support/time.ts'

const SEALED = '2026-11-18'
const QUIET = '2026-11-19'
const NAMED = { BASE_URL: 'https://board.example' }

const clock = clockAt(`${SEALED}T08:00:00Z`)
const service = await startTestService(NAMED, clock)
const { publish } = service
await publish.directory('garden')
for (const text of ['one', 'two', 'three']) await publish.message('garden', text)
clock.passTo('2026-11-20T08:00:00Z')
await publish.message('garden', 'today')
await sealDays(service.dataDir, [SEALED, QUIET], clock.now(), NAMED)
const database = await openExisting(service.config.database)

const pageOf = async (id: number, of = service) =>
  (await of.client.get(`/messages/${id}`, { accept: 'text/html' })).text

describe('the page of a message', () => {
  test('says so once its day is sealed', async () => {
    expect(await pageOf(1)).toContain('</a>, counted and sealed</dd>')
    expect(await pageOf(4)).not.toContain('counted and sealed')
  })

  test('links its receipt, and shows the command that compares it with the archive', async () => {
    for (const id of [1, 4]) {
      const page = await pageOf(id)
      expect(page).toContain(`<a href="/messages/${id}.receipt" download="${id}.receipt">`)
      expect(page).toContain(`https://board.example/messages/${id}.{receipt,txt}`)
      expect(page).toContain(`verify -- --receipt ~/receipts/${id}.receipt --text `)
    }
  })

  test('says so if it was written before the archive had a key', async () => {
    const nameless = await startTestService({})
    const { publish } = nameless
    await publish.directory('garden')
    await publish.message('garden', 'one')
    const page = await pageOf(1, nameless)
    expect(page).toContain('this message was written before the archive had a key')
    expect(page).not.toContain('.receipt')
  })
})

describe('leaves', () => {
  test('are served byte for byte', async () => {
    const path = `/transmissions/${SEALED}.leaves`
    const { status, text, headers } = await service.client.get(path)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(text).toBe(readFileSync(join(service.archiveDir, SEALED, `${SEALED}.leaves`), 'utf8'))
    expect(text).toMatch(/^(?:[0-9a-f]{64}\n){3}$/)
  })

  test('of a day without messages are not found', async () => {
    expect(await service.client.get(`/transmissions/${QUIET}.leaves`)).toMatchObject({
      status: 404,
      json: { error: { code: 'not_found' } },
    })
  })
})

describe('the check of the last sealed day', () => {
  test('logs a mismatch after startup', async () => {
    const log = { info: vi.fn(), error: vi.fn(), warn: vi.fn() }
    const reader = new ArchiveReader(folderPlace(service.archiveDir))
    const archive = Object.assign(reader, { days: async () => [SEALED] })
    const ended = async () => {
      startLastDayCheck({ db: database.db, archive, log: log as never })
      await until(() => log.info.mock.calls.length + log.error.mock.calls.length > 0)
    }
    await ended()
    expect(log.info.mock.calls[0]?.[1]).toBe(`the records of ${SEALED} match its seal`)
    log.info.mockClear()
    await database.write((tx) =>
      tx.updateTable('messages').set({ author_label: 'Eve' }).where('id', '=', 1n).execute(),
    )
    await ended()
    expect(log.error.mock.calls[0]?.[1]).toBe(
      `the records of ${SEALED} do not match its seal: root`,
    )
  })
})
