// Tests opening a database: created, up to date, migrated, or rejected with one clear line.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../../../server/database/open.ts'
import { nextId } from '../../../server/database/records/sequences.ts'
import { OriginCounts } from '../../../server/publishing/origin-counts.ts'
import { system } from '../../../server/system.ts'
import { ROOT } from '../../support/imports.ts'
import { IN_FULL } from '../../support/runs.ts'
import { elapse } from '../../support/time.ts'

let dir: string
let path: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'database-'))
  path = join(dir, 'data', 'board.sqlite')
})
afterEach(() => {
  rmSync(dir, { recursive: true })
})

/** Of a program that opens a database. */
const IMPORTS = [
  ['openDatabase', '../../../server/database/open.ts'],
  ['system', '../../../server/system.ts'],
]
  .map(([name, file]) => `import { ${name} } from '${new URL(file!, import.meta.url)}'`)
  .join('\n')

const create = async () => (await openDatabase(path, { clock: system.clock, create: true })).close()

function replace(file: string): void {
  copyFileSync(file, `${file}.copy`)
  renameSync(`${file}.copy`, file)
}

function alter(statement: string): void {
  const db = new DatabaseSync(path)
  db.exec(statement)
  db.close()
}

describe('a file that changes while it is open', () => {
  it.each([
    ['deleted', () => rmSync(path)],
    ['replaced', () => replace(path)],
  ])(
    'an open database rejects writes and is unreadable once its file was %s',
    async (_, damage) => {
      const database = await openDatabase(path, { clock: system.clock, create: true })
      await database.write((tx) => nextId(tx, 'message'))
      expect(await database.state()).toBe('ok')
      damage()
      await expect(database.write((tx) => nextId(tx, 'message'))).rejects.toThrow(
        'board.sqlite: was deleted or replaced; restart the service',
      )
      expect(await database.state()).toBe('unavailable')
      await database.close()
    },
  )
})

