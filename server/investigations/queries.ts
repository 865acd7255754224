// Investigations in the database: opening one, contributing to it, and reading pages of them.
import type { Transaction } from 'kysely'
import { insertMessage, requireDirectory } from '../board/queries.ts'
import type { Times } from '../publishing/create.ts'
import { nextId, type Queryable, VISIBLE } from '../store/database.ts'
import type { EntryKind, Schema } from '../store/schema.ts'
import { instant } from '../wire/instant.ts'
import { stringifyJson } from '../wire/json.ts'
import { cutPage, type PageRequest } from '../wire/page.ts'
import { Problem } from '../wire/problem.ts'
import type {
  ContributionCreated,
  InvestigationCreated,
  InvestigationDetail,
  InvestigationPage,
  SummaryRecord,
} from './api.ts'
import { listEntries, readQuestion } from './entries.ts'
import type { ContributionRequest, InvestigationRequest, Link, Source } from './rules.ts'

/** Opens an investigation with its question. @throws Problem directory_not_found */
export async function createInvestigation(
  tx: Transaction<Schema>,
  request: InvestigationRequest,
  times: Times,
): Promise<InvestigationCreated> {
  const directory = await requireDirectory(tx, request.directory)
  const id = await nextId(tx, 'investigation')
  const message = await insertMessage(tx, {
    directoryId: directory.id,
    investigationId: id,
    body: request.body,
    authorLabel: request.author_label,
    ...times,
  })
  await tx
    .insertInto('investigations')
    .values({
      id,
      root_message_id: message.id,
      directory_id: directory.id,
      title: request.title,
      created_at: message.publish_at,
      hidden: 0,
      visible: 1,
    })
    .execute()
  await insertEntry(tx, message.id, id, { kind: 'question', sources: request.sources, links: [] })
  return {
    id,
    root_message_id: message.id,
    url: `/investigations/${id}`,
    message_url: `/messages/${message.id}`,
    format_version: 1,
    body_hash: message.body_hash,
    received_at: instant(message.received_at),
    visibility: 'public',
  }
}

/** Adds to an investigation. @throws Problem investigation_not_found, link_not_found */
export async function contribute(
  tx: Transaction<Schema>,
  investigationId: bigint,
  request: ContributionRequest,
  times: Times,
): Promise<ContributionCreated> {
  const investigation = await requireInvestigation(tx, investigationId)
  await requireTargets(tx, request.links)
  const message = await insertMessage(tx, {
    directoryId: investigation.directory_id,
    investigationId,
    body: request.body,
    authorLabel: request.author_label,
    ...times,
  })
  await insertEntry(tx, message.id, investigationId, request)
  return {
    message_id: message.id,
    investigation_id: investigationId,
    url: `/messages/${message.id}`,
    investigation_url: `/investigations/${investigationId}`,
    body_hash: message.body_hash,
    received_at: instant(message.received_at),
    visibility: 'public',
  }
}

async function insertEntry(
  tx: Transaction<Schema>,
  messageId: bigint,
  investigationId: bigint,
  { kind, sources, links }: { kind: EntryKind; sources: Source[]; links: Link[] },
): Promise<void> {
  await tx
    .insertInto('entries')
    .values({
      message_id: messageId,
      investigation_id: investigationId,
      kind,
      sources: stringifyJson(sources),
      source_count: sources.length,
      links: stringifyJson(links),
    })
    .execute()
}

/** A link's target is a visible message of any directory (API.md 7.2). */
async function requireTargets(tx: Transaction<Schema>, links: Link[]): Promise<void> {
  if (links.length === 0) return
  const rows = await tx
    .selectFrom('messages')
    .select('id')
    .where(
      'id',
      'in',
      links.map((link) => link.message_id),
    )
    .where('visible', '=', VISIBLE)
    .execute()
  const found = new Set(rows.map((row) => row.id))
  const missing = links.findIndex((link) => !found.has(link.message_id))
  if (missing >= 0)
    throw new Problem(
      'link_not_found',
      `links[${missing}].message_id: there is no message ${links[missing]?.message_id}`,
    )
}

async function requireInvestigation(db: Queryable, id: bigint) {
  const row = await db
    .selectFrom('investigations')
    .select(['title', 'root_message_id', 'directory_id'])
    .where('id', '=', id)
    .where('visible', '=', VISIBLE)
    .executeTakeFirst()
  if (!row) throw new Problem('investigation_not_found', `there is no investigation ${id}`)
  return row
}

/** A page of visible investigations, ascending. */
export async function listInvestigations(
  db: Queryable,
  { after, limit }: PageRequest<bigint>,
): Promise<InvestigationPage> {
  const found = await db
    .selectFrom('investigations')
    .innerJoin('directories', 'directories.id', 'investigations.directory_id')
    .innerJoin('messages', 'messages.id', 'investigations.root_message_id')
    .select([
      'investigations.id',
      'investigations.title',
      'directories.path',
      'messages.author_label',
      'messages.received_at',
    ])
    .where('investigations.visible', '=', VISIBLE)
    .where('investigations.id', '>', after)
    .orderBy('investigations.id')
    .limit(limit + 1)
    .execute()
  const { rows, hasMore } = cutPage(found, limit)
  const items = rows.map(
    (row): SummaryRecord => ({
      id: row.id,
      title: row.title,
      directory: row.path,
      author_label: row.author_label,
      received_at: instant(row.received_at),
      url: `/investigations/${row.id}`,
      format_version: 1,
    }),
  )
  return { items, next_after: items.at(-1)?.id ?? after, has_more: hasMore }
}

/**
 * An investigation with a page of its entries after a message id; the question is in every page.
 * @param tx a transaction, so that all parts are of one moment
 * @throws Problem investigation_not_found
 */
export async function readInvestigation(
  tx: Transaction<Schema>,
  id: bigint,
  { after, limit }: PageRequest<bigint>,
): Promise<InvestigationDetail> {
  const { title, root_message_id: rootId } = await requireInvestigation(tx, id)
  const question = await readQuestion(tx, rootId)
  const { rows: entries, hasMore } = await listEntries(tx, id, {
    after: after > rootId ? after : rootId,
    limit,
  })
  return {
    investigation: { ...question, title, format_version: 1 },
    entries,
    next_after: entries.at(-1)?.message_id ?? after,
    has_more: hasMore,
  }
}
