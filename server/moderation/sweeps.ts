// Hides and shows directories of any size. The rows of the messages change in slices, so that other writes can run in
// between, yet readers see a single change.
//
// The messages of a directory in the table `sweeps` are hidden, whatever their own rows say. To hide a directory, add
// it to the table and then update (sweep) its messages. To show it, sweep its messages first and then remove it.
// Readers notice only the one transaction that also writes the moderation log. A killed command leaves a consistent
// state: the next action on any directory finishes an interrupted hide; an interrupted show has to be repeated.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database, Transaction } from '../database/database.ts'
import { type Moderated, moderate, treeOf } from './queries.ts'
import type { Moderation } from './rules.ts'

/** Messages updated per transaction: some tens of milliseconds, so that other writes are not held up. */
const SLICE_ROWS = 1_000
const PAUSE_MS = 20

/**
 * Hides or shows a record and everything below it.
 * @param now returns the wall time [ms since 1970]; called once the write lock is held
 * @throws Problem not_found if the record does not exist; invalid_request for showing an erased message
 */
export async function moderateInSlices(
  database: Database,
  moderation: Moderation,
  now: () => number,
): Promise<Moderated> {
  if (moderation.kind !== 'directory')
    return database.write((tx) => moderate(tx, moderation, now()))
  await sweepHidden(database)
  if (moderation.act === 'show') {
    await sweepShown(database, moderation.path)
    return database.write((tx) => moderate(tx, moderation, now(), 'done'))
  }
  const moderated = await database.write((tx) => moderate(tx, moderation, now(), 'later'))
  await sweepHidden(database)
  return moderated
}

/** Clears `visible` of the messages of hidden directories, and ends their sweeps. */
async function sweepHidden(database: Database): Promise<void> {
  const hidden = await database.db
    .selectFrom('sweeps')
    .select('directory_id as id')
    .where('visible', '=', 0n)
    .execute()
  for (const { id } of hidden) {
    await inSlices(database, (tx) => slice(tx, id, 0, sql`visible = 1`))
    await database.write((tx) =>
      tx.deleteFrom('sweeps').where('directory_id', '=', id).where('visible', '=', 0n).execute(),
    )
  }
}

/** Sets `visible` of the messages that will be visible once the directory is shown, in it and below it. */
async function sweepShown(database: Database, path: string): Promise<void> {
  await database.write((tx) =>
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
  const willBeVisible = sql`visible = 0 and hidden = 0 and (investigation_id is null or exists (
    select 1 from investigations join messages question on question.id = investigations.root_message_id
    where investigations.id = messages.investigation_id
      and investigations.hidden = 0 and question.hidden = 0))`
  const inTree = await database.db
    .selectFrom('sweeps')
    .innerJoin('directories', 'directories.id', 'sweeps.directory_id')
    .select('directory_id')
    .where(sql<boolean>`${treeOf(path)}`)
    .execute()
  for (const { directory_id } of inTree)
    await inSlices(database, (tx) => slice(tx, directory_id, 1, willBeVisible))
}

/**
 * Updates up to SLICE_ROWS messages of a directory.
 * @returns the number of changed messages; 0 if another action has since reversed or ended the sweep of the directory
 */
async function slice(
  tx: Transaction,
  directoryId: bigint,
  visible: 0 | 1,
  condition: ReturnType<typeof sql>,
): Promise<number> {
  const { numAffectedRows } = await sql`update messages set visible = ${sql.lit(visible)}
    where id in (
      select id from messages where directory_id = ${directoryId} and ${condition} limit ${SLICE_ROWS})
    and exists (
      select 1 from sweeps where directory_id = ${directoryId} and visible = ${sql.lit(visible)})`.execute(
    tx,
  )
  return Number(numAffectedRows)
}

async function inSlices(database: Database, work: (tx: Transaction) => Promise<number>) {
  while ((await database.write(work)) === SLICE_ROWS) await sleep(PAUSE_MS)
}
