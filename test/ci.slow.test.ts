// Tests what CI states about its runs of vitest: .ci/report.mjs and .ci/tally.mjs.
import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { ROOT } from './support/imports.ts'
import { childEnvironment } from './support/programs.ts'
import { temporaryFolder } from './support/release.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

const write = (name: string, content: string) => writeFileSync(join(folder, name), content)

/** Runs vitest on the test files in the folder, with a report as in .ci/run. */
function runVitest(part: string, ...files: string[]): Promise<void> {
  const program = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
  const args = [program, 'run', '--globals', '--root', folder, ...files]
  const reporters = ['--reporter=default', `--reporter=${join(ROOT, '.ci', 'report.mjs')}`]
  const env = childEnvironment({ TEST_REPORT: join(folder, `${part}.json`) })
  return new Promise((resolve) => {
    execFile(process.execPath, [...args, ...reporters], { env }, (error, stdout, stderr) => {
      write(`${part}.status`, `${error ? error.code : 0}\n`)
      write(`${part}.log`, stdout + stderr)
      resolve()
    })
  })
}

function tally(...parts: string[]) {
  const args = [join(ROOT, '.ci', 'tally.mjs'), folder, ...parts]
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  return { status, stdout, last: stdout.trimEnd().split('\n').at(-1) }
}

describe('runs of vitest', () => {
  test('tests that pass are counted, over all parts', async () => {
    write('one.test.js', "test('a', () => {}); test('b', () => {}); test.skip('c', () => {})")
    await runVitest('suite')
    await runVitest('slow')
    expect(tally('suite', 'slow')).toMatchObject({ status: 0, stdout: '4 passed, 0 failed\n' })
  })

  test('a failed test, a failed hook and a file that cannot be loaded are named', async () => {
    write('one.test.js', "test('a', () => {}); test('adds', () => expect(1 + 1).toBe(3))")
    write(
      'two.test.js',
      "describe('group', () => { beforeAll(() => { throw new Error('no set-up') }); test('b', () => {}) })",
    )
    write('three.test.js', "import './nowhere.js'")
    await runVitest('suite')
    const { status, stdout, last } = tally('suite')
    expect(status).toBe(1)
    expect(last).toBe('1 passed, 3 failed')
    expect(stdout).toMatch(/^FAILED .*one\.test\.js: adds$/m)
    expect(stdout).toMatch(/^FAILED .*two\.test\.js: group$/m)
    expect(stdout).toMatch(/^FAILED .*three\.test\.js: the file itself$/m)
  })

  test('an error after the end of its test is named, though all tests passed', async () => {
    write(
      'one.test.js',
      "test('a', () => { Promise.reject(new Error('too late')) }); test('b', () => new Promise(setImmediate))",
    )
    await runVitest('suite')
    const { status, stdout, last } = tally('suite')
    expect(status).toBe(1)
    expect(last).toBe('2 passed, 1 failed')
    expect(stdout).toMatch(/^FAILED .*one\.test\.js: outside of tests/m)
    expect(stdout).toContain('Unhandled Rejection: Error: too late')
  })

  test('an error in the teardown of the run is shown, though all tests passed', async () => {
    write('one.test.js', "test('a', () => {})")
    write('setup.js', "export default () => () => { throw new Error('cannot be removed') }")
    write('vitest.config.js', "export default { test: { globalSetup: ['./setup.js'] } }")
    await runVitest('suite')
    const { status, stdout, last } = tally('suite')
    expect(status).toBe(1)
    expect(last).toBe('1 passed, 1 failed')
    expect(stdout).toContain('FAILED suite, exit status 1\n  no test failed')
    expect(stdout).toContain('cannot be removed')
  })
})

describe('parts without tests', () => {
  test('a part that ended before its tests fails with the end of its output', () => {
    write('suite.status', '2\n')
    write('suite.log', 'error TS2322: a type is wrong\n')
    const { status, stdout } = tally('suite')
    expect(status).toBe(1)
    expect(stdout).toBe(
      'FAILED suite, exit status 2\n  it ended before any test\n  error TS2322: a type is wrong\n0 passed, 1 failed\n',
    )
  })

  test('a part that was not started fails', () => {
    expect(tally('suite')).toMatchObject({ status: 1, last: '0 passed, 1 failed' })
  })
})
