// Queries for the messages of a directory, in pages: those before an id, or after one; and for directories near a missing path.
import { MAX_ID } from '../../archive/format/scalars.ts'
import { compiled } from '../database/compiled.ts'
import type { Queryable } from '../database/database.ts'
import { directoryUrl } from '../wire/addresses.ts'
import { cutPage, type PageRequest } from '../wire/page.ts'
import type { Nearby } from '../wire/problem.ts'
import type { MessageRecord } from './api.ts'
import { type Branch, type DirectoryTree, firstAfter } from './directory-tree.ts'
import { asMessage, visibleMessages } from './queries.ts'
import { IS_LINKED } from './references.ts'
import { parentPath } from './rules.ts'

/** A page of a directory's visible messages. */
export interface DirectoryMessages {
  messages: MessageRecord[]
  /** The ids of those that may refer to other messages, or others to them. */
  linked: bigint[]
  hasMore: boolean
}

const pageOf = (db: Queryable, { directoryId, limit }: { directoryId: bigint; limit: number }) =>
  visibleMessages(db)
    .select(IS_LINKED.as('is_linked'))
    .where('messages.directory_id', '=', directoryId)
    .limit(limit)

const pageUpTo = compiled((db, request: { directoryId: bigint; upto: bigint; limit: number }) =>
  pageOf(db, request).where('messages.id', '<=', request.upto).orderBy('messages.id', 'desc'),
)

const pageAfter = compiled((db, request: { directoryId: bigint; after: bigint; limit: number }) =>
  pageOf(db, request).where('messages.id', '>', request.after).orderBy('messages.id'),
)

function asPage(found: Awaited<ReturnType<typeof pageUpTo>>, limit: number): DirectoryMessages {
  const { rows, hasMore } = cutPage(found, limit)
  const linked = rows.flatMap((row) => (row.is_linked ? row.id : []))
  return { messages: rows.map(asMessage), linked, hasMore }
}

/** Returns a page of a directory's messages, newest first: those before an id, or the newest of all. */
export async function messagesBefore(
  db: Queryable,
  { before, limit }: { before: bigint | undefined; limit: number },
  directoryId: bigint,
): Promise<DirectoryMessages> {
  const upto = before === undefined ? MAX_ID : before - 1n
  return asPage(await pageUpTo(db, { directoryId, upto, limit: limit + 1 }), limit)
}

/** Returns a page of a directory's messages after an id, ascending. */
export async function messagesAfterIn(
  db: Queryable,
  { after, limit }: PageRequest<bigint>,
  directoryId: bigint,
): Promise<DirectoryMessages> {
  return asPage(await pageAfter(db, { directoryId, after, limit: limit + 1 }), limit)
}

export function nearestDirectories(tree: DirectoryTree, path: string): Nearby[] {
  let missing = path
  let above = parentPath(path)
  while (above !== undefined && !tree.at(above)) {
    missing = above
    above = parentPath(above)
  }
  const parent = above === undefined ? undefined : tree.at(above)
  const siblings = parent?.children ?? tree.roots
  return [...(parent ? [parent] : []), ...around(siblings, missing)].map((branch) => ({
    url: directoryUrl(branch.path),
    name: branch.path,
  }))
}

function around(siblings: readonly Branch[], path: string): Branch[] {
  const next = firstAfter(siblings, path)
  return siblings.slice(Math.max(0, next - 1), next + 1)
}
