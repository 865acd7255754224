// Tests backups of a SQLite database in use.
// Rules: COMMANDS.md 6.8.
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, test } from 'vitest'
import { operateOn } from '../../../support/moving.ts'
import { operator } from '../../../support/operator.ts'
import { idsOf } from '../../../support/publish.ts'
import { temporaryFolder } from '../../../support/release.ts'
import { clockAt, startTestService, type TestService } from '../../../support/service.ts'

let dir: string
let copy: string
let service: TestService
beforeEach(async () => {
  dir = temporaryFolder()
  copy = join(dir, 'copy.sqlite')
  service = await startTestService()
  await service.publish.directory('lab')
})

const backUp = () => operateOn(service.config.database, ['backup', copy])

test('a backup taken while writers publish is consistent', async () => {
  const { publish } = service
  let isDone = false
  let latest = await publish.message('lab')
  const writers = Array.from({ length: 8 }, async () => {
    while (!isDone) latest = await publish.message('lab')
  })
  const atLeast = latest
  await backUp()
  isDone = true
  await Promise.all(writers)
  const db = new DatabaseSync(copy)
  expect(db.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  expect(db.prepare('pragma foreign_key_check').all()).toEqual([])
  const ids = db.prepare('select id from messages order by id').all()
  expect(ids).toEqual(ids.map((_, i) => ({ id: i + 1 })))
  expect(ids.length).toBeGreaterThanOrEqual(Number(atLeast))
  const sequence = db.prepare("select last from sequences where name = 'message'").get()
  expect(sequence).toEqual({ last: ids.length })
  db.close()
})

test('a backup is readable by its owner only and never replaces a file', async () => {
  expect(await backUp()).toMatch(/bytes\nmode 0600/)
  expect(statSync(copy).mode & 0o777).toBe(0o600)
  await expect(backUp()).rejects.toThrow(`operator: ${copy}: already exists; choose another name`)
})

test('a service starts on a backup and continues its ids', async () => {
  await service.publish.message('lab')
  await backUp()
  const restored = await startTestService({ DATABASE_URL: `sqlite:${copy}` })
  expect(await restored.publish.message('lab')).toBe(2n)
  expect(idsOf(await restored.client.get('/api/v1/messages'))).toEqual([1n, 2n])
})

test('dated backups are whole, only the newest stay, and other files of the folder do', async () => {
  writeFileSync(join(dir, 'board.sqlite'), '')
  const at = (time: string) =>
    operator(service, ['backup', dir, '--keep', '2', '--json'], { clock: clockAt(time) })
  for (const day of [18, 19]) expect((await at(`2026-11-${day}T03:00:00Z`)).code).toBe(0)
  await service.publish.message('lab')
  const { out } = await at('2026-11-20T03:00:00Z')
  expect(JSON.parse(out)).toMatchObject({
    kept: 2,
    deleted: ['daysignal-20261118T030000Z.sqlite'],
  })
  const copies = ['daysignal-20261119T030000Z.sqlite', 'daysignal-20261120T030000Z.sqlite']
  expect(readdirSync(dir).sort()).toEqual(['board.sqlite', ...copies])
  for (const [i, name] of copies.entries()) {
    const restored = await startTestService({ DATABASE_URL: `sqlite:${join(dir, name)}` })
    expect(idsOf(await restored.client.get('/api/v1/messages'))).toEqual([1n].slice(1 - i))
  }
})

test.each(['0', '-1', 'x', ''])('--keep %j is a usage error, and copies nothing', async (keep) => {
  const { code } = await operator(service, ['backup', dir, `--keep=${keep}`])
  expect([code, readdirSync(dir)]).toEqual([2, []])
})

test('a folder that is missing is an error of one line, and deletes nothing', async () => {
  const { code, err } = await operator(service, ['backup', join(dir, 'x'), '--keep', '1'])
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/^operator: .*\.sqlite: no such file or folder\n$/),
  ])
})
