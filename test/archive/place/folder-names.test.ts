// Tests that folder names are cached while the archive's folder is unchanged, and that no change is missed.
import { mkdirSync, rmdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { FolderNames } from '../../../archive/place/folder-names.ts'
import { temporaryFolder } from '../../support/release.ts'
import { elapse } from '../../support/time.ts'

let dir: string
let names: FolderNames
beforeEach(() => {
  dir = temporaryFolder()
  names = new FolderNames(dir)
})

const sorted = async () => [...(await names.read())].sort()

test('each folder is found immediately, however fast folders appear and disappear', async () => {
  const expected = new Set<string>()
  for (let i = 0; i < 300; i++) {
    const name = `d${i % 40}`
    if (expected.delete(name)) rmdirSync(join(dir, name))
    else {
      mkdirSync(join(dir, name))
      expected.add(name)
    }
    expect(await sorted()).toEqual([...expected].sort())
  }
})

test('the same array is returned while nothing changes, and new names after a change', async () => {
  mkdirSync(join(dir, 'a'))
  writeFileSync(join(dir, 'file'), '')
  await names.read()
  await elapse(150, 'the timestamps must have been unchanged for a while')
  const cached = await names.read()
  expect(await names.read()).toBe(cached)
  expect(cached).toEqual(['a'])
  mkdirSync(join(dir, 'b'))
  expect(await sorted()).toEqual(['a', 'b'])
})

test('a folder that replaces another is read again, even with the same modification time', async () => {
  const at = new Date('2026-11-20T00:00:00Z')
  mkdirSync(join(dir, 'a'))
  utimesSync(dir, at, at)
  await names.read()
  await elapse(150, 'the timestamps must have been unchanged for a while')
  await names.read()
  rmSync(dir, { recursive: true })
  await expect(names.read()).rejects.toMatchObject({ code: 'ENOENT' })
  mkdirSync(join(dir, 'b'), { recursive: true })
  utimesSync(dir, at, at)
  expect(await sorted()).toEqual(['b'])
})
