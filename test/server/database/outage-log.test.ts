// Tests that an outage of the database fills no disk with log lines.
// Rules: OPERATING.md 10.1.
import { rmSync } from 'node:fs'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { DatabaseUnavailable } from '../../../server/database/errors.ts'
import { summariseOutages } from '../../../server/database/outage-log.ts'
import { startTestService } from '../../support/service.ts'
import { until } from '../../support/time.ts'

interface Line {
  level: number
  msg: string
  err?: { stack: string }
}

describe('the log of a server', () => {
  let lines: Line[]
  let log: pino.Logger
  beforeEach(() => {
    vi.useFakeTimers({ toNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] })
    lines = []
    log = summariseOutages(
      pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Line) }),
    )
  })
  afterEach(() => vi.useRealTimers())

  const failTimes = (count: number, reason: string) => {
    for (let i = 0; i < count; i++) log.error({ err: new DatabaseUnavailable(reason) }, 'refused')
  }
  const AWAY = 'the database is unavailable: connection refused'

  test('the first failure of an outage is logged at once, and a line a second counts the others', () => {
    failTimes(132, 'connection refused')
    expect(lines.map(({ msg }) => msg)).toEqual([AWAY])
    vi.advanceTimersByTime(999)
    expect(lines).toHaveLength(1)
    vi.advanceTimersByTime(1)
    failTimes(2, 'connection refused')
    vi.advanceTimersByTime(1_000)
    log.warn({ err: new DatabaseUnavailable('disk full') }, 'a heartbeat could not be written')
    vi.advanceTimersByTime(1_000)
    expect(lines.map(({ msg }) => msg)).toEqual([
      AWAY,
      `${AWAY} (and 130 more)`,
      `${AWAY} (and 1 more)`,
      'the database is unavailable: disk full',
    ])
    for (const { level, err } of lines) expect([level, err]).toEqual([50, undefined])
  })

  test('after a quiet second the next outage is logged at once', () => {
    failTimes(1, 'connection refused')
    vi.advanceTimersByTime(5_000)
    failTimes(1, 'connection refused')
    expect(lines.map(({ msg }) => msg)).toEqual([AWAY, AWAY])
  })

  test('other entries are logged as they are', () => {
    log.error({ err: new TypeError('a bug') }, 'unexpected error')
    log.warn({ code: 3 }, 'strange')
    log.error('text alone')
    log.info({ day: 'x' }, 'published')
    expect(lines).toMatchObject([
      { level: 50, msg: 'unexpected error', err: { stack: expect.stringContaining('a bug') } },
      { level: 40, msg: 'strange', code: 3 },
      { level: 50, msg: 'text alone' },
      { level: 30, msg: 'published', day: 'x' },
    ])
  })
})

test.skipIf(process.env.TEST_DATABASE === 'postgres')(
  'a server whose database file is gone counts refused requests in its log, without stacks',
  async () => {
    const service = await startTestService()
    await service.publish.directory('lab')
    for (const file of ['', '-wal', '-shm'])
      rmSync(`${service.config.database}${file}`, { force: true })
    const say = () => service.client.post('/api/v1/messages', { directory: 'lab', body: 'b' })
    for (let i = 0; i < 50; i++) expect((await say()).status).toBe(503)
    const counted = () =>
      service.complaints
        .map((line) => JSON.parse(line) as Line)
        .reduce((sum, { msg }) => sum + 1 + Number(/and (\d+) more/.exec(msg)?.[1] ?? 0), 0)
    await until(() => counted() >= 50)
    for (const line of service.complaints)
      expect(JSON.parse(line)).toMatchObject({
        level: 50,
        msg: expect.stringMatching(
          /^the database is unavailable: .* was deleted or replaced; restart the service/,
        ),
      })
    expect(service.complaints.join()).not.toContain('stack')
  },
)
