// Counts the messages of each directory per day, for the pages of the board.
import { sql } from 'kysely'
import { DAY_MS } from '../../protocol/index.ts'
import { compiled } from '../database/compiled.ts'
import { type Database, type Queryable, VISIBLE, VISIBLE_MESSAGE } from '../database/database.ts'
import { DirectoryTree } from './directory-tree.ts'
import { type IdRange, IncrementalCounts } from './incremental-counts.ts'

/** Converts an instant [ms since 1970] to days since 1970. */
export const dayNumber = (at: number): number => Math.floor(at / DAY_MS)

export const directoryActivity = (database: Database): IncrementalCounts<DirectoryTree> =>
  new IncrementalCounts(database, {
    begin: () => new DirectoryTree(),
    prepare: addDirectories,
    add,
  })

const DIRECTORY_BATCH = 2_000

const directoriesAfterId = compiled((db, { after, limit }: { after: bigint; limit: number }) =>
  db
    .selectFrom('directories')
    .select(['id', 'path', 'parent_id'])
    .where('visible', '=', VISIBLE)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit),
)

async function addDirectories(db: Queryable, tree: DirectoryTree): Promise<void> {
  for (;;) {
    const rows = await directoriesAfterId(db, { after: tree.lastId, limit: DIRECTORY_BATCH })
    for (const { id, path, parent_id } of rows) tree.add({ id, path, parentId: parent_id })
    if (rows.length < DIRECTORY_BATCH) break
  }
  tree.sort()
}

const messagesByDay = compiled((db, { after, upto }: IdRange) =>
  db
    .selectFrom('messages')
    .select([
      'directory_id',
      sql<bigint>`publish_at / ${sql.lit(DAY_MS)}`.as('day'),
      sql<bigint>`count(*)`.as('messages'),
      sql<bigint>`max(publish_at)`.as('last_at'),
      sql<bigint>`max(id)`.as('newest'),
    ])
    .where(VISIBLE_MESSAGE)
    .where('id', '>', after)
    .where('id', '<=', upto)
    .groupBy(['directory_id', 'day']),
)

async function add(db: Queryable, tree: DirectoryTree, range: IdRange): Promise<void> {
  for (const row of await messagesByDay(db, range)) tree.count(row)
}
