// Mirrors from a server with mutated responses. None may publish a wrong byte, write outside the folder, or download
// without end.
// Rules: COMMANDS.md 4.3.
import { readdirSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { within } from '../../../server/system/system.ts'
import { random } from '../../support/random.ts'
import { temporaryFolder } from '../../support/release.ts'
import { DEADLINE_MS } from '../../support/time.ts'
import {
  filesIn,
  makeDays,
  mirrorFrom,
  publishSigned,
  sendFile,
  serveFolder,
} from './signed-archive.ts'

const MUTATIONS = 200

/** Each returns changed bytes, or null after sending a response itself. */
const MUTATORS: ((bytes: Buffer, at: number, response: ServerResponse) => Buffer | null)[] = [
  (bytes, at) => Buffer.concat([bytes.subarray(0, at), Buffer.from('x'), bytes.subarray(at + 1)]),
  (bytes, at) => bytes.subarray(0, at),
  (bytes, at) => Buffer.concat([bytes.subarray(0, at), bytes]),
  (bytes) => Buffer.concat([bytes, Buffer.alloc(1_000_000)]),
  (bytes) => Buffer.from(bytes).reverse(),
  () => Buffer.alloc(0),
  (bytes) => Buffer.from(bytes.toString('latin1').replaceAll('2026-11-0', '../../..//'), 'latin1'),
  (bytes) => Buffer.from(bytes.toString('latin1').replaceAll('2026-11-02', '2026-11-01'), 'latin1'),
  (bytes, at, response) => {
    const content = `bytes ${at}-${bytes.length}/${bytes.length + 1}`
    response.writeHead(206, { etag: '"x"', 'content-range': content }).end(bytes.subarray(at))
    return null
  },
  (_, at, response) => {
    const location = at % 2 === 0 ? '/elsewhere' : 'http://192.0.2.1/'
    response.writeHead(301 + (at % 8), { location }).end()
    return null
  },
  (_, __, response) => {
    response.writeHead(200)
    const more = () => {
      sent += CHUNK.length
      response.write(CHUNK, () => response.destroyed || more())
    }
    more()
    return null
  },
]
const CHUNK = Buffer.alloc(65_536, 'x')
/** Bytes sent in endless responses. */
let sent = 0
/** The largest file without a size in a manifest may have 64 MiB, and is requested once. */
const MAX_SENT = 80 * 1024 * 1024

test(`${MUTATIONS} mutated responses never publish a wrong byte`, async () => {
  const root = temporaryFolder()
  const source = join(root, 'source')
  await publishSigned(source, makeDays(2))
  const whole = filesIn(source)
  const server = await serveFolder(source)
  const chance = random(7)
  const between = (count: number) => Math.floor(chance.uniform() * count)
  const options = { client: { stallMs: 500, sleep: () => Promise.resolve() } }
  for (let number = 0; number < MUTATIONS; number += 1) {
    const dir = join(root, `mirror-${number}`)
    const target = between(16)
    const mutate = MUTATORS[number % MUTATORS.length] as (typeof MUTATORS)[0]
    let requested = 0
    sent = 0
    let path = ''
    server.tamper = (request, response, bytes) => {
      if (path === '' && bytes.length > 0 && requested++ === target) path = request.url ?? ''
      if (request.url !== path) return false
      const changed = mutate(bytes, between(bytes.length), response)
      if (changed) sendFile(request, response, changed)
      return true
    }
    const mirror = async () => {
      const report = await within(DEADLINE_MS, mirrorFrom(server.url, dir, options), null)
      expect(report, `${number} ${path} ends`).not.toBeNull()
      return report
    }
    await mirror()
    for (const [name, bytes] of filesIn(dir))
      if (!/^mirror\.json$|^\.incoming|^\.refused|SHA256SUMS$|\.sha256$|^key$/.test(name))
        expect(bytes, `${number} ${path} ${name}`).toEqual(whole.get(name))
    expect(readdirSync(root).length).toBe(2)
    expect(sent, `${number} ${path}`).toBeLessThan(MAX_SENT)
    server.tamper = null
    expect(await mirror(), `${number} ${path}`).toMatchObject({ ok: true })
    rmSync(dir, { recursive: true })
  }
}, 300_000)
