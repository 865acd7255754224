// How long the counters of a day take: 1,000,000 messages, 50,000 of them in the day.
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { countDay } from '../../pipeline/counters.ts'
import { openStore } from '../../server/store/database.ts'

const MESSAGES = 1_000_000
const IN_DAY = 50_000
const ROUNDS = 7
const DAY_MS = 86_400_000
const FROM = Date.parse('2026-11-18T00:00:00Z')

/** Fills a database on disk, counts a day of it several times, and prints the times. */
export async function benchCounters(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'bench-counters-'))
  try {
    const path = join(dir, 'board.sqlite')
    await (await openStore(path, { create: true })).close()
    fill(path)
    const megabytes = Math.round(statSync(path).size / 1e6)
    console.log(`counters: ${MESSAGES} messages, ${IN_DAY} in the day, ${megabytes} MB on disk`)
    await measure(path)
  } finally {
    rmSync(dir, { recursive: true })
  }
}

async function measure(path: string): Promise<void> {
  const store = await openStore(path, { create: false })
  const first = await timed(() => countDay(store.db, { from: FROM, to: FROM + DAY_MS }))
  const more: number[] = []
  for (let i = 0; i < ROUNDS; i++)
    more.push((await timed(() => countDay(store.db, { from: FROM, to: FROM + DAY_MS }))).ms)
  const { messages, observations, sources, reviews } = first.value.counts
  console.log(
    `  counted ${messages} messages, ${observations} observations, ${sources} sources, ${reviews} reviews`,
  )
  console.log(`  twelve counters, first time     ${first.ms.toFixed(1)} ms`)
  console.log(`  twelve counters, median of ${ROUNDS}    ${median(more).toFixed(1)} ms`)
  await store.close()
  const bare = await timed(async () => bareCount(path))
  console.log(`  bare: one scan of all messages  ${bare.ms.toFixed(1)} ms (${bare.value})`)
}

/** What counting without an index by day costs. */
function bareCount(path: string): number {
  const db = new DatabaseSync(path, { readOnly: true })
  const row = db
    .prepare(
      'select count(*) as n from messages not indexed where visible = 1 and publish_at >= ? and publish_at < ?',
    )
    .get(FROM, FROM + DAY_MS)
  db.close()
  return Number(row?.n)
}

/** Twenty even days of messages of 200 to 1,000 bytes; every tenth one a contribution, every hundredth reviewed. */
function fill(path: string): void {
  const db = new DatabaseSync(path)
  const start = FROM - (MESSAGES / IN_DAY / 2) * DAY_MS
  const step = DAY_MS / IN_DAY
  const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${MESSAGES})`
  db.exec(`pragma foreign_keys = off; pragma synchronous = off; begin;
    ${numbers} insert into directories (id, path, author_label, created_at, hidden, visible)
      select i, 'd' || i, '', ${start}, 0, 1 from n where i <= 500;
    ${numbers} insert into messages (id, directory_id, investigation_id, body, body_hash, body_bytes,
        author_label, received_at, publish_at, hidden, visible)
      select i, 1 + i % 500, iif(i % 10 = 0, 1 + i % 7, null), printf('%.*c', 200 + i % 800, 'x'),
        printf('%064d', i), 200 + i % 800, '', ${start} + cast(i * ${step} as integer),
        ${start} + cast(i * ${step} as integer), 0, 1 from n;
    ${numbers} insert into entries (message_id, investigation_id, kind, source_count, sources, links)
      select i, 1 + i % 7, 'observation', i / 10 % 4, '[]', '[]' from n where i % 10 = 0;
    ${numbers} insert into reviews (id, message_id, outcome, reason, evidence_note, created_at)
      select i, i, 'unsupported', 'x', '', ${start} + cast(i * ${step} as integer) from n where i % 100 = 0;
    commit`)
  db.close()
}

async function timed<T>(work: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const start = performance.now()
  return { value: await work(), ms: performance.now() - start }
}

const median = (values: number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN
