// Tests what a database file without a byte is taken for: a missing database, not a new one.
// Rules: OPERATING.md 2.2.
import { spawnSync } from 'node:child_process'
import { cpSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { mirrorBytes } from '../../../archive/format/mirror.ts'
import { ROOT } from '../../support/imports.ts'
import { operator } from '../../support/operator.ts'
import { childEnvironment } from '../../support/programs.ts'
import { temporaryFolder } from '../../support/release.ts'
import { inFull } from '../../support/runs.ts'
import { startTestService } from '../../support/service.ts'

let dataDir: string
let archiveDir: string
let file: string
beforeEach(() => {
  dataDir = temporaryFolder()
  archiveDir = join(dataDir, 'transmissions')
  cpSync(join(ROOT, 'archive/vectors/sample'), archiveDir, { recursive: true })
  file = join(dataDir, 'daysignal.sqlite')
  writeFileSync(file, '')
})

const env = () => ({ DATABASE_URL: `sqlite:${file}`, ARCHIVE_DIR: archiveDir })
const start = async () => (await startTestService(env())).stop()
const LINE = 'no database here, the file is empty; restore the backup, or start the server once'

test.each([
  'status',
  'log',
  'check',
  'hide message 1 --reason r',
  'mode read-only --reason r',
  'export FILE',
  'backup FILE',
])('operator %s rejects an empty database file and leaves it empty', async (words) => {
  const args = words.replace('FILE', join(dataDir, 'copy')).split(' ')
  const { code, out, err } = await operator({ dataDir }, args, { env: env() })
  expect({ code, out, err }).toEqual({ code: 1, out: '', err: `operator: ${file}: ${LINE}\n` })
  expect(statSync(file).size).toBe(0)
})

inFull('npm run snapshot rejects an empty database file and leaves it empty', () => {
  const command = [join(ROOT, 'pipeline/commands/snapshot.ts')]
  const { status, stderr } = spawnSync(process.execPath, command, {
    cwd: dataDir,
    env: childEnvironment({ ...env(), DATA_DIR: dataDir }),
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({ status: 1, stderr: `snapshot: ${file}: ${LINE}\n` })
  expect(statSync(file).size).toBe(0)
})

test('the server rejects an empty database file next to an archive with days', async () => {
  await expect(start()).rejects.toThrow(
    `DATABASE_URL: ${file}: is empty, but the archive has days; restore the backup, or delete the file to begin with an empty board`,
  )
  expect(statSync(file).size).toBe(0)
})

test('the server begins an empty board next to an archive with days if the file is missing', async () => {
  rmSync(file)
  await start()
  expect(statSync(file).size).toBeGreaterThan(0)
})

test('the server makes an empty file a database next to a mirror, and where no day is archived', async () => {
  writeFileSync(
    join(archiveDir, 'mirror.json'),
    mirrorBytes({ source: 'http://127.0.0.1:1', from: null, to: null, media: [] }),
  )
  await start()
  expect(statSync(file).size).toBeGreaterThan(0)
  for (const folder of [archiveDir, file]) rmSync(folder, { recursive: true })
  writeFileSync(file, '')
  await start()
  expect(statSync(file).size).toBeGreaterThan(0)
})
