// Tests that the help of every command fits a terminal of 80 columns, and that unwritable output is an error.
// Rules: COMMANDS.md 1.1, 1.3.
import { execFile, spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { helpOf } from '../../../archive/base/command-line.ts'
import project from '../../../package.json' with { type: 'json' }
import { decode } from '../../../pipeline/commands/decode.ts'
import { encode } from '../../../pipeline/commands/encode.ts'
import { mirror } from '../../../pipeline/commands/mirror.ts'
import { SNAPSHOT } from '../../../pipeline/commands/snapshot-arguments.ts'
import { verify } from '../../../pipeline/commands/verify.ts'
import { HELP } from '../../../server/operator/parse.ts'
import { ON_WINDOWS } from '../../support/programs.ts'
import { inFull } from '../../support/runs.ts'
import { executeHere } from './in-process.ts'

const run = promisify(execFile)
const ROOT = new URL('../../../', import.meta.url)

const LAUNCHER = 'server/deploy/run.js'

/** The scripts that start a program: all but the check, the tests and the benchmarks. */
const PROGRAMS = Object.entries(project.scripts).flatMap(([name, script]) =>
  script === `exec node ${LAUNCHER} ${name}` ? [name] : [],
)

const fits = (text: string) => text.split('\n').every((line) => line.length <= 80)

test.each([encode, decode, verify, mirror])('$name --help fits in 80 columns', async (command) => {
  const { status, out, error } = await executeHere(command, ['--help'])
  expect([status, error, fits(String(out))]).toEqual([0, '', true])
})

test('the helps of snapshot and operator fit in 80 columns', () => {
  expect([helpOf(SNAPSHOT), HELP].map(fits)).toEqual([true, true])
})

test('the launcher has the programs of the npm scripts, and an unknown one is a usage error', async () => {
  await expect(run(process.execPath, [LAUNCHER, 'toString'], { cwd: ROOT })).rejects.toMatchObject({
    code: 2,
    stderr: `run: name one of ${PROGRAMS.join(', ')}\n`,
  })
})

test.each([
  ['here', []],
  ['on Windows, which cannot replace a process', ON_WINDOWS],
])('the launcher passes arguments and the exit status on, %s', async (_, flags) => {
  const args = [...flags, LAUNCHER, 'decode', '--json', 'nowhere.wav']
  const started = run(process.execPath, args, { cwd: ROOT })
  await expect(started).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringContaining('"file": "nowhere.wav"'),
  })
})

inFull.each(PROGRAMS)('the process of %s prints its help and version', async (name) => {
  const print = (option: string) => run(process.execPath, [LAUNCHER, name, option], { cwd: ROOT })
  const { stdout, stderr } = await print('--help')
  expect(stdout).not.toBe('')
  expect(stderr).toBe('')
  expect(fits(stdout)).toBe(true)
  expect((await print('--version')).stdout).toBe(`daysignal ${project.version}\n`)
})

inFull.each(['start', 'demo'])('%s with an unknown argument exits 2', async (name) => {
  const started = run(process.execPath, [LAUNCHER, name, '--port=1'], { cwd: ROOT })
  await expect(started).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^[a-z]+: Unknown option '--port'; see --help\n$/),
  })
})

test('a command whose output cannot be written exits 1 with one line', () => {
  const full = openSync('/dev/full', 'w')
  const args = ['pipeline/commands/encode.ts', '--help']
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  })
  closeSync(full)
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'encode: standard output: no space left on the device\n',
  })
})
