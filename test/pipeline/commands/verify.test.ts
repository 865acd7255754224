// Tests the output and exit codes of npm run verify.
// Rules: FORMAT.md 18.1; COMMANDS.md 3.1, 3.4, 3.8.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { beforeEach, describe, expect, it } from 'vitest'
import { snapshotName } from '../../../archive/format/paths.ts'
import { parseVkey } from '../../../archive/log/note.ts'
import type { LogOptions } from '../../../archive/verify/log.ts'
import { verify } from '../../../pipeline/commands/verify.ts'
import { summaryLines } from '../../../pipeline/commands/verify-report.ts'
import { filenameOf, makeDay, makeDayWithLeaves, publish } from '../../archive/days.ts'
import { verified } from '../../archive/decoding.ts'
import { memoryKeeper, openTestLog, vkeyOf } from '../../archive/signing.ts'
import { listen } from '../../support/listen.ts'
import { overwriteFile } from '../../support/overwrite-file.ts'
import { runNode } from '../../support/programs.ts'
import { temporaryFolder } from '../../support/release.ts'
import { inFull } from '../../support/runs.ts'
import { openWriter } from '../../support/writers.ts'
import { executeHere } from './in-process.ts'

const CLI = join(import.meta.dirname, '..', '..', '..', 'pipeline', 'commands', 'verify.ts')

const first = makeDay('2026-11-18', null)
const second = makeDay('2026-11-19', first)

let dir: string
/** An archive's folder without a day. */
let nothing: string

const root = temporaryFolder()
const writer = await openWriter(join(root, 'model'), { create: true })
for (const day of [first, second]) await publish(writer, day)
beforeEach(() => {
  dir = join(root, 'transmissions')
  rmSync(dir, { recursive: true, force: true })
  cpSync(join(root, 'model'), dir, { recursive: true })
  nothing = join(root, 'empty')
  rmSync(nothing, { recursive: true, force: true })
  mkdirSync(nothing)
})

const runProcess = (args: string[], env: Record<string, string> = {}, cwd = root) =>
  runNode([CLI, ...args], { cwd, env })

/** An end in vain, with one line. */
const failed = (line: string, status = 1) => ({ status, stdout: '', stderr: `verify: ${line}\n` })

/** Runs the command in this process. */
async function run(args: string[]) {
  const { status, out, error } = await executeHere(verify, args)
  return { status, stdout: stripVTControlCharacters(String(out)), stderr: error }
}

function damage(): string {
  const file = `2026-11-19/${filenameOf(second, 'png')}`
  overwriteFile(join(dir, file), 'x')
  return file
}

describe('terminal output', () => {
  it('verify prints one good line for each day of a good archive, and exits 0', async () => {
    expect(await runProcess([dir])).toEqual({
      status: 0,
      stdout:
        'good 2026-11-18\ngood 2026-11-19\ngood 2 days, 2026-11-18 to 2026-11-19: no faults\n',
      stderr: '',
    })
  })

  it('verify names a bad file below its day, and exits 1', async () => {
    const file = damage()
    const { status, stdout } = await run([dir])
    expect(status).toBe(1)
    const lines = stdout.split('\n')
    expect(lines.slice(0, 2)).toEqual(['good 2026-11-18', 'bad  2026-11-19'])
    expect(lines[2]).toContain(`medium_hash ${file}: has the SHA-256 `)
    expect(lines.slice(3)).toEqual(['bad  2 days, 2026-11-18 to 2026-11-19: faults in one day', ''])
  })

  inFull('verify notes a run that was killed, and exits 0', async () => {
    mkdirSync(join(dir, '.incoming', '2026-11-20'), { recursive: true })
    const { status, stdout } = await run([dir, '--quick'])
    expect(status).toBe(0)
    expect(stdout).toContain('note .incoming/2026-11-20: a run is in progress or was killed')
  })

  it('the name of a stray file cannot control the terminal', async () => {
    writeFileSync(join(nothing, 'a\u001b[2J\nb\u202e'), '')
    const { status, stdout } = await run([nothing])
    expect(status).toBe(1)
    expect(stdout).toContain('stray a\\u{1b}[2J\\u{a}b\\u{202e}: does not belong')
  })

  inFull('verify shows colours when they are requested', async () => {
    const { stdout } = await runProcess([dir, '--quick'], { FORCE_COLOR: '1' })
    expect(stdout).toContain('\u001b[32mgood\u001b[39m 2 days, ')
  })
})

