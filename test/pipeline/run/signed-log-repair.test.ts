// Tests that a repair restores the files of the log as far as its signatures prove them (WRITING.md 2.6).
// Rules: WRITING.md 1.2, 2.6.
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { folderPlace } from '../../../archive/place/folder.ts'
import { inFolder } from '../../../pipeline/run/archive.ts'
import { keeperIn } from '../../../pipeline/run/signed-log.ts'
import { repairLog } from '../../../pipeline/run/signed-log-repair.ts'
import { overwriteFile } from '../../support/overwrite-file.ts'
import { DAYS, flipped, loggedArchive } from './logged-archive.ts'

const { workshop, path, read, overwrite, config, open, publishAndLog } = loggedArchive()

beforeEach(() => publishAndLog(...DAYS))

async function repair(copy: string | null = null): Promise<string[]> {
  const archive = inFolder(workshop.archiveDir, workshop.dir)
  return repairLog(workshop.database, archive, config(), copy === null ? null : folderPlace(copy))
}

/** Reads the files of the log after a run that appends nothing. */
async function filesAfterRun(): Promise<string[]> {
  await (await open()).append([])
  return ['log', 'checkpoint', 'key'].map(read)
}

/** Copies the archive in its current state. */
function copied(): string {
  const copy = join(workshop.dir, 'copy')
  cpSync(workshop.archiveDir, copy, { recursive: true })
  return copy
}

const DAMAGE: Record<string, (text: string) => string> = {
  'a changed digit': flipped,
  'its end cut off': (text) => text.slice(0, -3),
  'no content': () => '',
  'an additional line': (text) => `${text}\n`,
  'a changed first byte': (text) => `\0${text.slice(1)}`,
}

it.each(['log', 'checkpoint', 'key'])('a repair restores %s, byte for byte', async (file) => {
  const before = await filesAfterRun()
  for (const [what, damage] of Object.entries(DAMAGE)) {
    overwrite(file, damage(read(file)))
    expect(await repair(), what).toEqual([file])
    expect(await filesAfterRun(), what).toEqual(before)
  }
})

it('a repair replaces an empty folder by the log, and rejects a folder with files', async () => {
  const before = await filesAfterRun()
  rmSync(path('log'))
  mkdirSync(path('log'))
  expect(await repair()).toEqual(['log'])
  expect(await filesAfterRun()).toEqual(before)
  rmSync(path('log'))
  mkdirSync(path('log/x'), { recursive: true })
  await expect(repair()).rejects.toThrow('log: is a folder with other files in it')
})

it('a repair does not change an intact log', async () => {
  expect(await repair()).toEqual([])
  expect(await repair(copied())).toEqual([])
})

it('a log whose order cannot be recomposed is restored from a copy', async () => {
  await publishAndLog('2026-11-16')
  const [before, copy] = [await filesAfterRun(), copied()]
  overwrite('log', '')
  expect(await repair()).toEqual([])
  expect(await repair(copy)).toEqual(['log'])
  expect(await filesAfterRun()).toEqual(before)
})

it('a line that was never signed and that no manifest explains is removed if a copy proves the log', async () => {
  const [before, copy] = [await filesAfterRun(), copied()]
  const [line = ''] = read('log').split(/(?<=\n)/)
  for (const foreign of [`2026-11-20 ${'a'.repeat(64)}\n`, line]) {
    overwrite('log', `${read('log')}${foreign}`)
    expect(await repair()).toEqual([])
    await expect(open()).rejects.toThrow(/^log_rewritten: line 4 of log .* --from MIRROR$/)
    expect(await repair(copy)).toEqual(['log'])
    expect(await filesAfterRun()).toEqual(before)
  }
})

it('a line that an interrupted run has left unsigned is in the log again after the next run', async () => {
  const copy = copied()
  await publishAndLog('2026-11-20')
  const log = read('log')
  overwrite('checkpoint', readFileSync(join(copy, 'checkpoint')))
  const keeper = keeperIn(workshop.database)
  await keeper.replace(await keeper.read(), read('checkpoint'))
  expect(await repair()).toEqual([])
  expect(await repair(copy)).toEqual(['log'])
  await (await open()).append(['2026-11-20'])
  expect(read('log')).toBe(log)
})

it('an outdated copy does not restore a lost log whose order cannot be recomposed', async () => {
  await publishAndLog('2026-11-16')
  const copy = copied()
  await publishAndLog('2026-11-20')
  rmSync(path('log'))
  expect(await repair(copy)).toEqual([])
})

it('a log that has lost every file is restored from a copy, but not from the database alone', async () => {
  const [before, copy] = [await filesAfterRun(), copied()]
  for (const file of ['log', 'checkpoint', 'key']) rmSync(path(file))
  expect(await repair()).toEqual([])
  await expect(open()).rejects.toThrow('log_missing')
  expect(await repair(copy)).toEqual(['log'])
  expect(await filesAfterRun()).toEqual(before)
})

it('a log lost in both archive and database is restored from a copy that its key has signed', async () => {
  const [before, copy] = [await filesAfterRun(), copied()]
  for (const file of ['log', 'checkpoint', 'key']) rmSync(path(file))
  await workshop.database.write((tx) => tx.deleteFrom('settings').execute())
  const [key, elsewhere] = [config().signingKeyFile, path('../elsewhere.key')]
  renameSync(key, elsewhere)
  await expect(repair(copy)).rejects.toThrow('is missing, but there is a log that it signs')
  renameSync(elsewhere, key)
  expect(await repair(copy)).toEqual(['log', 'checkpoint'])
  expect(await filesAfterRun()).toEqual(before)
})

it('a repair accepts no line of a copy that the checkpoint does not prove', async () => {
  await publishAndLog('2026-11-16')
  const copy = copied()
  overwriteFile(join(copy, 'log'), flipped(read('log')))
  overwrite('log', '')
  expect(await repair(copy)).toEqual([])
  await expect(open()).rejects.toThrow('log_rewritten')
})

it('a repair does not restore a checkpoint of another key', async () => {
  overwrite('checkpoint', read('checkpoint').replace(/ [^ ]{8}(?=[^ ]*\n$)/, ' AAAAAAAA'))
  const keeper = keeperIn(workshop.database)
  await keeper.replace(await keeper.read(), read('checkpoint'))
  const before = read('checkpoint')
  expect(await repair()).toEqual([])
  expect(read('checkpoint')).toBe(before)
})
