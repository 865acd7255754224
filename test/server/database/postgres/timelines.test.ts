// Tests the file that remembers the clusters and timelines of PostgreSQL that have been used.
// Rules: OPERATING.md 14.1.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { Timelines } from '../../../../server/database/postgres/position.ts'
import { temporaryFolder } from '../../../support/release.ts'

let dir: string
let file: string
beforeEach(() => {
  dir = temporaryFolder()
  file = join(dir, 'timelines.json')
})

test('what was used is remembered for every program of the folder, and for each cluster', async () => {
  const timelines = new Timelines(dir)
  expect(timelines.read()).toEqual({ system: null, timelines: {} })
  await timelines.remember({ system: '1', timeline: 3 })
  await timelines.remember({ system: '2', timeline: 1 })
  expect(new Timelines(dir).read()).toEqual({ system: '2', timelines: { 1: 3, 2: 1 } })
  expect(readdirSync(dir)).toEqual(['timelines.json'])
})

test('the folder is created, and an operator who removes the file starts from the beginning', async () => {
  const timelines = new Timelines(join(dir, 'new'))
  await timelines.remember({ system: '1', timeline: 3 })
  rmSync(join(dir, 'new', 'timelines.json'))
  expect(timelines.read()).toEqual({ system: null, timelines: {} })
})

test.each(['', '{}', '{"system":"1","timelines":{"1":0}}', '{"system":"1","timelines":{"1":"2"}}'])(
  'a damaged file is an error of one line that names it: %j',
  (text) => {
    writeFileSync(file, text)
    expect(() => new Timelines(dir).read()).toThrow(`${file}: damaged; remove it`)
  },
)

test('a file that cannot be read is an error', () => {
  mkdirSync(file)
  expect(() => new Timelines(dir).read()).toThrow(`${file}: cannot be read: `)
})

test('a file that cannot be written is an error, and the position is remembered in memory', async () => {
  const timelines = new Timelines('/proc/daysignal')
  await expect(timelines.remember({ system: '1', timeline: 3 })).rejects.toThrow('/proc/daysignal')
  expect(timelines.read()).toEqual({ system: '1', timelines: { 1: 3 } })
})

test('without a folder, the position is remembered while the program runs', async () => {
  const timelines = new Timelines(undefined)
  await timelines.remember({ system: '1', timeline: 3 })
  expect(timelines.read()).toEqual({ system: '1', timelines: { 1: 3 } })
  expect(readdirSync(dir)).toEqual([])
})
