// Kills a mirror repeatedly at random moments: no wrong byte is ever published, and the result is complete.
// Rules: COMMANDS.md 4.1.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { childEnvironment } from '../../support/programs.ts'
import { random } from '../../support/random.ts'
import { temporaryFolder } from '../../support/release.ts'
import { elapse, until } from '../../support/time.ts'
import { filesIn, makeDays, publishSigned, serveFolder } from './signed-archive.ts'

const DAYS = 30
const KILLS = 20

test(`a mirror of ${DAYS} days killed ${KILLS} times is complete in the end, and so is a mirror of it`, async () => {
  const root = temporaryFolder()
  const [source, dir] = [join(root, 'source'), join(root, 'mirror')]
  await publishSigned(source, makeDays(DAYS))
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
  const start = (from = server.url, to = dir) =>
    spawn(process.execPath, [join(import.meta.dirname, 'run-mirror.ts'), from, to], {
      env: childEnvironment(),
      stdio: 'inherit',
    })
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

  const mirrors = await serveFolder(dir)
  const copy = join(root, 'copy')
  expect(await once(start(mirrors.url, copy), 'exit')).toEqual([0, null])
  const [one, other] = [filesIn(dir), filesIn(copy)]
  for (const both of [one, other]) expect(both.delete('mirror.json')).toBe(true)
  expect(other).toEqual(one)
}, 300_000)
