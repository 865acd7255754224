// Runs part of a transaction so that its failure leaves the rest usable.
import { sql } from 'kysely'
import type { Queryable } from './database.ts'

/**
 * Runs queries in a savepoint: after an error, PostgreSQL rejects every statement until the transaction returns to one.
 * Outside a transaction, it just runs them.
 * @throws what `work` throws; DatabaseUnavailable when the connection is gone
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
