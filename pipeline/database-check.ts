// Checks the database against the records of sealed days, and every message body against its hash (COMMANDS.md 1.3).
import { daySpan } from '../archive/format/calendar.ts'
import { sha256Of } from '../archive/format/hash.ts'
import type { Records } from '../archive/format/snapshot.ts'
import { differingRecords } from '../archive/log/records.ts'
import type { Finding } from '../archive/verify/findings.ts'
import type { Database, Queryable } from '../server/database/database.ts'
import { readDayRecords } from './queries.ts'

/** The number of messages read at a time. */
const PAGE = 200

/** Compares the records of a sealed day with those in the database. */
export async function checkRecords(
  database: Database,
  day: string,
  sealed: Records,
): Promise<Finding[]> {
  const { records: found } = await database.read((tx) => readDayRecords(tx, daySpan(day)))
  const differing = differingRecords(sealed, found)
  if (differing.length === 0) return []
  const list = differing.map((name) => `${name} is ${found[name]}, but ${sealed[name]} was sealed`)
  return [{ code: 'records_differ', file: day, message: list.join('; ') }]
}

/** Reports the first message whose body does not match its hash, and every message that was erased. */
export async function checkBodies(db: Queryable): Promise<Finding[]> {
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
      if (sha256Of(body) === body_hash) continue
      const file = `message ${id}`
      if (body === '' && erased.has(id))
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

async function erasedMessages(db: Queryable): Promise<Set<bigint>> {
  const rows = await db.selectFrom('erasures').select('message_id').execute()
  return new Set(rows.map((row) => row.message_id))
}
