// Kills a mirror repeatedly at random moments: no wrong byte is ever published, the result is complete, and what the source
// hides and erases meanwhile is in no file after the next run.
// Rules: COMMANDS.md 4.1.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { act } from '../../support/operator.ts'
import { childEnvironment } from '../../support/programs.ts'
import { publisherOf } from '../../support/publish.ts'
import { random } from '../../support/random.ts'
import { temporaryFolder } from '../../support/release.ts'
import { sealDays } from '../../support/sealing.ts'
import { clockAt, startTestService } from '../../support/service.ts'
import { elapse, until } from '../../support/time.ts'
import { verified } from '../decoding.ts'
import { filesIn, makeDays, mirrorFrom, publishSigned, serveFolder } from './signed-archive.ts'

const COUNT = 30
const KILLS = 20

/** Mirrors once, in a process. */
const startMirror = (from: string, to: string) =>
  spawn(process.execPath, [join(import.meta.dirname, 'run-mirror.ts'), from, to], {
    env: childEnvironment(),
    stdio: 'inherit',
  })

test(`a mirror of ${COUNT} days killed ${KILLS} times is complete in the end`, async () => {
  const root = temporaryFolder()
  const [source, dir] = [join(root, 'source'), join(root, 'mirror')]
  await publishSigned(source, makeDays(COUNT))
  const server = await serveFolder(source)
  // Slow enough to be killed midway.
  server.tamper = (request, response, bytes) => {
    if (!request.url?.endsWith('.wav') || request.headers.range) return false
    response.writeHead(200, { etag: '"sound"', 'content-length': bytes.length })
    response.write(bytes.subarray(0, 200_000))
    void elapse(20, 'a slow line').then(() => response.end(bytes.subarray(200_000)))
    return true
  }
  const whole = filesIn(source)
  const start = () => startMirror(server.url, dir)
  const chance = random(11)
  for (let kill = 0; kill < KILLS; kill += 1) {
    server.requests.length = 0
    const child = start()
    const ended = once(child, 'exit')
    await until(() => server.requests.length > 0)
    await elapse(600 * chance.uniform(), 'each kill comes at another moment')
    child.kill('SIGKILL')
    await ended
    for (const [name, bytes] of filesIn(dir))
      if (/^2026-.*\.(wav|mp4|png|json)$/.test(name)) expect(bytes, name).toEqual(whole.get(name))
  }
  const [code] = await once(start(), 'exit')
  expect(code).toBe(0)
  const files = filesIn(dir)
  for (const [name, bytes] of whole) expect(files.get(name), name).toEqual(bytes)
  expect([...files.keys()].filter((name) => name.startsWith('.'))).toEqual([])
  server.requests.length = 0
  await once(start(), 'exit')
  expect(server.requests.length).toBeLessThanOrEqual(6)
  await server.close()
}, 300_000)

const DAYS = ['2026-11-16', '2026-11-17', '2026-11-18']
const PER_DAY = 40
const ROUNDS = 12

test(`after each of ${ROUNDS} rounds with a killed run, no file has a text that the source hides`, async () => {
  const root = temporaryFolder()
  const dir = join(root, 'mirror')
  const clock = clockAt(`${DAYS[0]}T00:00:01Z`)
  const service = await startTestService({}, clock)
  const publish = publisherOf(service.client)
  const chance = random(33)
  const textOf = (id: bigint) => `the words of number ${id} end here ${'.'.repeat(3_000)}`
  const ids: bigint[] = []
  await publish.directory('lab')
  for (const day of DAYS) {
    clock.passTo(`${day}T08:00:00Z`)
    for (let n = 0; n < PER_DAY; n += 1)
      ids.push(await publish.message('lab', textOf(BigInt(ids.length + 1))))
  }
  clock.passTo('2026-11-19T12:00:00Z')
  await sealDays(service.dataDir, DAYS, clock.now())
  const run = () => mirrorFrom(service.url, dir, { selection: { records: true } })
  expect(await run()).toMatchObject({ ok: true })
  const hidden = new Set<bigint>()
  const erased = new Set<bigint>()
  const change = async () => {
    const id = chance.one(ids)
    if (erased.has(id)) return
    if (!hidden.has(id)) {
      await act(service, 'hide', 'message', id)
      hidden.add(id)
    } else if (chance.uniform() < 0.5) {
      await act(service, 'show', 'message', id)
      hidden.delete(id)
    } else {
      await act(service, 'erase', 'message', id)
      erased.add(id)
    }
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let n = 0; n < 6; n += 1) await change()
    const killed = startMirror(service.url, dir)
    const ended = once(killed, 'exit')
    await elapse(200 + 900 * chance.uniform(), 'each kill comes at another moment')
    await change()
    killed.kill('SIGKILL')
    await ended
    await change()
    expect(await run()).toMatchObject({ ok: true, findings: [] })
    const whole = Buffer.concat([...filesIn(dir).values()])
    const inFiles = ids.filter((id) => whole.includes(`the words of number ${id} end here`))
    expect(inFiles).toEqual(ids.filter((id) => !hidden.has(id)))
    expect(await verified(dir)).toMatchObject({ ok: true })
  }
}, 300_000)