it('the length of a log with one leaf is in the singular', () => {
  const head = { origin: 'archive.example', size: 1, root: '0'.repeat(64) }
  const log = { ...head, key_checked: true, note: '' }
  const [line] = summaryLines({ ok: true, days: [], findings: [], log })
  expect(line).toBe(`log  archive.example, 1 leaf, root ${log.root}: signed by the key given`)
})

let logged: string
/** Copies the archive, and logs its days. */
async function makeLogged(): Promise<void> {
  logged = mkdtempSync(join(root, 'logged-'))
  cpSync(dir, logged, { recursive: true })
  await (await openTestLog(logged)).append(['2026-11-18', '2026-11-19'])
}

describe('archives with a log', () => {
  beforeEach(makeLogged)

  /** The output about the log does not depend on the media files. */
  const runOnLog = (...args: string[]) => run([logged, '--quick', ...args])

  it('verify reports the log, and that its key was not checked', async () => {
    const { status, stdout } = await runOnLog()
    expect(status).toBe(0)
    expect(stdout).toMatch(
      /^log {2}archive\.example\/transmissions, 2 leaves, root [0-9a-f]{64}: consistent; the key itself was not checked$/m,
    )
  })
})

describe('a log that is not good', () => {
  beforeEach(makeLogged)

  /** The end of the line about the log. The command would read a log that is not good again, 15 s long. */
  const stateOf = async (options: LogOptions = {}) => {
    const log = { ...options }
    const report = await verified(logged, { quick: true, log })
    expect(report.ok).toBe(false)
    return /^log .*, root [0-9a-f]{64}: (.*)$/m.exec(summaryLines(report).join('\n'))?.[1]
  }
  const trusted = { keys: [parseVkey(vkeyOf(1))] }
  const change = (name: string, edit: (text: string) => string) =>
    overwriteFile(join(logged, name), edit(readFileSync(join(logged, name), 'utf8')))
  const reversed = (text: string) =>
    text
      .split(/(?<=\n)/)
      .reverse()
      .join('')
  const flipped = (text: string) => text.replace(/.\n$/, (end) => (end === '0\n' ? '1\n' : '0\n'))

  it.each<[string, (text: string) => string, string]>([
    ['reversed', reversed, 'not the log that was signed'],
    ['with a changed hash', flipped, 'not the log that was signed'],
    ['without a line', (text) => text.slice(0, text.length / 2), 'not the log that was signed'],
    [
      'with a line more',
      (text) => `${text}2026-11-20 ${'a'.repeat(64)}\n`,
      'not signed to its end',
    ],
  ])('verify never says of a log %s that it is consistent or signed', async (_, edit, state) => {
    change('log', edit)
    expect(await stateOf()).toBe(state)
    expect(await stateOf(trusted)).toBe(state)
  })

  it('verify says of a log that does not continue an earlier checkpoint that it is another', async () => {
    const keeper = memoryKeeper()
    await publish(await openWriter(logged, { create: false }), makeDay('2026-11-20', second))
    for (const file of ['log', 'checkpoint']) rmSync(join(logged, file))
    await (await openTestLog(logged, { keeper })).append(['2026-11-20', '2026-11-18', '2026-11-19'])
    const since = readFileSync(join(logged, 'checkpoint'))
    for (const file of ['log', 'checkpoint']) rmSync(join(logged, file))
    await (await openTestLog(logged)).append(['2026-11-18', '2026-11-19', '2026-11-20'])
    expect(await stateOf({ since })).toBe('not the log that was signed')
  })

  it('verify says of a good log without a day, or with another manifest, that it is of other days', async () => {
    change('2026-11-19/2026-11-19.manifest.json', (text) => text.replace('"24.21.0"', '"24.21.1"'))
    expect(await stateOf()).toBe(
      'signed; the key itself was not checked; it is not the log of these days',
    )
    rmSync(join(logged, '2026-11-19'), { recursive: true })
    expect(await stateOf(trusted)).toBe('signed by the key given; it is not the log of these days')
  })
})

