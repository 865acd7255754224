// Tests GET /metrics (API.md 10.2), and how operator status reports days and failures.
// Rules: API.md 10.2; COMMANDS.md 6.1.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lastFailure } from '../../../server/database/settings/settings.ts'
import { beginInterval } from '../../../server/liveness/queries.ts'
import { ON_POSTGRES } from '../../support/database.ts'
import { freePort } from '../../support/listen.ts'
import { operator } from '../../support/operator.ts'
import { whileAway } from '../../support/overwrite-file.ts'
import { clockAt, startTestService } from '../../support/service.ts'

const FAILED_AT = Date.parse('2026-11-20T00:06:00Z')

const clock = clockAt('2026-11-20T09:00:00Z')

// Not METRICS_PORT=0, since the service would report the port to the log only.
const port = await freePort()
const service = await startTestService({ METRICS_PORT: String(port) }, clock)

const metrics = (path = '/metrics') => fetch(`http://127.0.0.1:${port}${path}`)

/** The value of a sample, by its name with labels. */
async function sample(name: string): Promise<number | undefined> {
  const line = (await (await metrics()).text()).split('\n').find((l) => l.startsWith(`${name} `))
  return line === undefined ? undefined : Number(line.slice(name.length + 1))
}

/** Adds an older heartbeat. */
const beginBoard = (at: string) =>
  service.inDatabase(({ write }) =>
    write((tx) => beginInterval(tx, 'first', Date.parse(at), { readOnly: false, disabled: [] })),
  )

const addFailure = () =>
  service.inDatabase((database) =>
    database.write((tx) =>
      lastFailure.write(tx, { at: FAILED_AT, day: '2026-11-19', message: 'the disk is full' }),
    ),
  )

test('a clock that is wrong is reported, until it is right again', async () => {
  const say = () => service.client.post('/api/v1/messages', { directory: 'lab', body: 'b' })
  await service.publish.directory('clock')
  expect(await sample('daysignal_clock_wrong')).toBe(0)
  clock.step('2030-01-01T00:00:00Z')
  expect((await say()).status).toBe(503)
  expect(await sample('daysignal_clock_wrong')).toBe(1)
  clock.step('2026-11-20T09:00:00Z')
  await say()
  expect(await sample('daysignal_clock_wrong')).toBe(0)
})

test('requests are counted by the route that handled them, whatever the URL', async () => {
  const { directory, message } = service.publish
  await directory('lab')
  const id = await message('lab')
  await service.client.get(`/messages/${id}`)
  await service.client.get(`/messages/${id + 1n}`)
  await service.client.get('/no-such-thing')
  await service.client.get('/healthz/')
  const count = (labels: string) => sample(`daysignal_request_duration_seconds_count{${labels}}`)
  expect(await count('route="/messages/:id",method="GET",status="200"')).toBe(1)
  expect(await count('route="/messages/:id",method="GET",status="404"')).toBe(1)
  expect(await count('route="none",method="GET",status="404"')).toBe(2)
})

test('each committed batch is counted with its requests and their waits', async () => {
  const batches = () => sample('daysignal_batch_requests_count')
  const requests = () => sample('daysignal_batch_requests_sum')
  const [batchesBefore = 0, requestsBefore = 0] = [await batches(), await requests()]
  const { message } = service.publish
  await Promise.all(Array.from({ length: 20 }, () => message('lab')))
  expect(await requests()).toBe(requestsBefore + 20)
  expect(await batches()).toBeLessThanOrEqual(batchesBefore + 20)
  expect(await sample('daysignal_batch_wait_seconds_count')).toBe(await requests())
})

test('the response has the text format of Prometheus and is not cached', async () => {
  const { status, headers } = await metrics()
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(headers.get('cache-control')).toBe('no-store')
})

test('METRICS_PORT serves nothing else, and the service’s port serves no metrics', async () => {
  expect((await metrics('/messages')).status).toBe(404)
  expect((await metrics('/healthz')).status).toBe(404)
  expect((await service.client.get('/metrics')).status).toBe(404)
})

test('a gauge without a value or with an unreadable source is left out', async () => {
  expect(await sample('daysignal_log_size')).toBeUndefined()
  expect(await sample('daysignal_log_witnessed')).toBeUndefined()
  await whileAway(service.archiveDir, async () => expect((await metrics()).status).toBe(200))
})

test('a damaged log of days leaves out its size only', async () => {
  const files = ['checkpoint', 'log', 'key'].map((name) => join(service.archiveDir, name))
  for (const file of files) writeFileSync(file, 'damaged')
  try {
    expect((await metrics()).status).toBe(200)
    expect(await sample('daysignal_log_size')).toBeUndefined()
  } finally {
    for (const file of files) rmSync(file)
  }
})

test('metrics and status report the last failure of the pipeline', async () => {
  expect(await sample('daysignal_last_failure_seconds')).toBeUndefined()
  await addFailure()
  expect(await sample('daysignal_last_failure_seconds')).toBe(FAILED_AT / 1000)
  const { out } = await operator(service, ['status'])
  expect(out).toContain('last failure  2026-11-20 00:06:00\n  2026-11-19: the disk is full\n')
  const { last_failure } = JSON.parse((await operator(service, ['status', '--json'])).out)
  expect(last_failure).toEqual({
    at: '2026-11-20T00:06:00.000Z',
    day: '2026-11-19',
    message: 'the disk is full',
  })
})

test.runIf(ON_POSTGRES)('the connections to PostgreSQL are counted by their state', async () => {
  for (const state of ['busy', 'idle', 'waiting'])
    expect(await sample(`daysignal_database_connections{state="${state}"}`)).toBeTypeOf('number')
})

test.runIf(ON_POSTGRES)('a scrape of an idle service counts no waiting requests', async () => {
  for (let i = 0; i < 10; i++)
    expect(await sample('daysignal_database_connections{state="waiting"}')).toBe(0)
})

test('status --check is content on the first day of a board', async () => {
  const { code, out, err } = await operator(service, ['status', '--check'])
  expect([code, err]).toEqual([0, ''])
  expect(out).toContain('first         2026-11-20')
  expect(out).toContain('yesterday     2026-11-19, before the first day')
})

test('status --check exits 1 with one line while yesterday has not been made', async () => {
  await beginBoard('2026-11-19T12:00:00Z')
  const { code, out, err } = await operator(service, ['status', '--check'])
  expect([code, err]).toEqual([1, 'operator: 2026-11-19 has not been made\n'])
  expect(out).toContain('yesterday     2026-11-19, not made')
  expect((await operator(service, ['status'])).code).toBe(0)
})

test('status of an unreadable archive states the reason, and makes no claim about its days', async () => {
  await whileAway(service.archiveDir, async () => {
    const line = `cannot be read: ${service.archiveDir}: does not exist`
    const { code, out, err } = await operator(service, ['status', '--check'])
    expect([code, err]).toEqual([1, `operator: the archive ${line}\n`])
    expect(out).toContain(`archive       ${line}\n`)
    expect(out).toContain('The log of days cannot be read.')
    expect(out).not.toContain('not made')
    const { days } = JSON.parse((await operator(service, ['status', '--json'])).out)
    expect(days).toEqual({
      first: '2026-11-19',
      newest: null,
      yesterday: '2026-11-19',
      yesterday_sealed: null,
    })
  })
})

test('a METRICS_PORT that is in use stops the start with one line that names it', async () => {
  await expect(startTestService({ METRICS_PORT: String(port) })).rejects.toThrow(
    `METRICS_PORT: ${port} is in use by another program`,
  )
})
