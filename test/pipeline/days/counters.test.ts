// Tests the twelve counters on a real database (FORMAT.md 4).
// Rules: FORMAT.md 4.1-4.2.
import { type CompiledQuery, sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { countDay } from '../../../server/data/counts.ts'
import type { Database } from '../../../server/database/database.ts'
import { openDatabaseIn } from '../../support/database.ts'
import { temporaryFolder } from '../../support/release.ts'
import { type Records, recordsOf } from '../records.ts'

const FROM = Date.parse('2026-11-18T00:00:00Z')
const DAY = { from: FROM, to: FROM + 86_400_000 }
const NOON = FROM + 43_200_000

let dir: string
let database: Database
let records: Records

beforeEach(async () => {
  dir = temporaryFolder()
  database = await openDatabaseIn(dir)
  records = recordsOf(database)
})

const ZEROES = {
  messages: 0n,
  message_bytes: 0n,
  directories: 0n,
  active_directories: 0n,
  investigations: 0n,
  observations: 0n,
  attempts: 0n,
  corrections: 0n,
  results: 0n,
  reuses: 0n,
  sources: 0n,
  reviews: 0n,
}

describe('the counters of a day', () => {
  it('all counters are zero and available for a day without records', async () => {
    expect(await countDay(database.db, DAY)).toEqual({ counts: ZEROES, failures: [] })
  })

  it('each kind of record is counted, questions and contributions also as messages', async () => {
    const garden = await records.directory('garden', NOON)
    const old = await records.directory('old', FROM - 1)
    await records.message(garden, NOON, 'grüße') // 7 bytes
    await records.message(old, NOON, 'x')
    const { id, root } = await records.investigation(garden, NOON, 2) // 10 bytes
    const kinds = ['observation', 'attempt', 'attempt', 'correction', 'result', 'reuse'] as const
    for (const kind of kinds) await records.entry(id, garden, NOON, kind, 1)
    await records.review(root, NOON)
    await records.review(root, NOON + 1)
    const { counts } = await countDay(database.db, DAY)
    expect(counts).toEqual({
      messages: 9n,
      message_bytes: 7n + 1n + 10n + BigInt(kinds.map((kind) => `an ${kind}`).join('').length),
      directories: 1n,
      active_directories: 2n,
      investigations: 1n,
      observations: 1n,
      attempts: 2n,
      corrections: 1n,
      results: 1n,
      reuses: 1n,
      sources: 8n,
      reviews: 2n,
    })
  })

  it('the first millisecond of the day counts, and the first of the next day does not', async () => {
    const there = await records.directory('there', DAY.from - 1)
    for (const at of [DAY.from - 1, DAY.from, DAY.to - 1, DAY.to]) {
      await records.directory(`d${at}`, at)
      await records.message(there, at, 'x')
      const { root } = await records.investigation(there, at, 1)
      await records.review(root, at)
    }
    const { counts } = await countDay(database.db, DAY)
    expect(counts).toMatchObject({ messages: 4n, directories: 2n, investigations: 2n })
    expect(counts).toMatchObject({ sources: 2n, reviews: 2n, active_directories: 1n })
  })

  it('hidden records do not count, nor do reviews of hidden messages', async () => {
    const hidden = await records.directory('hidden', NOON, 0)
    await records.message(hidden, NOON, 'x', 0)
    const { id, root } = await records.investigation(hidden, NOON, 3, 0)
    await records.entry(id, hidden, NOON, 'result', 2, 0)
    await records.review(root, NOON)
    expect((await countDay(database.db, DAY)).counts).toEqual(ZEROES)
  })

  it('a hidden contribution to a visible investigation does not count', async () => {
    const garden = await records.directory('garden', NOON)
    const { id } = await records.investigation(garden, NOON, 1)
    await records.entry(id, garden, NOON, 'result', 4)
    await records.entry(id, garden, NOON, 'result', 8, 0)
    const { counts } = await countDay(database.db, DAY)
    expect(counts).toMatchObject({ messages: 2n, results: 1n, sources: 5n })
  })
})

it('a counter whose query fails is null with a reason, and the others are counted', async () => {
  await records.directory('garden', NOON)
  await database.write((tx) => sql`drop table reviews`.execute(tx))
  const { counts, failures } = await countDay(database.db, DAY)
  expect(counts).toEqual({ ...ZEROES, directories: 1n, reviews: null })
  expect(failures).toEqual([{ counters: ['reviews'], message: 'no such table: reviews' }])
})

describe('query plans', () => {
  it('no query scans a table, and only covering indexes are read to find the messages of a day', async () => {
    const queries: CompiledQuery[] = []
    const listening = database.db.withPlugin({
      transformQuery: ({ node }) => {
        queries.push(database.db.getExecutor().compileQuery(node, { queryId: 'plan' }))
        return node
      },
      transformResult: async ({ result }) => result,
    })
    await countDay(listening, DAY)
    expect(queries).toHaveLength(5)
    const steps: string[] = []
    for (const query of queries) {
      const explained = { ...query, sql: `explain query plan ${query.sql}` }
      const { rows } = await database.db.executeQuery<{ detail: string }>(explained)
      steps.push(...rows.map((row) => row.detail))
    }
    const reads = steps.filter((step) => /\b(SCAN|SEARCH)\b/.test(step))
    expect(reads.filter((step) => step.startsWith('SCAN'))).toEqual([])
    const ofDay = reads.filter((step) => step.includes('messages') && step.includes('publish_at'))
    expect(ofDay).toHaveLength(2)
    for (const step of ofDay) expect(step).toContain('USING COVERING INDEX')
  })

  it('columns with long texts are the last ones of their tables', async () => {
    const columns = async (table: string) => {
      const { rows } = await sql<{
        name: string
      }>`select name from pragma_table_info(${table})`.execute(database.db)
      return rows.map((row) => row.name)
    }
    expect((await columns('messages')).at(-1)).toBe('body')
    expect((await columns('entries')).slice(-2)).toEqual(['sources', 'links'])
  })
})
