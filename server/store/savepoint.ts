// Parts of a transaction that may fail alone.
import { sql } from 'kysely'
import type { Queryable } from './contract.ts'

/**
 * Runs queries whose failure leaves their transaction usable: after an error PostgreSQL refuses all that follows, but
 * for a return to a savepoint. Outside of a transaction each query stands alone anyway.
 * @throws what `work` throws; StoreUnavailable when the connection is gone
 */
export async function inSavepoint<T>(db: Queryable, work: () => Promise<T>): Promise<T> {
  if (!db.isTransaction) return work()
  await sql`savepoint part`.execute(db)
  try {
    const result = await work()
    await sql`release savepoint part`.execute(db)
    return result
  } catch (error) {
    await sql`rollback to savepoint part`.execute(db)
    throw error
  }
}