describe('opening a database', () => {
  it('a database and its folder are created only on request', async () => {
    await expect(openDatabase(path, { clock: system.clock, create: false })).rejects.toThrow(
      /board.sqlite: no database/,
    )
    expect(readdirSync(dir)).toEqual([])
    await create()
    await (await openDatabase(path, { clock: system.clock, create: false })).close()
  })

  it('an up-to-date database opens while another process writes', async () => {
    await create()
    const writer = new DatabaseSync(path)
    writer.exec('begin immediate')
    // An opening that needed the lock would fail.
    await (await openDatabase(path, { clock: system.clock, create: false })).close()
    writer.exec('rollback')
    writer.close()
  })

  it.runIf(IN_FULL)(
    'a new database is created once when several processes start together',
    async () => {
      const script = `${IMPORTS}
      await (await openDatabase(${JSON.stringify(path)}, { clock: system.clock, create: true })).close()`
      const starts = Array.from({ length: 6 }, async () => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', script])
        const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
        return { stderr, code }
      })
      for (const start of await Promise.all(starts)) expect(start).toEqual({ stderr: '', code: 0 })
    },
  )

  it.runIf(IN_FULL)(
    'a database whose creation was killed is completed by the next start',
    async () => {
      for (let kill = 0; kill < 12; kill++) {
        const file = join(dir, `killed-${kill}.sqlite`)
        const script = `${IMPORTS}
        console.error('ready')
        await openDatabase(${JSON.stringify(file)}, { clock: system.clock, create: true })`
        const child = spawn(process.execPath, ['--input-type=module', '-e', script])
        const closed = once(child, 'close')
        await once(child.stderr, 'data')
        await elapse(kill * 3, 'each kill comes at a different moment')
        child.kill('SIGKILL')
        await closed
        await (await openDatabase(file, { clock: system.clock, create: true })).close()
      }
    },
  )

  it('a database of another program, version or schema is rejected with its name', async () => {
    await create()
    alter('drop table reviews')
    await expect(create()).rejects.toThrow(/board.sqlite: wrong schema: .*reviews.* is missing/)
    alter(`insert into kysely_migration (name, timestamp) values ('9999_later', '2026')`)
    await expect(create()).rejects.toThrow(/newer Daysignal \(it has 9999_later\)/)
    rmSync(path)
    alter('create table notes (id integer)')
    await expect(create()).rejects.toThrow(/board.sqlite: a database of another program/)
  })

  it('a file that is not a database is rejected with its name', async () => {
    await create()
    rmSync(path)
    writeFileSync(path, 'a letter to the editor, of more than a hundred bytes. '.repeat(40))
    await expect(create()).rejects.toThrow(/board.sqlite: not a SQLite database/)
  })

  it('the database file, its log and its index are readable by their owner only', async () => {
    const modes = () => readdirSync(dirname(path)).map((name) => modeOf(join(dirname(path), name)))
    const database = await openDatabase(path, { clock: system.clock, create: true })
    await database.write((tx) => nextId(tx, 'message'))
    expect(modes()).toEqual([0o600, 0o600, 0o600])
    for (const name of readdirSync(dirname(path))) chmodSync(join(dirname(path), name), 0o644)
    const other = await openDatabase(path, { clock: system.clock, create: false })
    expect(modes()).toEqual([0o600, 0o600, 0o600])
    await other.close()
    await database.close()
  })

  it('migrating a database of release 1 keeps its records and turns ids into row ids', async () => {
    const file = join(dir, 'release-1.sqlite')
    copyFileSync(join(ROOT, 'test/fixtures/release-1/daysignal.sqlite'), file)
    const before = recordsIn(file)
    await (await openDatabase(file, { clock: system.clock, create: false })).close()
    expect(recordsIn(file)).toEqual(before)
    const db = new DatabaseSync(file)
    for (const [table, id] of [...MIGRATED, ['entries', 'message_id']])
      expect(db.prepare(`select ${id} = rowid as same from ${table}`).all()).not.toContainEqual({
        same: 0,
      })
    expect(db.prepare('pragma foreign_key_check').all()).toEqual([])
    const latest = db.prepare('select max(publish_at) as at from messages').get()
    const floor = db.prepare(`select last as at from sequences where name = 'publish_at'`).get()
    expect(floor).toEqual(latest)
    db.close()
  })

  it('migrating a database keeps the counts of current rate windows', async () => {
    const file = join(dir, 'release-1.sqlite')
    copyFileSync(join(ROOT, 'test/fixtures/release-1/daysignal.sqlite'), file)
    const db = new DatabaseSync(file)
    db.exec(`delete from rate_windows; insert into rate_windows (name, origin, starts_at, ends_at, count) values
      ('messages_global_minute', '', 0, 60000, 7), ('messages_origin_minute', 'a', 0, 60000, 4),
      ('messages_origin_minute', 'b', 0, 60000, 3)`)
    db.close()
    const database = await openDatabase(file, { clock: system.clock, create: false })
    const window = { name: 'messages_origin_minute', ends_at: 60_000 }
    const counts = await database.write((tx) => new OriginCounts().read(tx, window))
    expect([...counts].sort()).toEqual([
      ['a', 4],
      ['b', 3],
    ])
    const shared = await database.db.selectFrom('rate_windows').select(['name', 'count']).execute()
    expect(shared).toEqual([{ name: 'messages_global_minute', count: 7n }])
    await database.close()
  })
})

const MIGRATED = [
  ['directories', 'id'],
  ['messages', 'id'],
  ['investigations', 'id'],
]

const modeOf = (file: string) => statSync(file).mode & 0o777

/** Returns every row of the tables that contain published records. */
/** All rows, without the column that a later version added. */
function recordsIn(file: string): unknown[] {
  const db = new DatabaseSync(file, { readOnly: true })
  const rows = [...MIGRATED, ['entries', 'message_id'], ['reviews', 'id']].map(([table, id]) =>
    db
      .prepare(`select * from ${table} order by ${id}`)
      .all()
      .map(({ salt: _, ...row }) => row),
  )
  db.close()
  return rows
}
