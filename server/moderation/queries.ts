// Hides and shows records: sets the record's own flag, updates the visibility of everything below it, and logs the
// action, in one transaction.
import { type RawBuilder, sql } from 'kysely'
import { type Queryable, type Transaction, VISIBLE, VISIBLE_MESSAGE } from '../database/database.ts'
import { logAction } from '../database/records/action-log.ts'
import { Problem } from '../wire/problem.ts'
import { isErased } from './erase.ts'
import { type Moderation, nameOf, type Target } from './rules.ts'

/** The state of a record after an action on it. */
export interface Moderated {
  /** False if it was already in that state; then nothing is logged. */
  changed: boolean
  /** False for a shown record while something above it is hidden. */
  visible: boolean
}

/** When the messages of a directory are updated: in this transaction, or in slices after or before it. */
export type Sweep = 'now' | 'later' | 'done'

/**
 * Hides or shows a record and everything below it.
 * @param now [ms since 1970]
 * @param sweep only for directories
 * @throws Problem not_found if the record does not exist; invalid_request for showing an erased message
 */
export async function moderate(
  tx: Transaction,
  moderation: Moderation,
  now: number,
  sweep: Sweep = 'now',
): Promise<Moderated> {
  const record = await findTarget(tx, moderation)
  const hide = moderation.act === 'hide'
  if ((record.hidden === 1n) === hide) return { changed: false, visible: record.visible === 1n }
  if (!hide && moderation.kind === 'message' && (await isErased(tx, moderation.id)))
    throw new Problem('invalid_request', `the text of message ${moderation.id} was erased`)
  await tx
    .updateTable(TABLES[moderation.kind])
    .set({ hidden: hide ? 1 : 0 })
    .where('id', '=', record.id)
    .execute()
  await refresh(tx, scopeOf(moderation), sweep)
  const { act, kind, reason } = moderation
  await logAction(tx, { act, target_kind: kind, target: nameOf(moderation), reason }, now)
  return { changed: true, visible: (await findTarget(tx, moderation)).visible === 1n }
}

const TABLES = {
  message: 'messages',
  directory: 'directories',
  investigation: 'investigations',
} as const

async function findTarget(tx: Transaction, target: Target) {
  const row = await tx
    .selectFrom(TABLES[target.kind])
    .select(['id', 'hidden', 'visible'])
    .where(
      target.kind === 'directory'
        ? sql<boolean>`path = ${target.path}`
        : sql<boolean>`id = ${target.id}`,
    )
    .executeTakeFirst()
  if (!row) throw new Problem('not_found', `there is no ${target.kind} ${nameOf(target)}`)
  return row
}

/** The records of each table that an action may change, as SQL conditions. */
interface Scope {
  directories?: RawBuilder<unknown>
  investigations: RawBuilder<unknown>
  /** Separate conditions, so that each can use an index of its own. */
  messages: RawBuilder<unknown>[]
}

function scopeOf(target: Target): Scope {
  if (target.kind === 'directory') {
    const directories = treeOf(target.path)
    const below = sql`directory_id in (select id from directories where ${directories})`
    return { directories, investigations: below, messages: [below] }
  }
  if (target.kind === 'investigation')
    return {
      investigations: sql`id = ${target.id}`,
      messages: [sql`investigation_id = ${target.id}`],
    }
  return scopeOfMessages([target.id])
}

/** A question determines the visibility of its whole investigation. */
function scopeOfMessages(ids: readonly bigint[]): Scope {
  const listed = sql`(${sql.join(ids)})`
  const investigations = sql`root_message_id in ${listed}`
  return {
    investigations,
    messages: [
      sql`id in ${listed}`,
      sql`investigation_id in (select id from investigations where ${investigations})`,
    ],
  }
}

/** Updates the visibility of messages whose own flags have changed, and of what depends on them. */
export const refreshMessages = (tx: Transaction, ids: readonly bigint[]): Promise<void> =>
  refresh(tx, scopeOfMessages(ids), 'now')

/** Matches a path and everything below it. '0' is the byte after '/', so `a-b` is not below `a`. */
export const treeOf = (path: string): RawBuilder<unknown> =>
  sql`(path = ${path} or (path >= ${`${path}/`} and path < ${`${path}0`}))`

