// Locks between hosts that outlive transactions: a row that its holder renews, and that others take when it does not.
import { type Kysely, sql } from 'kysely'
import type { Lease, Store } from './contract.ts'
import type { Schema } from './schema.ts'

/** From the last renewal on; in SQL. */
const HELD_FOR = sql`interval '30 seconds'`
const RENEW_EVERY_MS = 10_000

/** As Store's `takeLease`. */
export async function takeLease(
  { write }: Pick<Store, 'write'>,
  name: string,
): Promise<Lease | null> {
  const taken = await write((tx) => takeRow(tx, name))
  if (taken === undefined) return null
  const isMine = sql`name = ${name} and fence = ${taken}`
  const update = (endsAt: typeof HELD_FOR) =>
    write((tx) => sql`update leases set ends_at = ${endsAt} where ${isMine}`.execute(tx))
  // A renewal that fails is followed by another; one that comes too late changes nothing.
  const timer = setInterval(
    () => void update(sql`now() + ${HELD_FOR}`).catch(() => {}),
    RENEW_EVERY_MS,
  )
  timer.unref()
  return {
    fence: taken,
    release: async () => {
      clearInterval(timer)
      // What cannot be given back now ends by itself.
      await update(sql`now()`).catch(() => {})
    },
  }
}

/** @returns the fencing number; undefined while somebody else holds it */
async function takeRow(tx: Kysely<Schema>, name: string): Promise<bigint | undefined> {
  const { rows } = await sql<{ fence: bigint }>`
    insert into leases (name, fence, ends_at) values (${name}, 1, now() + ${HELD_FOR})
    on conflict (name) do update set fence = leases.fence + 1, ends_at = excluded.ends_at
    where leases.ends_at <= now()
    returning fence`.execute(tx)
  return rows[0]?.fence
}
