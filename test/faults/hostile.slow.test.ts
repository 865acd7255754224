// Seeded mutations of good requests to every address, and of the files that the programs read: no 500, no stack trace, and
// memory that is bounded by the operating system.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { addressOf, READS } from '../server/openapi/addresses.ts'
import { limitMemory } from '../support/memory-limit.ts'
import { runNode } from '../support/programs.ts'
import { CREATES, publisherOf } from '../support/publish.ts'
import { random } from '../support/random.ts'
import { sendRaw } from '../support/raw.ts'
import { temporaryFolder } from '../support/release.ts'
import { sealDays } from '../support/sealing.ts'
import { startServerProcess } from '../support/server-process.ts'
import { clockAt, startTestService } from '../support/service.ts'
import { MINUTES, SEED } from './length.ts'
import { mutate } from './mutate.ts'

const DAY = '2025-06-01'
const NAMED = { BASE_URL: 'https://board.example' }
const REQUESTS = MINUTES > 0 ? 10_000 : 400
const FILES = MINUTES > 0 ? 10_000 : 200
const AT_A_TIME = 16
/** An incomplete request gets no answer in this time, and is given up [ms]. */
const GIVEN_UP_MS = 1_000

const dataDir = join(temporaryFolder(), 'data')

/** Fills the data folder: a board with one of everything, and its sealed day. */
async function makeBoard(): Promise<void> {
  const clock = clockAt(`${DAY}T08:30:00.000Z`)
  mkdirSync(dataDir)
  const service = await startTestService({ DATA_DIR: dataDir, ...NAMED }, clock)
  const board = publisherOf(service.client)
  await board.directory('lab')
  await board.investigation('lab')
  const id = await board.contribution(1n)
  const { bytes } = await service.client.get(`/messages/${id}.receipt`)
  writeFileSync(join(dataDir, 'receipt'), bytes)
  clock.passTo('2025-06-02T12:00:00.000Z')
  await sealDays(dataDir, [DAY], clock.now(), NAMED)
  await service.stop()
}

const EXAMPLES: Record<string, string> = { id: '1', path: 'lab', day: DAY, name: 'checkpoint' }
const exampleOf = ({ name, schema }: { name: string; schema: object }) =>
  'type' in schema && schema.type === 'integer' ? '1' : (EXAMPLES[name] ?? 'lab')

interface Good {
  head(bodyBytes: number): string
  body: Buffer
}

const GOOD_BYTES = ({ head, body }: Good) => Buffer.concat([Buffer.from(head(body.length)), body])

/** How many creates there are among the requests, to each that reads something else. */
const CREATES_OF_EACH = 8

/** A good request for each endpoint, and for each file of the pages. */
async function goodRequests(url: string): Promise<Good[]> {
  const { host } = new URL(url)
  const head = (method: string, path: string, more: string[] = []) =>
    [`${method} ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...more, '', ''].join(
      '\r\n',
    )
  const reads = READS.flatMap((endpoint) => {
    const address = addressOf(endpoint, EXAMPLES)
    const query = endpoint.parameters
      .filter((one) => one.in === 'query')
      .map((one) => `${address}?${one.name}=${exampleOf(one)}`)
    const accept = 'Accept: text/html, application/json;q=0.5'
    const fields = [accept, 'Range: bytes=0-9', 'If-None-Match: W/"a", "b"']
    return [address, ...query].map((path) => head('GET', path, fields))
  })
  const writes = Array.from({ length: CREATES_OF_EACH }, () => Object.values(CREATES)).flat()
  const creates = writes.map((create): Good => {
    const [path, request] = create()
    const body = Buffer.from(JSON.stringify({ ...request, author_label: 'Ada' }))
    const type = 'Content-Type: application/json'
    return { head: (bytes) => head('POST', path, [type, `Content-Length: ${bytes}`]), body }
  })
  const home = await (await fetch(url)).text()
  const files = home.match(/(?<=")\/static\/[^"]+/g)?.map((path) => head('GET', path)) ?? []
  const none = Buffer.of()
  return [...[...reads, ...files].map((text) => ({ head: () => text, body: none })), ...creates]
}

test('no mutation of a good request gets a 500 or shows a stack trace, and the server goes on', async () => {
  await makeBoard()
  const server = await startServerProcess({ DATA_DIR: dataDir, ...NAMED })
  limitMemory(server.pid)
  const source = random(SEED)
  const send = (request: Buffer) =>
    sendRaw(server.url, request.toString('latin1'), 'close', GIVEN_UP_MS)
  const good = await goodRequests(server.url)
  for (const request of good) expect((await send(GOOD_BYTES(request))).status).toBeLessThan(500)
  const statuses = new Map<number, number>()
  let left = REQUESTS
  const client = async () => {
    while (left-- > 0) {
      const { head, body } = good[left % good.length] as Good
      const other = mutate(body, source)
      const isInBody = body.length > 0 && source.uniform() < 0.6
      const request = isInBody
        ? GOOD_BYTES({ head, body: other })
        : mutate(GOOD_BYTES({ head, body }), source)
      const { status, text } = await send(request)
      const shown = `${request.toString('latin1', 0, 500)}\n-> ${text.slice(0, 500)}`
      expect([500, 502, 503, 504], shown).not.toContain(status)
      expect(/^\s+at .*:\d+:\d+/m.test(text), shown).toBe(false)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, client))
  expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 201, 400, 404]))
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  expect(server.log()).not.toMatch(/"level":[56]0|^\s+at /m)
  if (MINUTES > 0) process.stdout.write(`requests: ${JSON.stringify([...statuses])}\n`)
}, 1_200_000)

test('no mutation of a recording, an archive, a receipt or a .env is an unexpected error, or goes unnoticed', async () => {
  const board = join(temporaryFolder(), 'board')
  cpSync(dataDir, board, { recursive: true })
  const args = ['test/faults/hostile-files.ts', String(SEED), String(FILES), board]
  const ended = await runNode(args)
  expect(ended).toEqual({ status: 0, stdout: `${FILES} mutations\n`, stderr: '' })
}, 3_600_000)
