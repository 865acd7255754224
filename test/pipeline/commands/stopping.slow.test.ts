// Stops snapshot, mirror and verify while a server or an object store accepts connections and never answers.
// Rules: COMMANDS.md 1.4.
import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { dayOf, dayStart, nextDay, previousDay } from '../../../archive/format/calendar.ts'
import { bucketPlace } from '../../../archive/place/bucket.ts'
import { verified } from '../../archive/decoding.ts'
import { type FakeBucket, startFakeBucket } from '../../support/fake-bucket.ts'
import { listen } from '../../support/listen.ts'
import { childEnvironment, endOf } from '../../support/programs.ts'
import { temporaryFolder } from '../../support/release.ts'
import { standInFfmpeg } from '../../support/stand-in-ffmpeg.ts'
import { startProxy, type Proxy as TcpProxy } from '../../support/tcp-proxy.ts'
import { until } from '../../support/time.ts'
import { openWorkshop, type Workshop } from '../workshop.ts'

const ROOT = join(import.meta.dirname, '../../..')
const YESTERDAY = previousDay(dayOf(Date.now()))
const STATUS = { SIGINT: 130, SIGTERM: 143 } as const
type Signal = keyof typeof STATUS

const dir = temporaryFolder()
/** Accepts connections and never answers. It reads, because otherwise the end of a connection is not seen. */
const { url, sockets } = await listen(createServer((socket) => void socket.resume()))

/** Starts a command as people do, in a process group of its own. */
function start(command: string, args: string[], env: Record<string, string> = {}) {
  const child = spawn('npm', ['run', '--silent', command, '--', ...args], {
    cwd: ROOT,
    env: childEnvironment({ DATA_DIR: dir, ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  return { child, ended: endOf(child) }
}

/** Sends a signal to the whole group, like a terminal and systemd. */
function signalGroup({ pid }: ChildProcess, signal: Signal): void {
  if (pid !== undefined && pid > 1) process.kill(-pid, signal)
}

const AWS = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' }

describe('a server that never answers', () => {
  const COMMANDS: [string, () => [string, string[], Record<string, string>?]][] = [
    ['mirror', () => ['mirror', [url, join(dir, 'mirror')]]],
    ['verify', () => ['verify', [url]]],
    ['verify of a store', () => ['verify', ['s3://archive'], { ...AWS, AWS_ENDPOINT_URL: url }]],
    ['a repair from a copy', () => ['snapshot', ['--repair', '--from', url]]],
  ]
  describe.each(COMMANDS)('%s', (_, command) => {
    test.each(['SIGINT', 'SIGTERM'] as const)(
      'ends at %s with its status',
      async (signal) => {
        const { child, ended } = start(...command())
        await until(() => sockets.size > 0)
        signalGroup(child, signal)
        expect((await ended).status).toBe(STATUS[signal])
        await until(() => sockets.size === 0)
      },
      60_000,
    )
  })
})

describe('a run on an object store that stops answering', () => {
  let workshop: Workshop
  let store: FakeBucket
  let proxy: TcpProxy
  let env: Record<string, string>
  beforeEach(async () => {
    workshop = await openWorkshop()
    await workshop.records.directory('garden', dayStart(YESTERDAY))
    // A run without --day seals no day on which no server was seen (COMMANDS.md 2.3).
    await workshop.records.alive(dayStart(YESTERDAY), dayStart(nextDay(YESTERDAY)))
    store = await startFakeBucket()
    proxy = await startProxy(Number(new URL(store.location.access.endpoint).port))
    env = {
      ...AWS,
      DATA_DIR: workshop.dir,
      FFMPEG_PATH: standInFfmpeg(workshop.dir),
      ARCHIVE_URL: 's3://archive',
      AWS_ENDPOINT_URL: `http://127.0.0.1:${proxy.port}`,
    }
  })

  test.each([
    ['SIGINT', 'PUT .daysignal-probe'],
    ['SIGTERM', 'GET '],
    ['SIGINT', `PUT ${YESTERDAY}/${YESTERDAY}.json`],
    ['SIGTERM', '.wav'],
    ['SIGTERM', 'PUT log'],
    ['SIGINT', 'PUT checkpoint'],
  ] as const)(
    'ends at %s during %s, and the next run completes the day',
    async (signal, request) => {
      store.fault = (seen) => {
        if (seen.includes(request)) proxy.isBlack = true
        return undefined
      }
      const { child, ended } = start('snapshot', [], env)
      await until(() => proxy.isBlack, 60_000)
      signalGroup(child, signal)
      const { status, stderr } = await ended
      expect(stderr).toBe(`snapshot: stopped by ${signal}; the next run resumes from here\n`)
      expect(status).toBe(STATUS[signal])
      expect(readdirSync(workshop.dir).filter((name) => name.includes('lock-'))).toEqual([])
      store.fault = () => undefined
      proxy.isBlack = false
      expect(await start('snapshot', [], env).ended).toMatchObject({ status: 0, stderr: '' })
      const place = await bucketPlace(store.location, { random: () => 0 })
      expect(await verified(place)).toMatchObject({
        ok: true,
        findings: [],
      })
    },
    120_000,
  )
})

test('a run ends at SIGTERM while PostgreSQL accepts its connection and never answers', async () => {
  const DATABASE_URL = `${url.replace('http', 'postgres')}/daysignal`
  const { child, ended } = start('snapshot', [], { DATABASE_URL })
  await until(() => sockets.size > 0)
  signalGroup(child, 'SIGTERM')
  expect(await ended).toMatchObject({
    status: 143,
    stderr: expect.stringMatching(/^snapshot: stopped by SIGTERM/),
  })
}, 60_000)
