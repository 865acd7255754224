// Measures the memory of a separate server process whose clients request a file and read nothing (API.md 1.9).
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { childEnvironment } from '../../support/programs.ts'
import { settled, until } from '../../support/time.ts'

const MIB = 1024 * 1024
const FILE_BYTES = 16 * MIB
const CLIENTS = 399

/** The C library's settings of npm start for freed memory. */
const MALLOC_SETTINGS = Object.fromEntries(
  [...manifest.scripts.start.matchAll(/(MALLOC_\w+)=(\d+)/g)].map(([, name, value]) => [
    name,
    value,
  ]),
)

let folder: string
let server: ChildProcess
let url: URL
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'daysignal-stalled-'))
  writeFileSync(join(folder, 'file'), Buffer.alloc(FILE_BYTES, 'abcdefg'))
  const program = join(import.meta.dirname, 'serving-file.ts')
  server = spawn(
    process.execPath,
    ['--max-semi-space-size=8', '--expose-gc', program, join(folder, 'file')],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: childEnvironment(MALLOC_SETTINGS),
    },
  )
  const [address] = await once(server.stdout!, 'data')
  url = new URL(String(address))
})
afterAll(() => {
  server.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

const status = () => `/proc/${server.pid}/status`
const rssOfServer = () =>
  1024 * Number(/VmRSS:\s*([0-9]+) kB/.exec(readFileSync(status(), 'utf8'))?.[1])

async function rssInUse(): Promise<number> {
  await settled(rssOfServer, 500)
  await fetch(new URL('/collect', url))
  return rssOfServer()
}

/** Requests the file, and reads nothing after the first bytes. */
async function stalledRequest(): Promise<Socket> {
  const socket = connect(Number(url.port), url.hostname)
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(socket, 'data')
  return socket.pause()
}

test.skipIf(!existsSync('/proc/self/status'))(
  `${CLIENTS} stalled clients take less than 48 MiB in each of several rounds`,
  async () => {
    await (await fetch(url)).arrayBuffer()
    const before = await rssInUse()
    for (let round = 0; round < 5; round++) {
      const sockets = await Promise.all(Array.from({ length: CLIENTS }, stalledRequest))
      expect((await rssInUse()) - before).toBeLessThan(48 * MIB)
      for (const socket of sockets) socket.destroy()
      await until(async () => (await (await fetch(url)).arrayBuffer()).byteLength === FILE_BYTES)
    }
  },
)
