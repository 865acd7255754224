// Tests that lists, single records, writes and operator actions use indexes, however much is hidden.
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readHeartbeats } from '../../../pipeline/days/queries.ts'
import { answersOf, threadOf } from '../../../server/board/answers.ts'
import { directoryCreation, messageCreation } from '../../../server/board/creations.ts'
import { mentionsOf } from '../../../server/board/mentions.ts'
import { listDirectories, messagesAfter } from '../../../server/board/queries.ts'
import { readConfig } from '../../../server/config.ts'
import type { Database, Queryable } from '../../../server/database/database.ts'
import { openDatabase } from '../../../server/database/open.ts'
import {
  contributionCreation,
  investigationCreation,
} from '../../../server/investigations/creations.ts'
import { listInvestigations, readInvestigation } from '../../../server/investigations/queries.ts'
import { moderate } from '../../../server/moderation/queries.ts'
import type { Target } from '../../../server/moderation/rules.ts'
import { readModes } from '../../../server/modes/queries.ts'
import { publishAt, publishBatch } from '../../../server/publishing/batch.ts'
import { MESSAGE_LIMITS } from '../../../server/publishing/limits.ts'
import { prune } from '../../../server/publishing/prune.ts'
import { listReviews, recordReview } from '../../../server/reviews/queries.ts'
import { headlineReader } from '../../../server/sections/headlines.ts'
import { readSectionOf } from '../../../server/sections/queries.ts'
import { SECTIONS } from '../../../server/sections/rules.ts'
import { system } from '../../../server/system/system.ts'
import { guardOf } from '../../support/clock-guard.ts'
import { plansOf, preparationsOf } from '../../support/plans.ts'
import { temporaryFolder } from '../../support/release.ts'
import { clockAt } from '../../support/service.ts'

const dir = temporaryFolder()
const file = join(dir, 'daysignal.sqlite')
const database = await openDatabase(file, { clock: system.clock, create: true })
await database.write(async (tx) => {
  await publishAt(
    tx,
    directoryCreation,
    { path: 'a', author_label: '' },
    { at: 0, randomHex: system.randomHex },
  )
  const request = { directory: 'a', title: 't', body: 'b', author_label: '', sources: [] }
  await publishAt(tx, investigationCreation, request, { at: 0, randomHex: system.randomHex })
})
afterAll(async () => {
  await database.close()
})

/** A step that reads a whole table, and not a subquery. */
const SCAN = /^SCAN(?! (page|counted|first)$)/

/** The steps that read a whole table or sort its rows. */
const slow = (steps: string[]) =>
  steps.filter((step) => SCAN.test(step) || step.includes('TEMP B-TREE'))

describe('query plans of reads', () => {
  const page = { after: 5n, limit: 50 }
  const reads: [index: string, read: (db: Queryable) => Promise<unknown>][] = [
    ['messages_visible', (db) => messagesAfter(db, page)],
    ['messages_visible_directory', (db) => messagesAfter(db, page, 'a')],
    ['directories_visible_path', (db) => listDirectories(db, { after: 'a', limit: 50 })],
    ['directories_visible_children', (db) => listDirectories(db, { after: 'a', limit: 50 }, 1n)],
    ['investigations_visible', (db) => listInvestigations(db, page)],
    ['messages_visible_investigation', (db) => readInvestigation(db, 1n, { ...page, after: 0n })],
    ['mentions_target', (db) => mentionsOf(db, { id: 5n, host: '' })],
    ['reviews', (db) => listReviews(db, { ...page, before: undefined })],
    ['reviews', (db) => listReviews(db, { after: undefined, before: 5n, limit: 50 })],
  ]

  test.each(SECTIONS)('the section %s of a day reads only the records of the day', async (name) => {
    const day = '1970-01-01'
    const steps = await plansOf(file, (db) => readSectionOf(db, day, name, { limit: 20, host: '' }))
    expect(steps.some((step) => SCAN.test(step))).toBe(false)
    const sorts = steps.filter((step) => /TEMP B-TREE/.test(step))
    // Records of the same millisecond are sorted by id.
    for (const sort of sorts) expect(sort).toMatch(/LAST TERM/)
  })

  test('the headline of a day and its lines are found by indexes', async () => {
    const steps = await plansOf(file, (db) => headlineReader(db, system.clock, '')(['1970-01-01']))
    expect(steps).toContainEqual(expect.stringContaining('INDEX mentions_target'))
    const tables = /^SCAN (messages|mentions|entries|investigations|directories|reviews|other)\b/
    expect(steps.filter((step) => tables.test(step))).toEqual([])
  })

  test('the pipeline finds messages that show a step of the clock in an index of such messages', async () => {
    const steps = await plansOf(file, (db) => readHeartbeats(db, { from: 0, to: 86_400_000 }))
    const ofMessages = steps.filter((step) => step.includes('messages'))
    expect(ofMessages).toEqual([expect.stringContaining('USING INDEX messages_displaced')])
  })

  test('the thread around a message and the answers of a list are read from their indexes', async () => {
    const steps = await plansOf(file, async (db) => {
      await threadOf(db, { id: 5n, host: '', after: 0n })
      await answersOf(db, [5n, 6n], '')
    })
    // The steps of a recursion and the first of a thread are few.
    expect(steps.filter((step) => /^SCAN (?!above|below|around|first|counted)/.test(step))).toEqual(
      [],
    )
    expect(steps.some((step) => step.includes('COVERING INDEX mentions_answers'))).toBe(true)
  })

  test.each(reads)('%s serves a query without a scan or a sort: %s', async (index, read) => {
    const steps = await plansOf(file, read)
    expect(slow(steps)).toEqual([])
    expect(steps.some((step) => step.includes(index))).toBe(true)
  })

  test.each(reads)(
    'SQLite prepares a query by %s once, whatever its limit: %s',
    async (_, read) => {
      expect(await preparationsOf(file, read)).toBe(0)
    },
  )
})

