// Tests that the help of every command fits a terminal of 80 columns, and that unwritable output is an error.
import { execFile, spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import project from '../../../package.json' with { type: 'json' }
import { IN_FULL } from '../../support/runs.ts'

const run = promisify(execFile)
const ROOT = new URL('../../../', import.meta.url)

/** The scripts that start a program: all but the check, the tests and the benchmarks. */
const PROGRAMS = Object.entries(project.scripts).flatMap(([name, script]) => {
  const program = /^exec (?:env (?:\S+=\S+ )+)?node (?:--\S+ )*(\S+)$/.exec(script)?.[1]
  return program !== undefined ? [[name, program]] : []
}) as [name: string, program: string][]

test.runIf(IN_FULL).each(PROGRAMS)(
  '%s --help exits 0, and fits in 80 columns',
  async (_, program) => {
    const { stdout, stderr } = await run(process.execPath, [program, '--help'], { cwd: ROOT })
    expect(stdout).not.toBe('')
    expect(stderr).toBe('')
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
  },
)

test.runIf(IN_FULL).each(['server/start.js', 'server/demo/start.js'])(
  '%s with an unknown argument does not start and exits 2',
  async (program) => {
    const started = run(process.execPath, [program, '--port=1'], { cwd: ROOT })
    await expect(started).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^[a-z]+: Unknown option '--port'; see --help\n$/),
    })
  },
)

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
