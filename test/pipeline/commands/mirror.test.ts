// Tests npm run mirror against a running service: output, exit codes, and how the other commands treat a mirror.
// Rules: FORMAT.md 19.1-19.2; API.md 9.10; COMMANDS.md 4.4, 4.7.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { mirror } from '../../../pipeline/commands/mirror.ts'
import { lockArchive } from '../../../server/data/pipeline-lock.ts'
import { filenameOf } from '../../archive/days.ts'
import { filesIn, makeDays, publishSigned } from '../../archive/mirror/signed-archive.ts'
import { vkeyOf } from '../../archive/signing.ts'
import { runNode } from '../../support/programs.ts'
import { temporaryFolder } from '../../support/release.ts'
import { inFull } from '../../support/runs.ts'
import { clockAt, startTestService } from '../../support/service.ts'
import { verify } from '../workshop.ts'
import { executeHere } from './in-process.ts'

const COMMANDS = join(import.meta.dirname, '..', '..', '..', 'pipeline', 'commands')
const days = makeDays(2)

const root = temporaryFolder()
const service = await startTestService({}, clockAt('2026-11-20T12:00:00Z'))
await publishSigned(service.archiveDir, days)

/** Runs a command as a process, in `root`. */
const run = (command: string, args: string[], env: Record<string, string> = {}) =>
  runNode([join(COMMANDS, `${command}.ts`), ...args], {
    cwd: root,
    env: { DATA_DIR: join(root, 'data'), ...env },
  })

/** Runs mirror in this process, on folders in `root`. */
async function mirrorHere(folder: string, ...options: string[]) {
  const { status, out, error } = await executeHere(mirror, [
    service.url,
    join(root, folder),
    ...options,
  ])
  return { status, stdout: String(out), stderr: error }
}

describe('npm run mirror', () => {
  test('a first run mirrors a service, and a second run updates nothing', async () => {
    const first = await run('mirror', [service.url, 'whole', '--key', vkeyOf(1)])
    expect(first).toMatchObject({ status: 0, stderr: '' })
    expect(first.stdout).toMatch(/^whole: 2 days, 2 updated, [0-9.]+ MB fetched; complete\n$/)
    const again = await mirrorHere('whole', '--json')
    expect(again).toMatchObject({ status: 0, stderr: '' })
    expect(JSON.parse(again.stdout)).toEqual({
      ok: true,
      source: service.url,
      days: 2,
      updated: 0,
      bytes: 0,
      findings: [],
    })
    const files = filesIn(join(root, 'whole'))
    for (const [name, bytes] of filesIn(service.archiveDir))
      expect(files.get(name), name).toEqual(bytes)
    expect(await verify(join(root, 'whole'))).toMatchObject({ ok: true })
  })

  test('mirror exits 75 while another process updates the folder', async () => {
    const release = lockArchive(join(root, 'whole'))
    expect(await mirrorHere('whole')).toEqual({
      status: 75,
      stdout: '',
      stderr: `mirror: ${join(root, 'whole')}: another process is updating this mirror\n`,
    })
    release()
  })

  test('mirror exits 1 with one line when another key signed the log', async () => {
    const { status, stderr } = await mirrorHere('other', '--key', vkeyOf(2))
    expect(status).toBe(1)
    expect(stderr).toBe(`unknown_signer ${service.url}: checkpoint: is not signed by a known key\n`)
  })

  test('a usage error exits 2 with one line, and creates no folder', async () => {
    expect(await mirrorHere('x', '--jobs', '0')).toEqual({
      status: 2,
      stdout: '',
      stderr: 'mirror: --jobs: must be a whole number from 1 to 16; see --help\n',
    })
    expect(existsSync(join(root, 'x'))).toBe(false)
  })
})

inFull('a mirror without films verifies, is served read-only, and accepts no new day', async () => {
  const options = ['--media', 'wav,png', '--from', '2026-11-02']
  expect(await run('mirror', [service.url, 'part', ...options])).toMatchObject({ status: 0 })
  const dir = join(root, 'part')
  const verified = await run('verify', [dir])
  expect(verified).toMatchObject({ status: 0 })
  expect(verified.stdout).toContain(
    'mirror.json: not mirrored, so not checked: days before 2026-11-02; mp4',
  )
  const snapshot = await run('snapshot', [], { ARCHIVE_DIR: dir })
  expect(snapshot.status).toBe(1)
  expect(snapshot.stderr).toBe(
    `snapshot: ${dir}: is a mirror of ${service.url}; only npm run mirror may add days to it\n`,
  )
  const served = await startTestService(
    { ARCHIVE_DIR: dir, SCHEDULE: '* * * * *' },
    clockAt('2026-11-20T12:00:00Z'),
  )
  try {
    const [, second] = days as [(typeof days)[0], (typeof days)[0]]
    const media = (kind: 'wav' | 'mp4') =>
      served.client.get(`/transmission-media/2026-11-02/${filenameOf(second, kind)}`)
    expect(await media('wav')).toMatchObject({ status: 200 })
    expect(await media('mp4')).toMatchObject({ status: 404 })
    expect(await served.client.get('/messages/1.receipt')).toMatchObject({ status: 404 })
    const sums = await served.client.get('/transmissions/SHA256SUMS')
    expect(sums.text).toBe(readFileSync(join(dir, 'SHA256SUMS'), 'utf8'))
    expect(sums.text).not.toContain('.mp4')
    for (const path of ['/', '/transmissions', '/transmissions/2026-11-02']) {
      const page = await served.client.get(path, { accept: 'text/html' })
      if (path.endsWith('02')) expect(page.text).toContain('.wav"')
      expect(page.text, path).not.toContain('.mp4')
      expect(page.text, path).not.toContain('href="/transmissions/2026-11-01"')
    }
    const settings = await served.client.get('/transmissions/mirror.json')
    expect(settings.text).toBe(readFileSync(join(dir, 'mirror.json'), 'utf8'))
    expect(await service.client.get('/transmissions/mirror.json')).toMatchObject({
      status: 404,
    })
    const written = await fetch(`${served.url}/api/v1/directories`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ slug: 'garden', title: 'Garden' }),
    })
    expect(written.status).toBe(503)
    expect(await written.json()).toMatchObject({ error: { code: 'read_only' } })
    const copy = await run('mirror', [served.url, 'copy', ...options])
    expect(copy).toMatchObject({ status: 0, stderr: '' })
    const [one, other] = [filesIn(dir), filesIn(join(root, 'copy'))]
    for (const files of [one, other]) files.delete('mirror.json')
    expect(other).toEqual(one)
    expect(served.complaints).toEqual([])
  } finally {
    await served.stop()
  }
})
