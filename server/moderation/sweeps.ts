// Hiding and showing a directory, however many messages it has: their visibility changes in slices between which others
// write, and readers see all of it at once.
//
// A directory in `sweeps` is out of sight, and its messages with it, whatever each message's own row says. To hide one,
// put it there and sweep its messages afterwards; to show one, sweep them first. Each ends with one transaction that
// readers notice, and its row of the ledger. What a kill interrupts costs readers nothing but time: the next action on a
// directory finishes a hiding, and a showing is repeated.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type Transaction } from 'kysely'
import type { Store } from '../store/database.ts'
import type { Schema } from '../store/schema.ts'
import { type Moderated, moderate, treeOf } from './queries.ts'
import type { Moderation } from './rules.ts'

/** Messages of one transaction: some tens of milliseconds, after which others write. */
const SLICE_ROWS = 1_000
const PAUSE_MS = 20

/**
 * Hides or shows one record, and with it what lies below.
 * @param now ms since 1970; read again once the write lock is held
 * @throws Problem not_found when there is no such record
 */
export async function moderateInSlices(
  store: Store,
  moderation: Moderation,
  now: () => number,
): Promise<Moderated> {
  if (moderation.kind !== 'directory') return store.write((tx) => moderate(tx, moderation, now()))
  await sweepHidden(store)
  if (moderation.act === 'show') {
    await sweepShown(store, moderation.path)
    return store.write((tx) => moderate(tx, moderation, now(), 'swept'))
  }
  const moderated = await store.write((tx) => moderate(tx, moderation, now(), 'to be swept'))
  await sweepHidden(store)
  return moderated
}

/** Takes the messages of hidden directories out of the lists that readers go by. */
async function sweepHidden(store: Store): Promise<void> {
  for (const id of await directoriesToSweep(store, 0)) {
    await inSlices(store, (tx) => slice(tx, id, 0, sql`visible = 1`))
    await store.write((tx) =>
      tx.deleteFrom('sweeps').where('directory_id', '=', id).where('visible', '=', 0n).execute(),
    )
  }
}

/** Prepares the messages of a directory and of those below it for the moment at which it is shown. */
async function sweepShown(store: Store, path: string): Promise<void> {
  await store.write((tx) =>
    sql`insert into sweeps (directory_id, visible)
      with recursive shown(id) as (
        select directories.id from directories
          left join directories above on above.id = directories.parent_id
          where directories.path = ${path} and directories.hidden = 1
            and (above.id is null or above.visible = 1)
        union all
        select directories.id from directories
          join shown on directories.parent_id = shown.id
          where directories.hidden = 0)
      select id, 1 from shown where true
      on conflict (directory_id) do update set visible = 1`.execute(tx),
  )
  const isToBeSeen = sql`visible = 0 and hidden = 0 and (investigation_id is null or exists (
    select 1 from investigations join messages question on question.id = investigations.root_message_id
    where investigations.id = messages.investigation_id
      and investigations.hidden = 0 and question.hidden = 0))`
  const inTree = await store.db
    .selectFrom('sweeps')
    .innerJoin('directories', 'directories.id', 'sweeps.directory_id')
    .select('directory_id')
    .where(sql<boolean>`${treeOf(path)}`)
    .execute()
  for (const { directory_id } of inTree)
    await inSlices(store, (tx) => slice(tx, directory_id, 1, isToBeSeen))
}

async function directoriesToSweep(store: Store, visible: 0 | 1): Promise<bigint[]> {
  const rows = await store.db
    .selectFrom('sweeps')
    .select('directory_id')
    .where('visible', '=', BigInt(visible))
    .execute()
  return rows.map((row) => row.directory_id)
}

/** @returns how many messages changed; none where another operator's action has another aim for the directory */
async function slice(
  tx: Transaction<Schema>,
  directoryId: bigint,
  visible: 0 | 1,
  which: ReturnType<typeof sql>,
): Promise<number> {
  const { numAffectedRows } = await sql`update messages set visible = ${sql.lit(visible)}
    where id in (
      select id from messages where directory_id = ${directoryId} and ${which} limit ${SLICE_ROWS})
    and exists (
      select 1 from sweeps where directory_id = ${directoryId} and visible = ${sql.lit(visible)})`.execute(
    tx,
  )
  return Number(numAffectedRows)
}

async function inSlices(
  store: Store,
  work: (tx: Transaction<Schema>) => Promise<number>,
): Promise<void> {
  while ((await store.write(work)) === SLICE_ROWS) await sleep(PAUSE_MS)
}
