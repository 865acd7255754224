// The folder in which a film is put together, and what is left of it.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { removeWorkFolders, withWorkFolder } from '../../pipeline/work-folder.ts'

let archiveDir: string
beforeEach(() => {
  archiveDir = mkdtempSync(join(tmpdir(), 'work-folder-'))
})
afterEach(() => rmSync(archiveDir, { recursive: true }))

const staging = () => readdirSync(join(archiveDir, '.staging'))

test('no work folder remains, whether the work succeeds or fails', async () => {
  const work = async (folder: string) => writeFileSync(join(folder, 'a'), 'a')
  await withWorkFolder(archiveDir, '2026-11-19', work)
  expect(staging()).toEqual([])
  const failing = withWorkFolder(archiveDir, '2026-11-19', async (folder) => {
    await work(folder)
    throw new Error('failed')
  })
  await expect(failing).rejects.toThrow('failed')
  expect(staging()).toEqual([])
})

test('two days have separate work folders at the same time', async () => {
  await withWorkFolder(archiveDir, '2026-11-19', async (one) => {
    await withWorkFolder(archiveDir, '2026-11-20', async (two) => expect(two).not.toBe(one))
    expect(existsSync(one)).toBe(true)
  })
})

test('work folders left by a killed run are removed', async () => {
  mkdirSync(join(archiveDir, '.staging', '.video', '2026-11-19'), { recursive: true })
  await removeWorkFolders(archiveDir)
  expect(staging()).toEqual([])
})
