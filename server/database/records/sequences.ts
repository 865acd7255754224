// Issues ids and publication times from sequences, whose rows stay locked until commit.
import { MAX_ID } from '../../../archive/format/scalars.ts'
import { compiled, compiledUpsert } from '../compiled.ts'
import type { Queryable, Transaction } from '../database.ts'
import { DatabaseUnavailable } from '../errors.ts'
import type { SequenceName } from '../schema/schema.ts'

/**
 * Takes the next id of a sequence. The row stays locked until the transaction ends, so that ids become visible in
 * ascending order on every engine (API.md 4.5).
 * @throws DatabaseUnavailable when the sequence has reached its end
 */
export async function nextId(tx: Transaction, name: SequenceName): Promise<bigint> {
  const row = await tx
    .updateTable('sequences')
    .set((eb) => ({ last: eb('last', '+', 1n) }))
    .where('name', '=', name)
    .where('last', '<', MAX_ID)
    .returning('last')
    .executeTakeFirst()
  if (!row) throw usedUp(name)
  return row.last
}

const usedUp = (name: SequenceName) =>
  new DatabaseUnavailable(`the sequence of ${name} ids has reached its end`)

/** Returns the latest time of publication that was issued, or the floor, if that is later [ms since 1970]. */
export async function lastPublication(db: Queryable): Promise<number> {
  return Number(await lastIssued(db, 'publish_at'))
}

/** After this commit, no record is dated before `at` [ms since 1970]. */
export const raiseFloor = (tx: Transaction, at: number): Promise<void> =>
  raiseSequence(tx, 'publish_at', BigInt(at))

/** After this commit, the sequence issues only numbers above `last`. */
export async function raiseSequence(
  tx: Transaction,
  name: SequenceName,
  last: bigint,
): Promise<void> {
  await tx
    .updateTable('sequences')
    .set({ last })
    .where('name', '=', name)
    .where('last', '<', last)
    .execute()
}

/** Replaces the latest time of publication, which otherwise only grows [ms since 1970]. */
export async function setLastPublication(tx: Transaction, at: number): Promise<void> {
  await tx
    .updateTable('sequences')
    .set({ last: BigInt(at) })
    .where('name', '=', 'publish_at')
    .execute()
}

const lastOf = compiled((db, { name }: { name: SequenceName }) =>
  db.selectFrom('sequences').select('last').where('name', '=', name),
)

/** Returns the last id that a sequence has issued; 0 if none. */
export async function lastIssued(db: Queryable, name: SequenceName): Promise<bigint> {
  const [row] = await lastOf(db, { name })
  return row?.last ?? 0n
}

/** Returns the id of the latest operator action; only these change the visibility of existing records. */
export const lastModeration = (db: Queryable): Promise<bigint> => lastIssued(db, 'moderation')

const allSequences = compiled((db) => db.selectFrom('sequences').select(['name', 'last']))

/** Updates several sequences in one round trip; all of them exist already. */
const saveSequences = compiledUpsert('sequences')

/** Locks all sequences, for a write transaction that issues many ids: counts in memory and saves once. */
export async function lockSequences(tx: Transaction) {
  const rows = await allSequences(tx, {})
  const locked = new Map(rows.map((row) => [row.name, row.last]))
  const changed = new Map<SequenceName, bigint>()
  const latest = (name: SequenceName) => changed.get(name) ?? (locked.get(name) as bigint)
  const lastPublication = () => Number(latest('publish_at'))
  return {
    /** @throws DatabaseUnavailable when the sequence has reached its end */
    next(name: SequenceName): bigint {
      const id = latest(name) + 1n
      if (id > MAX_ID) throw usedUp(name)
      changed.set(name, id)
      return id
    },

    /** As `lastPublication`. */
    lastPublication,

    /** Returns the time of a publication: `now`, but not before the last one issued or the floor (API.md 4.5). */
    publicationTime(now: number): number {
      if (now <= lastPublication()) return lastPublication()
      changed.set('publish_at', BigInt(now))
      return now
    },

    save(): Promise<void> {
      const rows = [...changed].map(([name, last]) => ({ name, last }))
      return saveSequences(tx, rows)
    },
  }
}
