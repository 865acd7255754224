// Locks between hosts that outlast a transaction: rows that their holders renew, and that others may take once expired.
import { type Kysely, sql } from 'kysely'
import type { Database, Lease } from '../database.ts'
import type { Schema } from '../schema/schema.ts'

/** How long a lease is valid after its last renewal. */
const VALID_FOR = sql`interval '30 seconds'`
const RENEW_EVERY_MS = 10_000

/** As Database's `takeLease`. */
export async function takeLease(
  { write }: Pick<Database, 'write'>,
  name: string,
): Promise<Lease | null> {
  const taken = await write((tx) => takeRow(tx, name))
  if (taken === undefined) return null
  const isMine = sql`name = ${name} and fence = ${taken}`
  const update = (endsAt: typeof VALID_FOR) =>
    write((tx) => sql`update leases set ends_at = ${endsAt} where ${isMine}`.execute(tx))
  // A failed renewal is retried by the next; one after another host has taken the lease changes nothing.
  const timer = setInterval(
    () => void update(sql`now() + ${VALID_FOR}`).catch(() => {}),
    RENEW_EVERY_MS,
  )
  timer.unref()
  return {
    fence: taken,
    release: async () => {
      clearInterval(timer)
      // A lease that cannot be released expires by itself.
      await update(sql`now()`).catch(() => {})
    },
  }
}

/** @returns the fencing number; undefined while another host holds the lease */
async function takeRow(tx: Kysely<Schema>, name: string): Promise<bigint | undefined> {
  const { rows } = await sql<{ fence: bigint }>`
    insert into leases (name, fence, ends_at) values (${name}, 1, now() + ${VALID_FOR})
    on conflict (name) do update set fence = leases.fence + 1, ends_at = excluded.ends_at
    where leases.ends_at <= now()
    returning fence`.execute(tx)
  return rows[0]?.fence
}
