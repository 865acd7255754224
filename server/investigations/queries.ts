// Investigations in the database: pages of them, and one with its entries.
import type { Transaction } from 'kysely'
import { compiled } from '../store/compiled.ts'
import { type Queryable, VISIBLE } from '../store/database.ts'
import type { Schema } from '../store/schema.ts'
import { instant } from '../wire/instant.ts'
import { cutPage, type PageRequest } from '../wire/page.ts'
import { Problem } from '../wire/problem.ts'
import type { InvestigationDetail, InvestigationPage, SummaryRecord } from './api.ts'
import { listEntries, readQuestion } from './entries.ts'

export const noInvestigation = (id: bigint) =>
  new Problem('investigation_not_found', `there is no investigation ${id}`)

const findInvestigation = compiled((db, { id }: { id: bigint }) =>
  db
    .selectFrom('investigations')
    .select(['title', 'root_message_id'])
    .where('id', '=', id)
    .where('visible', '=', VISIBLE),
)

async function requireInvestigation(db: Queryable, id: bigint) {
  const [row] = await findInvestigation(db, { id })
  if (!row) throw noInvestigation(id)
  return row
}

const summariesAfter = compiled((db, { after, limit }: PageRequest<bigint>) =>
  db
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
    .limit(limit),
)

/** A page of visible investigations, ascending. */
export async function listInvestigations(
  db: Queryable,
  { after, limit }: PageRequest<bigint>,
): Promise<InvestigationPage> {
  const found = await summariesAfter(db, { after, limit: limit + 1 })
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
