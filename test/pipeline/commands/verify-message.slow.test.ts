// Tests npm run verify with --proof, --message, --text and --database, on the files that a visitor downloads.
// Rules: COMMANDS.md 1.2-1.3.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseJson, stringifyJson } from '../../../archive/base/json.ts'
import { composeManifest } from '../../../archive/format/manifest.ts'
import { eachKind } from '../../../archive/format/media.ts'
import { takeSnapshot } from '../../../pipeline/snapshot.ts'
import type { Database } from '../../../server/database/database.ts'
import { openDatabase } from '../../../server/database/open.ts'
import { system } from '../../../server/system.ts'
import { openTestLog, vkeyOf } from '../../archive/signing.ts'
import { parseHtml } from '../../server/pages/html.ts'
import { ROOT } from '../../support/imports.ts'
import { childEnvironment } from '../../support/programs.ts'
import { publisherOf } from '../../support/publish.ts'
import { clockAt, startTestService, type TestService } from '../../support/service.ts'
import { openWriter } from '../../support/writers.ts'

const CLI = join(import.meta.dirname, '..', '..', '..', 'pipeline', 'commands', 'verify.ts')
const DAY = '2026-11-18'

let root: string
let service: TestService
let database: Database

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'daysignal-verify-message-'))
  const clock = clockAt(`${DAY}T08:00:00Z`)
  service = await startTestService({}, clock)
  await service.client.post('/api/v1/directories', { path: 'garden' })
  for (const body of ['Frost last night.', 'None today.', 'And now?'])
    await service.client.post('/api/v1/messages', { directory: 'garden', body })
  await publisherOf(service.client).investigation('garden', {
    title: 'Thaw',
    body: 'What thaws first?',
  })
  clock.passTo('2026-11-20T08:00:00Z')
  database = await openDatabase(service.config.database, { clock: system.clock, create: false })
  const writer = await openWriter(service.archiveDir, { create: true })
  const unavailable = { available: false, reason: 'render_failed' } as const
  const media = eachKind(() => unavailable)
  const { snapshot } = await takeSnapshot(database, DAY, null, Date.parse('2026-11-19T00:05:00Z'))
  await writer.fixSnapshot(snapshot)
  await writer.seal(composeManifest(snapshot, media, { node: '24', sharp: '0', ffmpeg: null }))
  await (await openTestLog(service.archiveDir)).append([DAY])
  for (const id of [2, 4])
    for (const name of [`${id}.proof.json`, `${id}.json`, `${id}.txt`])
      writeFileSync(join(root, name), (await service.client.get(`/messages/${name}`)).text)
})
afterAll(async () => {
  await database.close()
  await service.stop()
  rmSync(root, { recursive: true, force: true })
})

/** Runs verify in the visitor's folder, as a child process so that the service can respond. */
async function verify(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [CLI, ...args], { cwd: root, env: childEnvironment(env) })
  const ended = once(child, 'close')
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  await ended
  return { status: child.exitCode, stdout, stderr }
}

const FILES = ['--proof', '2.proof.json', '--message', '2.json', '--text', '2.txt']

