// Queries for the messages of a directory, in pages: those before an id, or after one; and for directories near a missing path.
import { MAX_ID } from '../../archive/format/scalars.ts'
import { compiled } from '../database/compiled.ts'
import type { Queryable } from '../database/database.ts'
import { directoryUrl } from '../wire/addresses.ts'
import { cutPage } from '../wire/page.ts'
import type { Nearby } from '../wire/problem.ts'
import { type Branch, type DirectoryTree, firstAfter } from './directory-tree.ts'
import { asMessage, visibleMessages } from './queries.ts'
import { parentPath } from './rules.ts'

const pageOf = (db: Queryable, { directoryId, limit }: { directoryId: bigint; limit: number }) =>
  visibleMessages(db).where('messages.directory_id', '=', directoryId).limit(limit)

const pageUpTo = compiled((db, request: { directoryId: bigint; upto: bigint; limit: number }) =>
  pageOf(db, request).where('messages.id', '<=', request.upto).orderBy('messages.id', 'desc'),
)

const pageAfter = compiled((db, request: { directoryId: bigint; after: bigint; limit: number }) =>
  pageOf(db, request).where('messages.id', '>', request.after).orderBy('messages.id'),
)

/** The order of a page of messages, and the id after or before which it starts (exclusive). */
export type MessagePageRequest =
  | { order: 'oldest first'; after: bigint }
  | { order: 'newest first'; before: bigint | undefined }

export async function messagesIn(
  db: Queryable,
  directoryId: bigint,
  request: MessagePageRequest,
  limit: number,
) {
  const page = { directoryId, limit: limit + 1 }
  const found =
    request.order === 'oldest first'
      ? await pageAfter(db, { ...page, after: request.after })
      : await pageUpTo(db, { ...page, upto: (request.before ?? MAX_ID + 1n) - 1n })
  const { rows, hasMore } = cutPage(found, limit)
  return { messages: rows.map(asMessage), hasMore }
}

/** Returns links to the directories nearest to a path that does not exist. */
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