inFull(
  'verify notes the day that gives ids again, in its last line and on stderr, too',
  async () => {
    const restored = join(root, 'restored')
    const writer = await openWriter(restored, { create: true })
    const one = makeDayWithLeaves('2026-11-18', null, { first: 1, count: 65 })
    const two = makeDayWithLeaves('2026-11-19', one, { first: 31, count: 40 })
    const three = makeDayWithLeaves('2026-11-20', two, { first: 71, count: 30 })
    for (const day of [one, two, three]) await publish(writer, day)
    const again = 'ids were given again, or their messages redated, on 2026-11-19'
    const file = '2026-11-19/2026-11-19.json'
    const begins = `${file}: begins with message 31; 2026-11-18 ends with message 65`
    expect(await run([restored, '--quick'])).toEqual({
      status: 1,
      stderr: `verify: ${again}\n`,
      stdout: [
        'good 2026-11-18',
        'bad  2026-11-19',
        `     note ${begins}`,
        `     ids_not_consecutive ${begins}`,
        'good 2026-11-20',
        `bad  3 days, 2026-11-18 to 2026-11-20: faults in one day; ${again}`,
        'quick: media files were not read',
        '',
      ].join('\n'),
    })
    const { status, stdout, stderr } = await run([restored, '--quick', '--json'])
    expect([status, stderr]).toEqual([1, `verify: ${again}\n`])
    expect(JSON.parse(stdout).days[1]).toMatchObject({
      ok: false,
      findings: [
        { code: 'ids_reissued', file },
        { code: 'ids_not_consecutive', file },
      ],
    })
  },
)

it('the JSON of a good archive has the documented shape', async () => {
  const { status, stdout } = await run(['--json', dir])
  expect(status).toBe(0)
  const days = ['2026-11-18', '2026-11-19'].map((day) => ({ day, ok: true, findings: [] }))
  expect(JSON.parse(stdout)).toEqual({ ok: true, days, findings: [] })
})

it('the archive comes from the environment, from .env, or from ./data', async () => {
  const empty = (folder: string) => ({
    status: 1,
    stderr: '',
    stdout: `     no_days ${folder}: holds no day\nbad  no day: nothing to verify\n`,
  })
  const cwd = join(root, 'cwd')
  const local = join(cwd, 'data', 'transmissions')
  mkdirSync(local, { recursive: true })
  expect(await runProcess([], {}, cwd)).toEqual(empty(local))
  const data = join(root, 'other')
  const archive = join(data, 'transmissions')
  mkdirSync(archive, { recursive: true })
  writeFileSync(join(cwd, '.env'), `DATA_DIR=${data}\n`)
  expect(await runProcess([], {}, cwd)).toEqual(empty(archive))
  const nowhere = join(root, 'nowhere')
  expect(await runProcess([], { ARCHIVE_DIR: nowhere }, cwd)).toEqual(
    failed(`${nowhere}: does not exist`),
  )
})

const plain = async () => {
  const server = createServer((_request, response) => response.end())
  return `https://127.0.0.1:${(await listen(server)).port}`
}
const snapshot = async () => join(dir, '2026-11-18', snapshotName('2026-11-18'))
inFull.each<[string, () => Promise<string>]>([
  ['no answer (connect ECONNREFUSED 127.0.0.1:1)', async () => 'http://127.0.0.1:1'],
  ['no TLS connection (wrong version number); does the server speak plain http?', plain],
  ['is not a folder', snapshot],
  ['does not exist', async () => join(root, 'nowhere')],
])('it is reported in one line, or as JSON: %s', async (reason, place) => {
  const address = await place()
  expect(await run([address])).toEqual(failed(`${address}: ${reason}`))
  const { status, stdout, stderr } = await run(['--json', address])
  expect([status, stderr]).toEqual([1, ''])
  expect(JSON.parse(stdout)).toMatchObject({
    ok: false,
    days: [],
    findings: [{ code: expect.stringMatching(/^(archive_unavailable|unreachable)$/) }],
  })
})