describe('verify --proof', () => {
  test('verify prints every step, for a folder and for a service, and exits 0', async () => {
    for (const place of [service.archiveDir, service.url]) {
      const { status, stdout, stderr } = await verify([...FILES, '--key', vkeyOf(1), place])
      expect([status, stderr]).toEqual([0, ''])
      const steps = stdout.trimEnd().split('\n')
      expect(steps.every((line) => line.startsWith('good '))).toBe(true)
      expect(steps.map((line) => /^good ([^:]+):/.exec(line)?.[1])).toEqual([
        'text',
        'message',
        'root',
        'snapshot',
        'manifest',
        'log',
        'checkpoint',
        'key',
      ])
    }
  })

  test('a proof can be verified without record and text, also for a question and as JSON', async () => {
    const { status, stdout } = await verify(['--proof', '4.proof.json', '--json', service.url])
    expect(status).toBe(0)
    const { ok, steps } = JSON.parse(stdout) as { ok: boolean; steps: { ok: boolean }[] }
    expect([ok, steps.every((step) => step.ok)]).toEqual([true, true])
  })

  test('the record of a question in its investigation gives the whole leaf, its own record all but the entry', async () => {
    const { text } = await service.client.get('/investigations/1.json')
    const { investigation } = parseJson(text) as { investigation: unknown }
    writeFileSync(join(root, 'question.json'), stringifyJson(investigation))
    for (const [record, step] of [
      ['question.json', /^good message: message 4 gives the leaf$/m],
      ['4.json', /^good message: message 4 gives the leaf; its entry is not in the record/m],
    ] as const) {
      const { status, stdout } = await verify([
        '--proof',
        '4.proof.json',
        '--message',
        record,
        service.archiveDir,
      ])
      expect(stdout).toMatch(step)
      expect(status).toBe(0)
    }
  })

  test('the commands on the page of a message download its proof and verify it', async () => {
    const page = await service.client.get('/messages/2', { accept: 'text/html' })
    const blocks = [...page.text.matchAll(/<pre class="command">(<code>.*?<\/code>)<\/pre>/gs)]
    const command = parseHtml(blocks.at(-1)?.[1] ?? '').text
    symlinkSync(ROOT, join(root, 'daysignal'))
    const child = spawn('sh', ['-c', command], { env: childEnvironment({ HOME: root }) })
    const ended = once(child, 'close')
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
    expect([(await ended)[0], stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^(?:good [^\n]+\n){8}$/)
  })

  test('a different text, record or key ends the steps, and verify exits 1', async () => {
    writeFileSync(join(root, 'other.txt'), 'Frost last night!')
    const place = service.archiveDir
    const last = async (args: string[]) => {
      const { status, stdout } = await verify([...args, place])
      return [status, stdout.trimEnd().split('\n').at(-1)]
    }
    const withText = [...FILES.slice(0, 5), 'other.txt']
    expect(await last(withText)).toEqual([
      1,
      expect.stringMatching(/^bad {2}refuted: the text does not/),
    ])
    const withMessage = ['--proof', '2.proof.json', '--message', '4.json']
    expect(await last(withMessage)).toEqual([
      1,
      expect.stringMatching(/^bad {2}refuted: the record of the message does not/),
    ])
    const withKey = ['--proof', '2.proof.json', '--key', vkeyOf(2)]
    expect(await last(withKey)).toEqual([
      1,
      expect.stringMatching(/^bad {2}refuted: checkpoint: is not signed by a known key/),
    ])
  })

  test('a missing file is an error of one line', async () => {
    expect(await verify(['--proof', 'none', service.url])).toEqual({
      status: 1,
      stdout: '',
      stderr: 'verify: none: no such file or folder\n',
    })
  })
})

describe('verify --database', () => {
  test('verify names a changed text and a changed record of the archive it verifies, and exits 1', async () => {
    const DATA_DIR = dirname(service.config.database)
    const configured = { DATA_DIR, ARCHIVE_DIR: service.archiveDir }
    expect(await verify(['--database'], configured)).toMatchObject({ status: 0, stderr: '' })
    await database.write((tx) =>
      tx
        .updateTable('messages')
        .set({ body: 'x', author_label: 'Eve' })
        .where('id', '=', 2n)
        .execute(),
    )
    const elsewhere = { DATA_DIR, ARCHIVE_DIR: join(root, 'elsewhere') }
    mkdirSync(elsewhere.ARCHIVE_DIR)
    const { status, stdout } = await verify(['--database', service.archiveDir], elsewhere)
    expect(status).toBe(1)
    expect(stdout).toContain('body_differs message 2: its text does not have its body_hash')
    const lines = stdout.split('\n')
    expect(lines[0]).toBe(`bad  ${DAY}`)
    expect(lines[1]).toContain(`records_differ ${DAY}: root is `)
    expect(stdout).toContain(`bad  ${DAY}: faults in one day\n`)
    const json = await verify(['--database', '--json', service.archiveDir], elsewhere)
    const { ok, days, findings } = JSON.parse(json.stdout)
    expect(days).toMatchObject([{ day: DAY, ok: false, findings: [{ code: 'records_differ' }] }])
    expect([ok, ...findings.map((one: { code: string }) => one.code)]).toEqual([
      false,
      'body_differs',
    ])
  })
})
