// Hiding and showing: the record's own flag, the visibility of all that lies below it, and the log, in one transaction.
import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { Schema } from '../store/schema.ts'
import { Problem } from '../wire/problem.ts'
import { refuseErased } from './erase.ts'
import { logAction } from './log.ts'
import { type Moderation, nameOf, type Target } from './rules.ts'

/** What a record is after an action on it. */
export interface Moderated {
  /** False when it was so already: then nothing is logged. */
  changed: boolean
  /** Whether readers see it: false for a shown record while something above it is hidden. */
  visible: boolean
}

/** Whether the messages of a directory change in this transaction, or in slices after it or before it. */
export type Sweep = 'now' | 'to be swept' | 'swept'

/**
 * Hides or shows one record, and with it what lies below.
 * @param now ms since 1970
 * @param sweep of a directory only
 * @throws Problem not_found when there is no such record
 */
export async function moderate(
  tx: Transaction<Schema>,
  moderation: Moderation,
  now: number,
  sweep: Sweep = 'now',
): Promise<Moderated> {
  const record = await findTarget(tx, moderation)
  const hide = moderation.act === 'hide'
  if ((record.hidden === 1n) === hide) return { changed: false, visible: record.visible === 1n }
  if (!hide && moderation.kind === 'message') await refuseErased(tx, moderation.id)
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

async function findTarget(tx: Transaction<Schema>, target: Target) {
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

/** Which records of each table an action may change. */
interface Scope {
  directories?: RawBuilder<unknown>
  investigations: RawBuilder<unknown>
  /** Several conditions, each served by an index of its own. */
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
  // A question takes its whole investigation with it.
  const investigations = sql`root_message_id = ${target.id}`
  return {
    investigations,
    messages: [
      sql`id = ${target.id}`,
      sql`investigation_id = (select id from investigations where ${investigations})`,
    ],
  }
}

/** A path and all below it, by its bytes: '0' is the byte after '/', and `a-b` is not below `a`. */
export const treeOf = (path: string): RawBuilder<unknown> =>
  sql`(path = ${path} or (path >= ${`${path}/`} and path < ${`${path}0`}))`

/** When readers may see a record: it is not hidden itself, and they may see what it belongs to. */
const RULES = {
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

/** Brings `visible` into line with the rules, from the top down. */
async function refresh(tx: Transaction<Schema>, scope: Scope, sweep: Sweep): Promise<void> {
  if (scope.directories) await refreshTree(tx, scope.directories)
  await refreshTable(tx, 'investigations', scope.investigations)
  if (sweep === 'to be swept' && scope.directories) await beginSweep(tx, scope.directories)
  for (const messages of scope.messages) {
    if (sweep === 'now') await hideUnseen(tx, 'messages', messages)
    if (sweep !== 'to be swept') await showSeen(tx, 'messages', messages)
  }
  if (sweep !== 'to be swept' && scope.directories) await endSweep(tx, scope.directories)
}

/** A directory waits for its parent, so that a tree takes a pass a level. */
async function refreshTree(tx: Transaction<Schema>, scope: RawBuilder<unknown>): Promise<void> {
  let changed: bigint
  do {
    changed = await refreshTable(tx, 'directories', scope)
  } while (changed > 0n)
}

type Table = keyof typeof RULES

/** One pass over the records in scope. @returns how many changed */
async function refreshTable(
  tx: Transaction<Schema>,
  table: Table,
  scope: RawBuilder<unknown>,
): Promise<bigint> {
  return (await hideUnseen(tx, table, scope)) + (await showSeen(tx, table, scope))
}

async function hideUnseen(tx: Transaction<Schema>, table: Table, scope: RawBuilder<unknown>) {
  const { numAffectedRows = 0n } = await sql`update ${sql.table(table)} set visible = 0
    where visible = 1 and ${scope} and not (${RULES[table]})`.execute(tx)
  return numAffectedRows
}

async function showSeen(tx: Transaction<Schema>, table: Table, scope: RawBuilder<unknown>) {
  const { numAffectedRows = 0n } = await sql`update ${sql.table(table)} set visible = 1
    where visible = 0 and ${scope} and ${RULES[table]}`.execute(tx)
  return numAffectedRows
}

/** Takes the messages of what is now hidden out of sight; their own rows follow. */
async function beginSweep(tx: Transaction<Schema>, scope: RawBuilder<unknown>): Promise<void> {
  await sql`insert into sweeps (directory_id, visible)
    select id, 0 from directories where ${scope} and visible = 0
    on conflict (directory_id) do update set visible = 0`.execute(tx)
}

async function endSweep(tx: Transaction<Schema>, scope: RawBuilder<unknown>): Promise<void> {
  await sql`delete from sweeps where directory_id in (
    select id from directories where ${scope} and visible = 1)`.execute(tx)
}
