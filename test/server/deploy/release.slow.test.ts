// npm run release: its files depend on the commit alone, the readers' package runs without an installation, and the
// service that is unpacked from it serves the scripts of its pages and that package.
// Rules: COMMANDS.md 8.1-8.2.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeAll, expect, test } from 'vitest'
import project from '../../../package.json' with { type: 'json' }
import { ROOT } from '../../support/imports.ts'
import { freePort } from '../../support/listen.ts'
import { childEnvironment } from '../../support/programs.ts'
import { temporaryFolder } from '../../support/release.ts'
import { makeCheckout, release } from './checkout.ts'

const { version } = project
const FILES = [
  'SHA256SUMS',
  `daysignal-${version}.cdx.json`,
  `daysignal-${version}.tgz`,
  `daysignal-verify-${version}.tgz`,
]
const SAMPLE = join(ROOT, 'archive/vectors/sample')

let checkout: string
let released: string

/** Unpacks a package. @returns its folder */
function unpack(name: string): string {
  const folder = temporaryFolder()
  execFileSync('tar', ['xzf', join(released, name)], { cwd: folder })
  return join(folder, 'package')
}

beforeAll(() => {
  checkout = makeCheckout()
  released = join(temporaryFolder(), 'made', 'by it')
  expect(release(checkout, released)).toMatchObject({ status: 0 })
})

test('another checkout of the commit makes the same files, whose hashes SHA256SUMS has', () => {
  const again = temporaryFolder()
  expect(release(makeCheckout(), again)).toMatchObject({ status: 0 })
  expect(readdirSync(released).sort()).toEqual(FILES)
  for (const name of FILES)
    expect(readFileSync(join(again, name)).equals(readFileSync(join(released, name)))).toBe(true)
  execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: released })
})

test('a checkout with changes is refused with one line', () => {
  const changed = makeCheckout()
  writeFileSync(join(changed, 'README.md'), 'changed')
  expect(release(changed, temporaryFolder())).toMatchObject({
    status: 1,
    stderr: 'release: the checkout has changes: M README.md\n',
  })
})

test('the components are those of the lock without development, and no address of a registry is in any file', () => {
  const list = JSON.parse(readFileSync(join(released, FILES[1] as string), 'utf8'))
  const names: string[] = list.components.map(({ name }: { name: string }) => name)
  expect(names).toContain('kysely')
  expect(names).not.toContain('vitest')
  expect(list.metadata).toMatchObject({
    timestamp: '2026-11-19T08:30:00.000Z',
    component: { name: 'daysignal', version },
  })
  const service = unpack(FILES[2] as string)
  for (const name of ['npm-shrinkwrap.json', 'package.json'])
    expect(readFileSync(join(service, name), 'utf8')).not.toMatch(/"resolved"|"vitest"|"esbuild"/)
  expect(readFileSync(join(service, 'THIRD-PARTY.txt'), 'utf8')).toMatch(/^kysely \S+, MIT$/m)
})

test('the package of readers has at most 300 KB, needs no installation, and verifies, decodes and encodes', () => {
  const file = join(released, FILES[3] as string)
  expect(statSync(file).size).toBeLessThanOrEqual(300_000)
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(unpack(FILES[3] as string), 'lib/reader.js'), ...args], {
      encoding: 'utf8',
      cwd: temporaryFolder(),
    })
  const verified = run('verify', SAMPLE)
  expect([verified.status, verified.stderr]).toEqual([0, ''])
  expect(verified.stdout).toContain('good 4 days, 2026-11-17 to 2026-11-20: no faults\n')
  const decoded = run('decode', join(ROOT, 'protocol/vectors/noise.wav'))
  expect(decoded.stdout).toContain('  day                 2100-12-31\n')
  expect(run('encode', '--help').stdout).toContain(
    '  daysignal-verify encode SNAPSHOT.json OUT.wav',
  )
  expect(run('mirror', 'x')).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^mirror: /),
  })
  expect(run('--version').stdout).toBe(`daysignal ${version}\n`)
  expect(run('--help').stdout).toMatch(/^Verifies, mirrors and decodes/)
  expect(run('snapshot')).toMatchObject({
    status: 2,
    stderr: 'daysignal-verify: name one of verify, mirror, decode, encode; see --help\n',
  })
})

test('the unpacked service starts, and serves the scripts that it was released with and the package of readers', async () => {
  const service = unpack(FILES[2] as string)
  symlinkSync(join(ROOT, 'node_modules'), join(service, 'node_modules'))
  const child = spawn(process.execPath, ['server/deploy/run.js', 'start'], {
    cwd: service,
    env: childEnvironment({
      DATA_DIR: temporaryFolder(),
      PORT: String(await freePort()),
      SCHEDULE: 'off',
    }),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    let url = ''
    for await (const line of createInterface(child.stdout)) {
      url = /http:\/\/[^\s"]+/.exec(line)?.[0] ?? ''
      if (url !== '') break
    }
    const get = async (path: string) =>
      Buffer.from(await (await fetch(new URL(path, url))).arrayBuffer())
    const page = String(await get('/transmissions/decode'))
    const built = JSON.parse(readFileSync(join(service, 'server/pages/static/built.json'), 'utf8'))
    const script = /\/static\/[0-9a-f]{16}\/decode-page\.js/.exec(page)?.[0] ?? ''
    expect(built.texts).toContain(String(await get(script)))
    const reader = await get(`/daysignal-verify-${version}.tgz`)
    expect(reader.equals(readFileSync(join(released, FILES[3] as string)))).toBe(true)
  } finally {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
})
