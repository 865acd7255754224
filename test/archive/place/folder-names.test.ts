// The names of an archive's folders are kept while it is unchanged, and no day that appears or goes is missed.
import { mkdirSync, mkdtempSync, rmdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FolderNames } from '../../../archive/place/folder-names.ts'
import { elapse } from '../../support/time.ts'

let dir: string
let names: FolderNames
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'names-'))
  names = new FolderNames(dir)
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const sorted = async () => [...(await names.read())].sort()

test('each folder is found at once, however fast they come and go', async () => {
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

test('the same names are given again while nothing changes, and others after a change', async () => {
  mkdirSync(join(dir, 'a'))
  writeFileSync(join(dir, 'file'), '')
  await names.read()
  await elapse(150, 'the time of change must have been the same for a while')
  const kept = await names.read()
  expect(await names.read()).toBe(kept)
  expect(kept).toEqual(['a'])
  mkdirSync(join(dir, 'b'))
  expect(await sorted()).toEqual(['a', 'b'])
})

test('another folder in its place is read again, with the same time of change too', async () => {
  const at = new Date('2026-11-20T00:00:00Z')
  mkdirSync(join(dir, 'a'))
  utimesSync(dir, at, at)
  await names.read()
  await elapse(150, 'the time of change must have been the same for a while')
  await names.read()
  rmSync(dir, { recursive: true })
  await expect(names.read()).rejects.toMatchObject({ code: 'ENOENT' })
  mkdirSync(join(dir, 'b'), { recursive: true })
  utimesSync(dir, at, at)
  expect(await sorted()).toEqual(['b'])
})