const clock = clockAt('1970-01-01T00:00:00Z')

test('a batch of creates scans no table', async () => {
  const keyed = { operation: 'message', origin: 'o', key: 'k', request_hash: '' } as const
  const shared = { origin: 'o', keyed, arrivedAt: 0 }
  const said = { directory: 'a', body: 'b', author_label: '' }
  const links = [{ message_id: 1n, relation: 'extends' as const }]
  const contribution = { kind: 'result' as const, body: 'b', author_label: '', sources: [], links }
  const added = { investigation: 1n, contribution }
  const steps = await plansOf(file, (db) =>
    db.transaction().execute((tx) =>
      publishBatch(
        tx,
        { databaseTime: null, history: null },
        [
          { ...shared, creation: messageCreation, input: said, limits: MESSAGE_LIMITS },
          { ...shared, creation: contributionCreation, input: added, limits: MESSAGE_LIMITS },
        ],
        {
          quotas: readConfig({}).quotas,
          clock,
          randomHex: system.randomHex,
          clockGuard: guardOf(clock),
          modes: { in: readModes },
          restoreGuard: () => null,
        },
      ),
    ),
  )
  expect(steps.length).toBeGreaterThan(5)
  // All of the few sequences are needed; the lists of keys and windows come with the query.
  const expected = /^SCAN sequences$|^SCAN \d+-ROW VALUES CLAUSE$|^SCAN (?:\d+ )?CONSTANT ROWS?$/
  expect(slow(steps).filter((step) => !expected.test(step))).toEqual([])
})

describe('query plans of operator actions', () => {
  const targets: Target[] = [
    { kind: 'directory', path: 'a' },
    { kind: 'investigation', id: 1n },
    { kind: 'message', id: 1n },
  ]
  test.each(targets)('hiding and showing a $kind scans no table', async (target) => {
    for (const act of ['hide', 'show'] as const) {
      const steps = await plansOf(file, (db) =>
        db.transaction().execute((tx) => moderate(tx, { act, reason: 'r', ...target }, 0)),
      )
      expect(steps.length).toBeGreaterThan(5)
      expect(slow(steps)).toEqual([])
    }
  })

  test('a review scans no table', async () => {
    const input = { message_id: 1n, outcome: 'withdrawn', reason: 'r', evidence_note: '' } as const
    const steps = await plansOf(file, (db) =>
      db.transaction().execute((tx) => recordReview(tx, input, 0)),
    )
    expect(slow(steps)).toEqual([])
  })

  test('pruning scans no table', async () => {
    const steps = await plansOf(file, (db) => {
      const listening: Database = {
        ...database,
        write: (work) =>
          db.transaction().execute((tx) => work(tx, { databaseTime: null, history: null })),
      }
      return prune(listening, guardOf(clock), new AbortController().signal)
    })
    expect(steps.length).toBeGreaterThan(2)
    expect(slow(steps)).toEqual([])
  })
})
