// Tests npm start: its compile cache, which is optional, and errors of the data folder and .env.
// Rules: OPERATING.md 2.1-2.2.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeEach, expect } from 'vitest'
import { ROOT } from '../support/imports.ts'
import { childEnvironment } from '../support/programs.ts'
import { temporaryFolder } from '../support/release.ts'
import { inFull } from '../support/runs.ts'

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

inFull('a start stores the compiled modules in the cache folder for the next start', async () => {
  expect(await startAndStop()).toBe(0)
  const compiled = readdirSync(join(dataDir, '.cache/modules'), { recursive: true })
  expect(compiled.length).toBeGreaterThan(100)
  expect(await startAndStop()).toBe(0)
})

inFull('the service starts without a writable cache folder', async () => {
  writeFileSync(join(dataDir, '.cache'), 'in the way')
  expect(await startAndStop()).toBe(0)
})

/** What stops a start with one line. The folder in which it runs has a file `in-the-way`. */
const FAULTS: [program: string[], env: Record<string, string>, line: string][] = [
  [
    ['server/start.js'],
    { DATA_DIR: '/proc/x' },
    'daysignal: DATA_DIR: /proc/x: cannot be created: no such file or folder',
  ],
  [
    ['server/start.js'],
    { DATA_DIR: 'in-the-way/x' },
    'daysignal: DATA_DIR: FOLDER/in-the-way/x: cannot be created: a part of the path is not a folder',
  ],
  [
    ['server/start.js'],
    { FFMPEG_PATH: '/nowhere/ffmpeg' },
    'daysignal: FFMPEG_PATH: /nowhere/ffmpeg does not run (no such file)',
  ],
  [['server/start.js'], { folder: '.env' }, 'daysignal: .env: is a folder'],
  [['server/operator/main.ts', 'status'], { folder: '.env' }, 'operator: .env: is a folder'],
]

inFull.each(FAULTS)('%j with %j stops with one line: %s', async (program, more, line) => {
  const { folder, ...env } = more
  writeFileSync(join(dataDir, 'in-the-way'), '')
  if (folder) mkdirSync(join(dataDir, folder))
  const [file = '', ...args] = program
  const child = spawn(process.execPath, [join(ROOT, file), ...args], {
    cwd: dataDir,
    env: childEnvironment({ DATA_DIR: dataDir, ...env }),
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  expect({ stderr: stderr.replace(dataDir, 'FOLDER'), code }).toEqual({
    stderr: `${line}\n`,
    code: 1,
  })
})
