// Tests npm start: its compile cache, which is optional, and errors of the data folder and .env.
// Rules: OPERATING.md 2.1-2.2.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeEach, expect, test } from 'vitest'
import { ROOT } from '../support/imports.ts'
import { childEnvironment } from '../support/programs.ts'
import { temporaryFolder } from '../support/release.ts'
import { IN_FULL } from '../support/runs.ts'

let dataDir: string
beforeEach(() => {
  dataDir = temporaryFolder()
})

/** Starts the service and stops it once it listens. @returns its exit code */
async function startAndStop(): Promise<number> {
  const child = spawn(process.execPath, ['server/start.js'], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, PORT: '0', SCHEDULE: 'off' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child.stdout.on('data', (line) => {
    if (String(line).includes('listens on')) child.kill('SIGTERM')
  })
  const [code] = await once(child, 'exit')
  return code
}

test.runIf(IN_FULL)(
  'a start stores the compiled modules in the cache folder for the next start',
  async () => {
    expect(await startAndStop()).toBe(0)
    const compiled = readdirSync(join(dataDir, '.cache/modules'), { recursive: true })
    expect(compiled.length).toBeGreaterThan(100)
    expect(await startAndStop()).toBe(0)
  },
)

test.runIf(IN_FULL)('the service starts without a writable cache folder', async () => {
  writeFileSync(join(dataDir, '.cache'), 'in the way')
  expect(await startAndStop()).toBe(0)
})

test.runIf(IN_FULL).each([
  ['/proc/x', 'DATA_DIR: /proc/x: cannot be created: no such file or folder'],
  ['in-the-way', 'DATA_DIR: in-the-way/x: cannot be created: a part of the path is not a folder'],
])('a data folder that cannot be created stops the start with one line: %s', async (name, line) => {
  const inTheWay = join(dataDir, 'in-the-way')
  writeFileSync(inTheWay, '')
  const child = spawn(process.execPath, ['server/start.js'], {
    cwd: ROOT,
    env: childEnvironment({ DATA_DIR: name === '/proc/x' ? name : join(inTheWay, 'x') }),
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  expect({ stderr: stderr.replace(`${dataDir}/`, ''), code }).toEqual({
    stderr: `daysignal: ${line}\n`,
    code: 1,
  })
})

test.runIf(IN_FULL).each([
  ['daysignal', ['server/start.js']],
  ['operator', ['server/operator/main.ts', 'status']],
])('a .env that cannot be read stops the program with one line: %s', async (name, args) => {
  mkdirSync(join(dataDir, '.env'))
  const child = spawn(process.execPath, [join(ROOT, args[0] as string), ...args.slice(1)], {
    cwd: dataDir,
    env: childEnvironment({ DATA_DIR: dataDir }),
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  expect({ stderr, code }).toEqual({ stderr: `${name}: .env: is a folder\n`, code: 1 })
})

test.runIf(IN_FULL)('an FFMPEG_PATH that does not run stops the start with one line', async () => {
  const child = spawn(process.execPath, ['server/start.js'], {
    cwd: ROOT,
    env: childEnvironment({ DATA_DIR: dataDir, FFMPEG_PATH: '/nowhere/ffmpeg' }),
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  const line = 'daysignal: FFMPEG_PATH: /nowhere/ffmpeg does not run (no such file)\n'
  expect({ stderr, code }).toEqual({ stderr: line, code: 1 })
})
