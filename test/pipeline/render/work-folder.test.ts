// Tests that the folders in which films are assembled are separate, and removed afterwards.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { removeWorkFolders, withWorkFolder } from '../../../pipeline/render/work-folder.ts'
import { temporaryFolder } from '../../support/release.ts'

let archiveDir: string
let staging: string
beforeEach(() => {
  archiveDir = temporaryFolder()
  staging = join(archiveDir, '.cache')
})

const staged = () => readdirSync(staging)

test('no work folder remains, whether the work succeeds or fails', async () => {
  const work = async (folder: string) => writeFileSync(join(folder, 'a'), 'a')
  await withWorkFolder(staging, '2026-11-19', work)
  expect(staged()).toEqual([])
  const failing = withWorkFolder(staging, '2026-11-19', async (folder) => {
    await work(folder)
    throw new Error('failed')
  })
  await expect(failing).rejects.toThrow('failed')
  expect(staged()).toEqual([])
})

test('two days have separate work folders at the same time', async () => {
  await withWorkFolder(staging, '2026-11-19', async (one) => {
    await withWorkFolder(staging, '2026-11-20', async (two) => expect(two).not.toBe(one))
    expect(existsSync(one)).toBe(true)
  })
})

test('work folders left by a killed run are removed', async () => {
  mkdirSync(join(staging, '.video', '2026-11-19'), { recursive: true })
  await removeWorkFolders(staging)
  expect(staged()).toEqual([])
})
