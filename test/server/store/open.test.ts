// Opening the database: made, found up to date beside a writer, or refused in one clear line.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openStore } from '../../../server/store/database.ts'

let dir: string
let path: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'store-'))
  path = join(dir, 'data', 'board.sqlite')
})
afterEach(() => {
  rmSync(dir, { recursive: true })
})

const create = async () => (await openStore(path, { create: true })).close()

function alter(statement: string): void {
  const db = new DatabaseSync(path)
  db.exec(statement)
  db.close()
}

describe('a database', () => {
  it('is made with its folder when that is asked for, and only then', async () => {
    await expect(openStore(path, { create: false })).rejects.toThrow(/board.sqlite: no database/)
    expect(readdirSync(dir)).toEqual([])
    await create()
    await (await openStore(path, { create: false })).close()
  })

  it('that is up to date opens at once while another process writes', async () => {
    await create()
    const writer = new DatabaseSync(path)
    writer.exec('begin immediate')
    const started = performance.now()
    await (await openStore(path, { create: false })).close()
    expect(performance.now() - started).toBeLessThan(1000)
    writer.exec('rollback')
    writer.close()
  })

  it('that is new is made once when several processes start on it together', async () => {
    const store = new URL('../../../server/store/database.ts', import.meta.url)
    const script = `const { openStore } = await import(${JSON.stringify(store)})
      await (await openStore(${JSON.stringify(path)}, { create: true })).close()`
    const starts = Array.from({ length: 6 }, async () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script])
      const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
      return { said, code }
    })
    for (const start of await Promise.all(starts)) expect(start).toEqual({ said: '', code: 0 })
  })

  it('that was being made when its process was killed is completed by the next start', async () => {
    const store = new URL('../../../server/store/database.ts', import.meta.url)
    for (let kill = 0; kill < 12; kill++) {
      const file = join(dir, `killed-${kill}.sqlite`)
      const script = `const { openStore } = await import(${JSON.stringify(store)})
        console.error('ready')
        await openStore(${JSON.stringify(file)}, { create: true })`
      const child = spawn(process.execPath, ['--input-type=module', '-e', script])
      const closed = once(child, 'close')
      await once(child.stderr, 'data')
      await sleep(kill * 3)
      child.kill('SIGKILL')
      await closed
      await (await openStore(file, { create: true })).close()
    }
  })

  it('of another program, a newer version or another shape is refused by name', async () => {
    await create()
    alter('drop table reviews')
    await expect(create()).rejects.toThrow(/board.sqlite: wrong schema: .*reviews.* is missing/)
    alter(`insert into kysely_migration (name, timestamp) values ('9999_later', '2026')`)
    await expect(create()).rejects.toThrow(/newer Daysignal \(it has 9999_later\)/)
    rmSync(path)
    alter('create table notes (id integer)')
    await expect(create()).rejects.toThrow(/board.sqlite: a database of another program/)
  })

  it('that is no database at all is refused by name', async () => {
    await create()
    rmSync(path)
    writeFileSync(path, 'a letter to the editor, of more than a hundred bytes. '.repeat(40))
    await expect(create()).rejects.toThrow(/board.sqlite: not a SQLite database/)
  })
})
