// Incremental message counts: updates, incomplete counts, failures, and hidden records (API.md 8.1).
import { beforeEach, expect, test } from 'vitest'
import { directoryActivity } from '../../../server/board/activity.ts'
import type { DirectoryTree } from '../../../server/board/directory-tree.ts'
import { IncrementalCounts } from '../../../server/board/incremental-counts.ts'
import type { Database } from '../../../server/database/database.ts'
import { moderate } from '../../../server/moderation/queries.ts'
import { openDatabaseIn } from '../../support/database.ts'
import { publisherIn } from '../../support/publish.ts'
import { temporaryFolder } from '../../support/release.ts'

let dir: string
let database: Database
beforeEach(async () => {
  dir = temporaryFolder()
  database = await openDatabaseIn(dir)
  for (const path of ['lab', 'yard']) await open(path)
  for (const directory of ['lab', 'lab', 'yard']) await say(directory)
})

const open = (path: string) => publisherIn(database).directory(path)
const say = (directory: string) => publisherIn(database).message(directory, 1e12)

/** Repeats calls until the counts are complete, which may take several on a busy machine. */
async function complete<Counts>(counting: IncrementalCounts<Counts>): Promise<Counts> {
  for (;;) {
    const counts = await counting.completeOrNull()
    if (counts !== null) return counts
  }
}

const countsOf = ({ roots }: DirectoryTree) => roots.map(({ path, here }) => [path, here])

test('directories and messages published since the last call are added to the counts', async () => {
  const activity = directoryActivity(database)
  const before = [
    ['lab', 2],
    ['yard', 1],
  ]
  expect(countsOf(await complete(activity))).toEqual(before)
  await open('attic')
  await say('attic')
  expect(countsOf(await complete(activity))).toEqual([['attic', 1], ...before])
})

test('a hidden directory and a hidden message are removed from the counts at once', async () => {
  const activity = directoryActivity(database)
  await complete(activity)
  await database.write((tx) =>
    moderate(tx, { act: 'hide', kind: 'directory', path: 'yard', reason: 'r' }, 0),
  )
  await database.write((tx) =>
    moderate(tx, { act: 'hide', kind: 'message', id: 1n, reason: 'r' }, 0),
  )
  expect(countsOf(await complete(activity))).toEqual([['lab', 1]])
})

test('counts that take too long are returned as incomplete, and a later call returns them complete', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const slow = new IncrementalCounts<{ ranges: number }>(database, {
    begin: () => ({ ranges: 0 }),
    add: async (_db, counts) => {
      await released
      counts.ranges++
    },
  })
  expect(await Promise.all([slow.currentOrPartial(), slow.completeOrNull()])).toEqual([
    { counts: { ranges: 0 }, isComplete: false },
    null,
  ])
  release()
  expect(await complete(slow)).toEqual({ ranges: 1 })
  expect(await slow.currentOrPartial()).toEqual({ counts: { ranges: 1 }, isComplete: true })
})

test('a counting error rejects the pending call, and the next call retries', async () => {
  let attempts = 0
  const failing = new IncrementalCounts<{ ranges: number }>(database, {
    begin: () => ({ ranges: 0 }),
    add: async (_db, counts) => {
      if (++attempts === 1) throw new Error('no disk')
      counts.ranges++
    },
  })
  await expect(complete(failing)).rejects.toThrow('no disk')
  expect(await complete(failing)).toEqual({ ranges: 1 })
})
