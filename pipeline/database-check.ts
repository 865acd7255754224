// Checks the records of sealed days and the hash of every text against the database (FORMAT.md 13.8).
import { hash } from 'node:crypto'
import { dayStart, nextDay } from '../archive/format/paths.ts'
import type { Records } from '../archive/format/snapshot.ts'
import { DayLeaves, recordsOf } from '../archive/log/records.ts'
import type { ArchiveReader } from '../archive/reader.ts'
import type { Finding } from '../archive/verify/findings.ts'
import type { Queryable, Store } from '../server/store/database.ts'
import { readRecorded } from '../server/store/recorded.ts'

/** Messages whose texts are in memory at once. */
const PAGE = 200

/** A day that is damaged in the archive is reported by the other checks. */
export async function checkDatabase(store: Store, archive: ArchiveReader): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const day of await archive.days()) {
    const read = await archive.manifest(day).catch(() => null)
    const sealed = read?.manifest.snapshot.records
    if (sealed) findings.push(...(await checkRecords(store, day, sealed)))
  }
  return [...findings, ...(await checkBodies(store.db))]
}

async function checkRecords(store: Store, day: string, sealed: Records): Promise<Finding[]> {
  const found = await store.read((tx) => readRecords(tx, day))
  const differing = (Object.keys(sealed) as (keyof Records)[]).filter(
    (name) => sealed[name] !== found[name],
  )
  if (differing.length === 0) return []
  const list = differing.map((name) => `${name} is ${found[name]}, sealed was ${sealed[name]}`)
  return [{ code: 'records_differ', file: day, message: list.join('; ') }]
}

async function readRecords(db: Queryable, day: string): Promise<Records> {
  const leaves = new DayLeaves()
  const span = { from: dayStart(day), to: dayStart(nextDay(day)) }
  for await (const page of readRecorded(db, span)) for (const message of page) leaves.add(message)
  return recordsOf(leaves.sorted())
}

/** The first message whose text is wrong, and each one whose text was erased. */
async function checkBodies(db: Queryable): Promise<Finding[]> {
  const erased = await erasedMessages(db)
  const findings: Finding[] = []
  let isDamaged = false
  for (let after = 0n; ; ) {
    const rows = await db
      .selectFrom('messages')
      .select(['id', 'body', 'body_hash'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(PAGE)
      .execute()
    for (const { id, body, body_hash } of rows) {
      if (hash('sha256', body, 'hex') === body_hash) continue
      const file = `message ${id}`
      if (body === '' && erased.has(String(id)))
        findings.push({ code: 'body_erased', file, message: 'its text was removed for good' })
      else if (!isDamaged) {
        isDamaged = true
        findings.push({
          code: 'body_differs',
          file,
          message: 'its text does not have its body_hash',
        })
      }
    }
    const last = rows.at(-1)
    if (!last || rows.length < PAGE) return findings
    after = last.id
  }
}

/** By the log of operators' actions. */
async function erasedMessages(db: Queryable): Promise<Set<string>> {
  const rows = await db
    .selectFrom('moderation_log')
    .select('target')
    .where('act', '=', 'erase')
    .where('target_kind', '=', 'message')
    .execute()
  return new Set(rows.map((row) => row.target))
}