/** A record is visible if it is not hidden itself and everything that it belongs to is visible. */
const VISIBILITY_RULES = {
  directories: sql`hidden = 0 and (parent_id is null or exists (
    select 1 from directories above where above.id = directories.parent_id and above.visible = 1))`,
  investigations: sql`hidden = 0 and exists (
      select 1 from directories where directories.id = investigations.directory_id and directories.visible = 1)
    and exists (
      select 1 from messages where messages.id = investigations.root_message_id and messages.hidden = 0)`,
  messages: sql`hidden = 0 and exists (
      select 1 from directories where directories.id = messages.directory_id and directories.visible = 1)
    and (investigation_id is null or exists (
      select 1 from investigations
      where investigations.id = messages.investigation_id and investigations.visible = 1))`,
}

/** Updates `visible` to match the rules, from the top down. */
async function refresh(tx: Transaction, scope: Scope, sweep: Sweep): Promise<void> {
  if (scope.directories) await refreshTree(tx, scope.directories)
  await refreshTable(tx, 'investigations', scope.investigations)
  if (sweep === 'later' && scope.directories) await beginSweep(tx, scope.directories)
  for (const messages of scope.messages) {
    if (sweep === 'now') await setVisible(tx, 'messages', messages, 0)
    if (sweep !== 'later') await setVisible(tx, 'messages', messages, 1)
  }
  if (sweep !== 'later' && scope.directories) await endSweep(tx, scope.directories)
}

/** Repeats until nothing changes: each pass reaches one more level, because a directory depends on its parent. */
async function refreshTree(tx: Transaction, scope: RawBuilder<unknown>): Promise<void> {
  let changed: bigint
  do {
    changed = await refreshTable(tx, 'directories', scope)
  } while (changed > 0n)
}

type Table = keyof typeof VISIBILITY_RULES

/** Updates the records in scope once. @returns the number of changed records */
async function refreshTable(
  tx: Transaction,
  table: Table,
  scope: RawBuilder<unknown>,
): Promise<bigint> {
  return (await setVisible(tx, table, scope, 0)) + (await setVisible(tx, table, scope, 1))
}

async function setVisible(tx: Transaction, table: Table, scope: RawBuilder<unknown>, to: 0 | 1) {
  const rule = VISIBILITY_RULES[table]
  const { numAffectedRows = 0n } = await sql`update ${sql.table(table)} set visible = ${sql.lit(to)}
    where visible = ${sql.lit(1 - to)} and ${scope}
    and ${to === 1 ? rule : sql`not (${rule})`}`.execute(tx)
  return numAffectedRows
}

/** Hides the messages of the directories that are now hidden, before their own rows are updated. */
async function beginSweep(tx: Transaction, scope: RawBuilder<unknown>): Promise<void> {
  await sql`insert into sweeps (directory_id, visible)
    select id, 0 from directories where ${scope} and visible = 0
    on conflict (directory_id) do update set visible = 0`.execute(tx)
}

/** Ends the sweeps of the directories that are now visible, so that the rows of their messages count again. */
async function endSweep(tx: Transaction, scope: RawBuilder<unknown>): Promise<void> {
  await sql`delete from sweeps where directory_id in (
    select id from directories where ${scope} and visible = 1)`.execute(tx)
}

export interface RecordCount {
  visible: bigint
  hidden: bigint
}

/** Counts the records of each kind, as readers see them. A review is visible if its message is. */
export async function countRecords(
  db: Queryable,
): Promise<Record<'directories' | 'messages' | 'investigations' | 'reviews', RecordCount>> {
  const ownFlag = sql`visible = ${VISIBLE}`
  const reviews = sql`reviews inner join messages on messages.id = reviews.message_id`
  return {
    directories: await count(db, sql`directories`, ownFlag),
    messages: await count(db, sql`messages`, VISIBLE_MESSAGE),
    investigations: await count(db, sql`investigations`, ownFlag),
    reviews: await count(db, reviews, VISIBLE_MESSAGE),
  }
}

async function count(
  db: Queryable,
  records: RawBuilder<unknown>,
  isVisible: RawBuilder<unknown>,
): Promise<RecordCount> {
  const { rows } = await sql<{ total: bigint; visible: bigint }>`select
    (select count(*) from ${records}) as total,
    (select count(*) from ${records} where ${isVisible}) as visible`.execute(db)
  const { total = 0n, visible = 0n } = rows[0] ?? {}
  return { visible, hidden: total - visible }
}
