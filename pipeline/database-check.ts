// Checks the database against the records of sealed days, and every message body against its hash (FORMAT.md 13.8).
import { hash } from 'node:crypto'
import { nullIf } from '../archive/errors.ts'
import { daySpan } from '../archive/format/paths.ts'
import type { Records } from '../archive/format/snapshot.ts'
import { differingRecords } from '../archive/log/records.ts'
import type { ArchiveReader } from '../archive/reader.ts'
import type { Finding } from '../archive/verify/findings.ts'
import type { Queryable, Store } from '../server/store/database.ts'
import { readRecords } from './queries.ts'

/** The number of messages read at a time. */
const PAGE = 200

/** Bounds the report on a database in which every text is damaged. */
const MAX_NAMED_BODIES = 1000

/** @param maxNamed the number of messages with a damaged body that are named; any others are only counted */
export async function checkDatabase(
  store: Store,
  archive: Pick<ArchiveReader, 'days' | 'manifest'>,
  maxNamed = MAX_NAMED_BODIES,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const day of await archive.days()) {
    // Other checks report a damaged manifest.
    const read = await archive.manifest(day).catch(nullIf('invalid_manifest'))
    const sealed = read?.manifest.snapshot.records
    if (sealed) findings.push(...(await checkRecords(store, day, sealed)))
  }
  return [...findings, ...(await checkBodies(store.db, maxNamed))]
}

async function checkRecords(store: Store, day: string, sealed: Records): Promise<Finding[]> {
  const found = await store.read((tx) => readRecords(tx, daySpan(day)))
  const differing = differingRecords(sealed, found)
  if (differing.length === 0) return []
  const list = differing.map((name) => `${name} is ${found[name]}, but ${sealed[name]} was sealed`)
  return [{ code: 'records_differ', file: day, message: list.join('; ') }]
}

/** Reports each message whose body was erased or does not match its hash; of the latter, `maxNamed` by name. */
async function checkBodies(db: Queryable, maxNamed: number): Promise<Finding[]> {
  const erased = await erasedMessages(db)
  const findings: Finding[] = []
  let damaged = 0
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
      else if (++damaged <= maxNamed) findings.push(damagedBody(file, 'its text'))
    }
    const last = rows.at(-1)
    if (last && rows.length === PAGE) after = last.id
    else break
  }
  const others = damaged - maxNamed
  if (others > 0) findings.push(damagedBody(`${others} more messages`, 'the text of each'))
  return findings
}

const damagedBody = (file: string, text: string): Finding => ({
  code: 'body_differs',
  file,
  message: `${text} does not have its body_hash`,
})

/** Reads the ids of erased messages from the moderation log. */
async function erasedMessages(db: Queryable): Promise<Set<string>> {
  const rows = await db
    .selectFrom('moderation_log')
    .select('target')
    .where('act', '=', 'erase')
    .where('target_kind', '=', 'message')
    .execute()
  return new Set(rows.map((row) => row.target))
}
