// Tests read-only mode and disabled features (specification: What the service does 9, Errors; API.md 8.2, 8.3).
// Rules: API.md 1.3, 8.2-8.3.
import { afterEach, describe, expect, test } from 'vitest'
import type { Queryable } from '../../../server/database/database.ts'
import { cachedModes } from '../../../server/modes/queries.ts'
import type { Modes } from '../../../server/modes/rules.ts'
import { act, operated } from '../../support/operator.ts'
import { CREATES, KINDS, type Kind } from '../../support/publish.ts'
import { startTestService } from '../../support/service.ts'
import { addressOf, needsQuery, READS } from '../openapi/addresses.ts'

const service = await startTestService()
const { publish } = service
await publish.directory('lab')
await publish.investigation('lab')
afterEach(async () => {
  await act(service, 'mode', 'open')
  for (const name of ['directories', 'messages', 'investigations', 'transmissions'])
    await act(service, 'feature', name, 'on')
})

const create = (kind: Kind, on = service) => on.client.post(...CREATES[kind]())
/** Returns the error code of each create, or its status if it succeeds. */
async function attempts(on = service) {
  const replies = await Promise.all(KINDS.map((kind) => create(kind, on)))
  return Object.fromEntries(KINDS.map((kind, i) => [kind, replies[i]?.code ?? replies[i]?.status]))
}
const ALL_OPEN = { directory: 201, message: 201, investigation: 201, contribution: 201 }
const ALL_READ_ONLY = Object.fromEntries(KINDS.map((kind) => [kind, 'read_only']))

/** What this board has at an address of each read, except those of its archive, which is a feature. */
const ADDRESSES = READS.filter(
  ({ path, errors }) => !errors.includes('archive_unavailable') && !path.endsWith('.receipt'),
).map(
  (endpoint) =>
    addressOf(endpoint, { id: '1', path: 'lab' }) + (needsQuery(endpoint) ? '?q=a' : ''),
)

async function expectReadsGoOn(on = service): Promise<void> {
  expect(ADDRESSES.length).toBeGreaterThan(20)
  for (const path of ADDRESSES)
    for (const reply of [await on.client.get(path), await on.client.head(path)])
      expect([path, reply.status]).toEqual([path, 200])
}

describe('read-only mode', () => {
  test('all four creates answer 503 read_only with Retry-After 60, and reads still work', async () => {
    await act(service, 'mode', 'read-only')
    for (const kind of KINDS) {
      const reply = await create(kind)
      expect(reply).toMatchObject({ status: 503, code: 'read_only' })
      expect(reply.message).toBe('the service is read-only for now: a test')
      expect(reply.headers.get('retry-after')).toBe('60')
    }
    await expectReadsGoOn()
    await act(service, 'mode', 'open')
    expect(await attempts()).toEqual(ALL_OPEN)
  })

  test('the reason of read-only mode outlives a restart, and ends with the mode', async () => {
    await operated(service, 'mode', 'read-only', '--reason', 'a move')
    await service.restart()
    expect((await create('message')).message).toBe('the service is read-only for now: a move')
    await operated(service, 'mode', 'open', '--reason', 'moved')
    await service.restart({ READ_ONLY: '1' })
    expect((await create('message')).message).toBe('the service is read-only for now')
    await service.restart()
  })

  test('read-only mode is checked before everything but the method, even for a replay', async () => {
    const headers = { 'idempotency-key': 'before' }
    const request = { directory: 'lab', body: 'b' }
    expect((await service.client.post('/api/v1/messages', request, headers)).status).toBe(201)
    await act(service, 'mode', 'read-only')
    const post = (body: string, more: Record<string, string> = {}) =>
      service.client.post('/api/v1/messages', body, more)
    expect((await post('{}', { 'content-type': 'text/plain' })).code).toBe('read_only')
    expect((await post('x'.repeat(200_000))).code).toBe('read_only')
    expect((await post('not json')).code).toBe('read_only')
    expect((await service.client.post('/api/v1/messages', request, headers)).code).toBe('read_only')
    expect((await service.client.send('DELETE', '/api/v1/messages')).code).toBe(
      'method_not_allowed',
    )
  })

  test('operator actions succeed while the service is read-only', async () => {
    await act(service, 'mode', 'read-only')
    await act(service, 'hide', 'message', '1')
    await act(service, 'show', 'message', '1')
    await act(service, 'review', '1', '--outcome', 'withdrawn')
  })
})

