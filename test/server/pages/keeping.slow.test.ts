// Runs the commands that the pages show to visitors: checking a day, and keeping a mirror with cron.
// Rules: API.md 9.11.
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  filesIn,
  makeDays,
  publishSigned,
  serveFolder,
} from '../../archive/mirror/signed-archive.ts'
import { vkeyOf } from '../../archive/signing.ts'
import { ROOT } from '../../support/imports.ts'
import { overwriteFile } from '../../support/overwrite-file.ts'
import { childEnvironment } from '../../support/programs.ts'
import { temporaryFolder } from '../../support/release.ts'
import { clockAt, startTestService } from '../../support/service.ts'
import { parseHtml } from './html.ts'

const peerDir = temporaryFolder()
await publishSigned(peerDir, makeDays(2))
/** Another copy of the archive, which the service names. */
const peer = await serveFolder(peerDir)
const service = await startTestService({ MIRRORS: peer.url }, clockAt('2026-11-20T12:00:00Z'))
cpSync(peerDir, service.archiveDir, { recursive: true })
/** The visitor's home folder, with a link to this checkout. */
const home = temporaryFolder()
symlinkSync(ROOT, join(home, 'daysignal'))

/** Returns the commands on a page. */
async function commandsOn(path: string): Promise<string[]> {
  const { text } = await service.client.get(path, { accept: 'text/html' })
  const blocks = text.matchAll(/<pre class="command">(<code>.*?<\/code>)<\/pre>/gs)
  return [...blocks].map(([, code = '']) => parseHtml(code).text)
}

function run(line: string, cwd = home, env: Record<string, string> = {}) {
  const options = { cwd, env: childEnvironment({ HOME: home, ...env }) }
  return new Promise<{ code: number; stdout: string; stderr: string }>((ended) => {
    const child = execFile('sh', ['-c', line], options, (_, stdout, stderr) =>
      ended({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })
}

test('the commands on the page of a day download and check it', async () => {
  const [one = '', all = ''] = (await commandsOn('/transmissions/2026-11-02')).slice(-2)
  const { text } = await service.client.get('/transmissions/2026-11-02', { accept: 'text/html' })
  const hashed = await run(one)
  expect(hashed.code).toBe(0)
  expect(text).toContain(hashed.stdout.slice(0, 64))
  const folder = join(home, 'day')
  mkdirSync(folder)
  const { code, stdout } = await run(all, folder)
  expect(code).toBe(0)
  expect(stdout.match(/: OK$/gm)).toHaveLength(5)
})

test('the crontab lines keep a mirror, are silent while all is well, and print problems', async () => {
  const [first = '', crontab = ''] = (await commandsOn('/transmissions')).slice(-2)
  expect(await run(first)).toMatchObject({ code: 0, stderr: '' })
  const [variable = '', ...jobs] = crontab.split('\n')
  const env = { KEY: variable.replace(/^KEY=/, '') }
  expect(env.KEY).toBe(vkeyOf(1))
  const lines = jobs.map((line) => line.replace(/^(?:\S+ ){5}/, ''))
  // The days of the test are older than any that are fresh.
  const [mirror = '', verify = ''] = lines.map((line) =>
    line.replace('--fresh 36', '--fresh 999999'),
  )
  expect(lines[0]).toContain(` --fresh 36 --peer ${peer.url} `)
  expect(lines[1]).toContain(' --since ~/checkpoint --update ')
  for (const line of [mirror, verify])
    expect(await run(line, home, env)).toEqual({ code: 0, stdout: '', stderr: '' })
  const copy = join(home, 'copy')
  expect(readFileSync(join(home, 'checkpoint'))).toEqual(readFileSync(join(copy, 'checkpoint')))

  const [sound = ''] = [...filesIn(copy).keys()].filter((name) => name.endsWith('.wav'))
  const bytes = readFileSync(join(copy, sound))
  overwriteFile(join(copy, sound), bytes.fill(1, 1000, 1001))
  expect((await run(verify, home, env)).stdout).toContain(`medium_hash ${sound}`)

  const log = join(service.archiveDir, 'log')
  const otherEnd = (end: string) => (end === '0\n' ? '1\n' : '0\n')
  overwriteFile(log, readFileSync(log, 'utf8').replace(/.\n$/, otherEnd))
  const refused = await run(mirror, home, env)
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toMatch(/^log_rewritten \S+: [^\n]+\n$/)
})
