// Tests opening a database: created, up to date, migrated, or rejected with one clear line.
// Rules: API.md 10.1.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../../../server/database/open.ts'
import { nextId } from '../../../server/database/records/sequences.ts'
import { system } from '../../../server/system/system.ts'
import { openExisting } from '../../support/database.ts'
import { temporaryFolder } from '../../support/release.ts'
import { inFull } from '../../support/runs.ts'
import { elapse } from '../../support/time.ts'

let dir: string
let path: string
beforeEach(() => {
  dir = temporaryFolder()
  path = join(dir, 'data', 'board.sqlite')
})

/** Of a program that opens a database. */
const IMPORTS = [
  ['openDatabase', '../../../server/database/open.ts'],
  ['system', '../../../server/system/system.ts'],
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
  ])('a database rejects writes and is unreadable once its file was %s', async (_, damage) => {
    const database = await openDatabase(path, { clock: system.clock, create: true })
    await database.write((tx) => nextId(tx, 'message'))
    expect(await database.state()).toBe('ok')
    damage()
    await expect(database.write((tx) => nextId(tx, 'message'))).rejects.toThrow(
      'board.sqlite: was deleted or replaced; restart the service',
    )
    expect(await database.state()).toBe('unavailable')
    await database.close()
  })
})

describe('opening a database', () => {
  it('a database and its folder are created only on request', async () => {
    await expect(openExisting(path)).rejects.toThrow(/board.sqlite: no database/)
    expect(readdirSync(dir)).toEqual([])
    await create()
    await (await openExisting(path)).close()
  })

  it('an up-to-date database opens while another process writes', async () => {
    await create()
    const writer = new DatabaseSync(path)
    writer.exec('begin immediate')
    // An opening that needed the lock would fail.
    await (await openExisting(path)).close()
    writer.exec('rollback')
    writer.close()
  })

  inFull('a new database is created once when several processes start together', async () => {
    const script = `${IMPORTS}
      await (await openDatabase(${JSON.stringify(path)}, { clock: system.clock, create: true })).close()`
    const starts = Array.from({ length: 6 }, async () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script])
      const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
      return { stderr, code }
    })
    for (const start of await Promise.all(starts)) expect(start).toEqual({ stderr: '', code: 0 })
  })

  inFull('a database whose creation was killed is completed by the next start', async () => {
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
  })

  it('a database of another program or schema is rejected with its name', async () => {
    await create()
    alter('drop table reviews')
    await expect(create()).rejects.toThrow(/board.sqlite: wrong schema: .*reviews.* is missing/)
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

  it('a write returns after its commit has been synced to the disk', async () => {
    const database = await openDatabase(path, { clock: system.clock, create: true })
    // A kill of the process does not show the difference, only a power failure does. With a write-ahead log, SQLite syncs every
    // commit if `synchronous` is 2 (full) or more; with 1 (normal), it syncs only checkpoints.
    const { rows } = await database.write((tx) =>
      sql<Record<string, unknown>>`select * from pragma_journal_mode, pragma_synchronous`.execute(
        tx,
      ),
    )
    expect(rows).toEqual([{ journal_mode: 'wal', synchronous: 2n }])
    await database.close()
  })

  it('the database file, its log and its index are readable by their owner only', async () => {
    const modes = () => readdirSync(dirname(path)).map((name) => modeOf(join(dirname(path), name)))
    const database = await openDatabase(path, { clock: system.clock, create: true })
    await database.write((tx) => nextId(tx, 'message'))
    expect(modes()).toEqual([0o600, 0o600, 0o600])
    for (const name of readdirSync(dirname(path))) chmodSync(join(dirname(path), name), 0o644)
    const other = await openExisting(path)
    expect(modes()).toEqual([0o600, 0o600, 0o600])
    await other.close()
    await database.close()
  })
})

const modeOf = (file: string) => statSync(file).mode & 0o777