describe('disabled features', () => {
  const off = 'feature_disabled'
  test.each([
    ['directories', { ...ALL_OPEN, directory: off }],
    ['messages', { ...ALL_OPEN, message: off }],
    ['investigations', { ...ALL_OPEN, investigation: off, contribution: off }],
    ['transmissions', ALL_OPEN],
  ])('only the writes of %s answer 503, and reads still work', async (feature, expected) => {
    await act(service, 'feature', feature, 'off')
    expect(await attempts()).toEqual(expected)
    await expectReadsGoOn()
    await act(service, 'feature', feature, 'on')
    expect(await attempts()).toEqual(ALL_OPEN)
  })

  test('several features can be off at once, and read-only mode overrides them', async () => {
    await act(service, 'feature', 'directories', 'off')
    await act(service, 'feature', 'investigations', 'off')
    expect(await attempts()).toEqual({
      ...ALL_OPEN,
      directory: off,
      investigation: off,
      contribution: off,
    })
    await act(service, 'mode', 'read-only')
    expect(await attempts()).toEqual(ALL_READ_ONLY)
  })
})

describe('origin of a setting', () => {
  test('the operator’s settings survive a restart', async () => {
    await act(service, 'mode', 'read-only')
    await service.restart()
    expect(await attempts()).toEqual(ALL_READ_ONLY)
    await act(service, 'mode', 'open')
    await act(service, 'feature', 'messages', 'off')
    await service.restart()
    expect(await attempts()).toEqual({ ...ALL_OPEN, message: 'feature_disabled' })
  })

  test('a setting of the environment overrides the operator until a restart without it', async () => {
    await service.restart({ READ_ONLY: '1' })
    await act(service, 'mode', 'open')
    expect(await attempts()).toEqual(ALL_READ_ONLY)
    await service.restart({ DISABLED_FEATURES: 'directories,messages' })
    for (const name of ['directories', 'messages']) await act(service, 'feature', name, 'on')
    expect(await attempts()).toEqual({
      ...ALL_OPEN,
      directory: 'feature_disabled',
      message: 'feature_disabled',
    })
    await service.restart()
    expect(await attempts()).toEqual(ALL_OPEN)
  })

  test('a switch that is already set is not changed and not logged', async () => {
    const log = await operated(service, 'log', '--limit', '100')
    expect(await act(service, 'mode', 'open')).toBe('the mode is already open\n')
    expect(await act(service, 'feature', 'messages', 'on')).toBe(
      'the feature messages is already on\n',
    )
    expect(await operated(service, 'log', '--limit', '100')).toBe(log)
  })
})

describe('notices on the pages', () => {
  const noticesOn = async (...paths: string[]) => {
    const found: Record<string, string | undefined> = {}
    for (const path of paths) {
      const { text } = await service.client.get(path)
      found[path] = /<p class="notice"[^>]*>([^<]*) <a href="\/moderation">/.exec(text)?.[1]
    }
    return found
  }
  const PLACES = ['/', '/write', '/directories', '/d/lab', '/investigations', '/investigations/1']
  const everywhere = (notice: string | undefined) =>
    Object.fromEntries(PLACES.map((path) => [path, notice]))

  test('the pages with a form state that the service is read-only, and why', async () => {
    expect(await noticesOn(...PLACES)).toEqual(everywhere(undefined))
    const notice = 'The service is read-only for now: nothing can be published.'
    await operated(service, 'mode', 'read-only', '--reason', ' A move to\n<another> host. ')
    expect(await noticesOn(...PLACES)).toEqual(
      everywhere(`${notice} Reason: A move to &lt;another&gt; host. Reading still works.`),
    )
    await act(service, 'mode', 'open')
    await service.restart({ READ_ONLY: '1' })
    expect(await noticesOn(...PLACES)).toEqual(everywhere(`${notice} Reading still works.`))
    await service.restart()
  })

  test('only the pages of a disabled feature state that it is off', async () => {
    await act(service, 'feature', 'messages', 'off')
    const notice = 'Publishing messages is switched off for now. Reading still works.'
    expect(await noticesOn(...PLACES)).toEqual({
      '/': notice,
      '/write': notice,
      '/directories': undefined,
      '/d/lab': notice,
      '/investigations': undefined,
      '/investigations/1': undefined,
    })
  })
})

describe('many concurrent reads of the modes after a commit', () => {
  const OPEN: Modes = { readOnly: false, disabled: [] }
  const crowd = (ask: () => Promise<Modes>) => Promise.all(Array.from({ length: 1_000 }, ask))

  test('concurrent calls share one read until the next commit', async () => {
    let version = 1
    let reads = 0
    const ask = cachedModes({ db: {} as Queryable, version: async () => version }, async () => {
      reads++
      return { ...OPEN, readOnly: version === 2 }
    })
    expect(new Set(await crowd(ask))).toEqual(new Set([OPEN]))
    expect(reads).toBe(1)
    version = 2
    expect(new Set(await crowd(ask))).toEqual(new Set([{ ...OPEN, readOnly: true }]))
    expect(reads).toBe(2)
  })

  test('concurrent calls share a failure, and a later call reads again', async () => {
    const reads = [Promise.reject(new Error('away')), Promise.resolve(OPEN)]
    const ask = cachedModes(
      { db: {} as Queryable, version: async () => 1 },
      () => reads.shift() as Promise<Modes>,
    )
    await expect(crowd(ask)).rejects.toThrow('away')
    expect(await ask()).toEqual(OPEN)
  })
})
