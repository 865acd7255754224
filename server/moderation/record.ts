// Reads the public record of moderation (API.md 8.4).
import { type ExpressionBuilder, sql } from 'kysely'
import { HIDDEN_PATH } from '../board/rules.ts'
import { compiledForValues } from '../database/compiled.ts'
import { type Queryable, VISIBLE_MESSAGE } from '../database/database.ts'
import { isWithin, readLog, readRanges } from '../database/records/action-log.ts'
import { allOf, type Schema } from '../database/schema/schema.ts'
import { pathsTo } from '../database/words/documents.ts'
import { instant } from '../wire/instant.ts'
import { cutPage, type PageRequest } from '../wire/page.ts'
import type { RecordKind } from '../wire/problem.ts'
import type { ActionRecord } from './api.ts'
import type { Target } from './rules.ts'

type ActionRow = Awaited<ReturnType<typeof readLog>>[number]

/** Returns what the public may know of an action: no path of a directory. */
function asAction(row: ActionRow): ActionRecord {
  const ranges = readRanges(row.ranges)
  return {
    id: row.id,
    action: row.act,
    target_kind: row.target_kind,
    target: targetOf(row),
    ranges: ranges.length === 0 ? null : ranges.map(([first, last]) => [first, last]),
    reason: row.reason === '' ? null : row.reason,
    created_at: instant(row.at),
  }
}

function targetOf({ target_kind: kind, target }: ActionRow): bigint | string | null {
  if (kind === 'service') return target
  return kind === 'directory' || target === '' ? null : BigInt(target)
}

/** Returns actions after an id, oldest first, and the cursor of the next page. */
export async function listActions(db: Queryable, { after, limit }: PageRequest<bigint>) {
  const actions = (await readLog(db, after, limit)).map(asAction)
  return { actions, next_cursor: actions.at(-1)?.id ?? after }
}

export type NewestActions = Awaited<ReturnType<typeof newestActions>>

export interface NewestRequest {
  /** Exclusive; undefined starts at the newest. */
  before: bigint | undefined
  limit: number
  /** Only actions that concern this record; undefined for all. */
  target: Target | undefined
}

export async function newestActions(db: Queryable, { before, limit, target }: NewestRequest) {
  let query = db.selectFrom('moderation_log').select(allOf('moderation_log')).orderBy('id', 'desc')
  if (before !== undefined) query = query.where('id', '<', before)
  if (target) query = query.where(await concerning(db, target))
  const { rows, hasMore } = cutPage(await query.limit(limit + 1).execute(), limit)
  return { actions: rows.map(asAction), hasMore }
}

/** The newest action on a message or an investigation, if that hid or erased it. Mirrors know no paths of directories. */
export async function hidingOf(db: Queryable, { kind, name }: { kind: RecordKind; name: string }) {
  const [row] = await db
    .selectFrom('moderation_log')
    .select(allOf('moderation_log'))
    .where((eb) => eb.and([eb('target_kind', '=', kind), eb('target', '=', name)]))
    .where('act', 'in', ['hide', 'show', 'erase'])
    .orderBy('id', 'desc')
    .limit(1)
    .execute()
  return row && kind !== 'directory' && row.act !== 'show' ? asAction(row) : undefined
}

/** What a record belongs to, as far as it is known. */
interface Belonging {
  path: string | null
  investigation: bigint | null
  /** The message of the question of the investigation. */
  question: bigint | null
}

async function belongingOf(db: Queryable, target: Target): Promise<Belonging> {
  if (target.kind === 'directory') return { path: target.path, investigation: null, question: null }
  const isMessage = target.kind === 'message'
  const found = await db
    .selectFrom('messages')
    .innerJoin('directories', 'directories.id', 'messages.directory_id')
    // A hidden question from a mirror does not name its investigation.
    .leftJoin('investigations', (join) =>
      isMessage
        ? join.onRef('investigations.id', '=', 'messages.investigation_id')
        : join.onRef('root_message_id', '=', 'messages.id'),
    )
    .select(['path', 'investigations.id as investigation', 'root_message_id as question'])
    .where(isMessage ? 'messages.id' : 'investigations.id', '=', target.id)
    .executeTakeFirst()
  return found ?? { path: null, investigation: isMessage ? null : target.id, question: null }
}

/**
 * Matches the actions on a record, on its investigation or the question of that, and on the directories above it. Of a
 * hidden message from a mirror neither is known, so that any action on an investigation or a directory may concern it.
 */
async function concerning(db: Queryable, target: Target) {
  const { path, investigation, question } = await belongingOf(db, target)
  const itself = target.kind === 'message' ? [target.id] : []
  const onMany = await actionsOnMany(db, question === null ? itself : [...itself, question])
  return (eb: ExpressionBuilder<Schema, 'moderation_log'>) => {
    const on = (kind: RecordKind, targets: readonly (bigint | string)[]) =>
      eb.and([eb('target_kind', '=', kind), eb('target', 'in', targets.map(String))])
    const matches = []
    if (itself.length > 0) matches.push(on('message', itself))
    if (question !== null)
      matches.push(eb.and([on('message', [question]), eb('act', '<>', 'review')]))
    if (investigation !== null) matches.push(on('investigation', [investigation]))
    if (path === HIDDEN_PATH)
      matches.push(eb.and([eb('target_kind', 'in', ['investigation', 'directory'])]))
    else if (path !== null) matches.push(on('directory', pathsTo(path)))
    if (onMany.length > 0) matches.push(eb.and([eb('id', 'in', onMany)]))
    return eb.or(matches)
  }
}

/** Returns the ids of the actions on many messages, one of these among them. There are few such actions. */
async function actionsOnMany(db: Queryable, messages: readonly bigint[]): Promise<bigint[]> {
  const rows = await db
    .selectFrom('moderation_log')
    .select(['id', 'ranges'])
    .where(sql<boolean>`ranges <> '[]'`)
    .execute()
  return rows
    .filter(({ ranges }) => messages.some((id) => isWithin(readRanges(ranges), id)))
    .map(({ id }) => id)
}

export type Readable = Awaited<ReturnType<typeof readableOf>>

/** Returns which targets of actions readers can open now, by id. A mirror has none: the records are at its source. */
export async function readableOf(db: Queryable, actions: readonly ActionRecord[]) {
  const targets = (kind: RecordKind) =>
    actions.flatMap(({ target_kind, target }) =>
      target_kind === kind && typeof target === 'bigint' ? target : [],
    )
  const messages = await visibleMessages(db, targets('message'))
  const investigations = await visibleInvestigations(db, targets('investigation'))
  return { messages: idsOf(messages), investigations: idsOf(investigations) }
}

const idsOf = (rows: readonly { id: bigint }[]) => new Set(rows.map(({ id }) => id))

const visibleMessages = compiledForValues((db, ids: readonly bigint[]) =>
  db.selectFrom('messages').select('id').where('id', 'in', ids).where(VISIBLE_MESSAGE),
)

const visibleInvestigations = compiledForValues((db, ids: readonly bigint[]) =>
  db
    .selectFrom('investigations')
    .innerJoin('messages', 'messages.id', 'investigations.root_message_id')
    .select('investigations.id')
    .where('investigations.id', 'in', ids)
    .where(VISIBLE_MESSAGE),
)
