// npm run verify: what is printed, and the exit code.
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { snapshotName } from '../../../archive/format/paths.ts'
import { openWriter } from '../../../archive/writing/writer.ts'
import { filenameOf, makeDay, publish } from '../../archive/days.ts'
import { childEnvironment } from '../../support/programs.ts'

const CLI = join(import.meta.dirname, '..', '..', '..', 'pipeline', 'commands', 'verify.ts')

const first = makeDay('2026-11-18', null)
const second = makeDay('2026-11-19', first)

let root: string
let dir: string
/** Enough where it is not about the days. */
let empty: string

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'daysignal-verify-cli-'))
  const writer = await openWriter(join(root, 'model'), { create: true })
  for (const day of [first, second]) await publish(writer, day)
})
beforeEach(() => {
  dir = join(root, 'transmissions')
  rmSync(dir, { recursive: true, force: true })
  cpSync(join(root, 'model'), dir, { recursive: true })
  empty = join(root, 'empty')
  rmSync(empty, { recursive: true, force: true })
  mkdirSync(empty)
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

function run(args: string[], env: Record<string, string> = {}, cwd = root) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
    cwd,
    env: childEnvironment(env),
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

function damage(): string {
  const file = `2026-11-19/${filenameOf(second, 'png')}`
  chmodSync(join(dir, file), 0o644)
  writeFileSync(join(dir, file), 'x')
  return file
}

describe('on a terminal', () => {
  it('a good archive is one good line a day, and exit 0', () => {
    expect(run([dir])).toEqual({
      status: 0,
      stdout: 'good 2026-11-18\ngood 2026-11-19\ngood 2 days, all good\n',
      stderr: '',
    })
  })

  it('a bad one names the file below its day, and exits 1', () => {
    const file = damage()
    const { status, stdout } = run([dir])
    expect(status).toBe(1)
    const lines = stdout.split('\n')
    expect(lines.slice(0, 2)).toEqual(['good 2026-11-18', 'bad  2026-11-19'])
    expect(lines[2]).toContain(`medium_hash ${file}: has the SHA-256 `)
    expect(lines.slice(3)).toEqual(['bad  2 days, 1 bad', ''])
  })

  it('a run that was killed is noted, and exits 0', () => {
    mkdirSync(join(empty, '.staging', '2026-11-20'), { recursive: true })
    const { status, stdout } = run([empty])
    expect(status).toBe(0)
    expect(stdout).toContain('note .staging/2026-11-20: a run is under way or was killed')
  })

  it('the name of a stray file cannot speak to the terminal', () => {
    writeFileSync(join(empty, 'a\u001b[2J\nb\u202e'), '')
    const { status, stdout } = run([empty])
    expect(status).toBe(1)
    expect(stdout).toContain('stray a\\u{1b}[2J\\u{a}b\\u{202e}: does not belong')
  })

  it('colours are shown where they are asked for', () => {
    const { stdout } = run([empty], { FORCE_COLOR: '1' })
    expect(stdout).toBe('\u001b[32mgood\u001b[39m 0 days, all good\n')
  })
})

describe('with --json', () => {
  it('a good archive has the documented shape', () => {
    const { status, stdout } = run(['--json', dir])
    expect(status).toBe(0)
    const days = ['2026-11-18', '2026-11-19'].map((day) => ({ day, ok: true, findings: [] }))
    expect(JSON.parse(stdout)).toEqual({ ok: true, days, findings: [] })
  })

  it('a bad one says where', () => {
    const file = damage()
    writeFileSync(join(dir, 'notes'), '')
    const { status, stdout } = run([dir, '--json'])
    expect(status).toBe(1)
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      days: [
        { day: '2026-11-18', ok: true, findings: [] },
        {
          day: '2026-11-19',
          ok: false,
          findings: [{ code: 'medium_hash', file, message: expect.any(String) }],
        },
      ],
      findings: [{ code: 'stray', file: 'notes', message: expect.any(String) }],
    })
  })

  it('a missing one is JSON too', () => {
    const { status, stdout, stderr } = run(['--json', join(root, 'nowhere')])
    expect([status, stderr]).toEqual([1, ''])
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      days: [],
      findings: [{ code: 'archive_unavailable', file: join(root, 'nowhere') }],
    })
  })
})

describe('the archive', () => {
  it('is that of the environment, of .env, or in ./data', () => {
    const good = { status: 0, stderr: '', stdout: 'good 0 days, all good\n' }
    expect(run([], { ARCHIVE_DIR: empty })).toEqual(good)
    const data = join(root, 'other')
    mkdirSync(join(data, 'transmissions'), { recursive: true })
    expect(run([], { DATA_DIR: data })).toEqual(good)
    const cwd = join(root, 'cwd')
    mkdirSync(join(cwd, 'data', 'transmissions'), { recursive: true })
    expect(run([], {}, cwd)).toEqual(good)
    rmSync(join(cwd, 'data'), { recursive: true })
    writeFileSync(join(cwd, '.env'), `DATA_DIR=${data}\n`)
    expect(run([], {}, cwd)).toEqual(good)
    expect(run([], { ARCHIVE_DIR: '/nowhere' }, cwd)).toEqual({
      status: 1,
      stdout: '',
      stderr: 'verify: /nowhere: does not exist\n',
    })
  })

  it('that cannot be reached is told in one line, and exits 1', () => {
    const { status, stdout, stderr } = run(['http://127.0.0.1:1'])
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^verify: http:\/\/127\.0\.0\.1:1: no answer \([^\n]*\)\n$/)
  })

  it('that is a file is told in one line, and exits 1', () => {
    const file = join(dir, '2026-11-18', snapshotName('2026-11-18'))
    const { status, stderr } = run([file])
    expect([status, stderr]).toEqual([1, `verify: ${file}: is not a folder\n`])
  })
})

describe('usage', () => {
  it('is explained by --help', () => {
    const { status, stdout } = run(['--help'])
    expect(status).toBe(0)
    expect(stdout).toMatch(/^Usage: npm run verify -- \[DIR or URL\]/)
  })

  it.each([[['--quick']], [['a', 'b']], [['']], [['http://']], [['--json=yes']]])(
    'that is wrong is one line, and exits 2: %j',
    (args) => {
      const { status, stdout, stderr } = run(args)
      expect([status, stdout]).toEqual([2, ''])
      expect(stderr).toMatch(/^verify: [^\n]+\n$/)
    },
  )
})
