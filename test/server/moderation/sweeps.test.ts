// Large directories are hidden and shown in slices, and readers see a single change.
// Rules: API.md 8.1.

import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import { beforeEach, describe, expect, test } from 'vitest'
import { messagesAfter } from '../../../server/board/queries.ts'
import { findRecorded } from '../../../server/data/recorded.ts'
import type { Database } from '../../../server/database/database.ts'
import { openDatabase } from '../../../server/database/open.ts'
import { nextId } from '../../../server/database/records/sequences.ts'
import { listInvestigations } from '../../../server/investigations/queries.ts'
import { countRecords, moderate } from '../../../server/moderation/queries.ts'
import type { Moderation } from '../../../server/moderation/rules.ts'
import { moderateInSlices } from '../../../server/moderation/sweeps.ts'
import { system } from '../../../server/system/system.ts'
import { openExisting } from '../../support/database.ts'
import { temporaryFolder } from '../../support/release.ts'

/** Messages per directory: more than two slices. */
const MESSAGES = 2_300
/** A visible message in the tree. */
const IN_TREE = 4n

let dir: string
let path: string
let database: Database
beforeEach(async () => {
  dir = temporaryFolder()
  path = join(dir, 'daysignal.sqlite')
  await (await openDatabase(path, { clock: system.clock, create: true })).close()
  fill()
  database = await openExisting(path)
})

/** Directories: tree, tree/below, tree/apart (itself hidden) and outside. Every hundredth message is itself hidden. */
function fill(): void {
  const db = new DatabaseSync(path)
  db.exec(`begin;
    insert into directories (id, path, parent_id, author_label, created_at, hidden, visible) values
      (1, 'tree', null, '', 0, 0, 1), (2, 'tree/below', 1, '', 0, 0, 1),
      (3, 'tree/apart', 1, '', 0, 1, 0), (4, 'outside', null, '', 0, 0, 1);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${4 * MESSAGES})
    insert into messages (id, directory_id, investigation_id, body, body_hash, body_bytes,
      author_label, received_at, publish_at, salt, hidden, visible)
      select i, i % 4 + 1, iif(i in (5, 9, 13), 1, null), 'b', 'h', 1, '', i, i, 's',
        iif(i % 100 = 0, 1, 0), iif(i % 100 = 0 or i % 4 = 2, 0, 1) from n;
    insert into investigations (id, root_message_id, directory_id, title, created_at, hidden, visible)
      values (1, 5, 2, 't', 0, 0, 1);
    commit`)
  db.close()
}

async function visibleIds(): Promise<bigint[]> {
  const listed = await messagesAfter(database.db, { after: 0n, limit: 5 * MESSAGES })
  return listed.map(({ id }) => id)
}

async function snapshotOfReads() {
  const { items } = await listInvestigations(database.db, { after: 0n, limit: 10 })
  const isProvable = (await findRecorded(database.db, IN_TREE)) !== null
  const counted = (await countRecords(database.db)).messages.visible
  return {
    messages: (await visibleIds()).length,
    counted,
    investigations: items.length,
    isProvable,
  }
}

const TREE = { kind: 'directory', path: 'tree', reason: 'r' } as const
const hide: Moderation = { act: 'hide', ...TREE }
const show: Moderation = { act: 'show', ...TREE }

/** Wraps the database to call back after each write transaction. */
const listening = (onWrite: (count: number) => Promise<void>): Database => {
  let count = 0
  return {
    ...database,
    write: async (work) => {
      const result = await database.write(work)
      await onWrite(++count)
      return result
    },
  }
}

/** The rows that the same actions produce in single transactions, on a copy. */
async function rowsAfterOneTransaction(...moderations: Moderation[]): Promise<unknown[]> {
  const copy = join(dir, 'copy.sqlite')
  const other = await openExisting(copy)
  for (const moderation of moderations) await other.write((tx) => moderate(tx, moderation, 0))
  await other.close()
  return rowsIn(copy)
}

function rowsIn(file: string): unknown[] {
  const db = new DatabaseSync(file)
  const rows = ['directories', 'investigations', 'messages'].map((table) =>
    db.prepare(`select id, hidden, visible from ${table} order by id`).all(),
  )
  rows.push(db.prepare('select id, act, target from moderation_log').all())
  rows.push(db.prepare('select * from sweeps').all())
  db.close()
  return rows
}

function copyNow(): void {
  const db = new DatabaseSync(path)
  db.exec('pragma wal_checkpoint(truncate)')
  db.close()
  copyFileSync(path, join(dir, 'copy.sqlite'))
}

describe.each([
  ['hide', [] as Moderation[], hide],
  ['show', [hide], show],
])('%s of a large directory', (_, before, moderation) => {
  beforeEach(async () => {
    copyNow()
    for (const earlier of before) await database.write((tx) => moderate(tx, earlier, 0))
  })

  test('the command uses many short transactions, and readers see a single change', async () => {
    const seen = [await snapshotOfReads()]
    let writes = 0
    const at = listening(async (count) => {
      writes = count
      seen.push(await snapshotOfReads())
    })
    await moderateInSlices(at, moderation, () => 0)
    expect(writes).toBeGreaterThan(5)
    const states = seen.filter((state, i) => !isDeepStrictEqual(state, seen[i - 1]))
    expect(states).toHaveLength(2)
    expect(states.map(({ investigations }) => investigations).sort()).toEqual([0, 1])
    expect(states.map(({ isProvable }) => isProvable).sort()).toEqual([false, true])
    expect(rowsIn(path)).toEqual(await rowsAfterOneTransaction(...before, moderation))
  })

  test('the command can be interrupted at any point and repeated', async () => {
    const expected = [await snapshotOfReads()]
    for (let kill = 1; kill <= 4; kill++) {
      const at = listening(async (count) => {
        if (count === kill) throw new Error('killed')
      })
      await expect(moderateInSlices(at, moderation, () => 0)).rejects.toThrow('killed')
    }
    await moderateInSlices(database, moderation, () => 0)
    await moderateInSlices(database, moderation, () => 0)
    expect(await snapshotOfReads()).not.toEqual(expected[0])
    expect(rowsIn(path)).toEqual(await rowsAfterOneTransaction(...before, moderation))
  })
})

test('another write waits for one slice and not for the whole command', async () => {
  const other = await openExisting(path)
  let slices = 0
  const meanwhile: Database = {
    ...database,
    write: async (work) => {
      let waiting: Promise<unknown> | undefined
      const result = await database.write((tx, opening) => {
        waiting = other.write((at) => nextId(at, 'liveness'))
        return work(tx, opening)
      })
      // The command goes on only after this.
      await waiting
      slices++
      return result
    },
  }
  await moderateInSlices(meanwhile, hide, () => 0)
  await moderateInSlices(meanwhile, show, () => 0)
  await other.close()
  expect(slices).toBeGreaterThan(10)
})
