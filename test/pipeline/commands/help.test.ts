// What --help prints: for a terminal of 80 columns.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import project from '../../../package.json' with { type: 'json' }

const run = promisify(execFile)
const ROOT = new URL('../../../', import.meta.url)

/** The commands that take words: all but the server, the tests and the benchmarks. */
const PROGRAMS = Object.entries(project.scripts).flatMap(([name, script]) => {
  const program = /^exec node (\S+)$/.exec(script)?.[1]
  return program !== undefined && name !== 'start' ? [[name, program]] : []
}) as [name: string, program: string][]

test.each(PROGRAMS)('the help of %s fits in 80 columns', async (_, program) => {
  const { stdout } = await run(process.execPath, [program, '--help'], { cwd: ROOT })
  expect(stdout).not.toBe('')
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
})
