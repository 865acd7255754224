// Lists the schema's migrations, and notices that a newer version has migrated the database while this one runs (API.md 10.1).
import { CompiledQuery, type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { Database, DatabaseState } from '../database.ts'
import { NewerSchema } from '../errors.ts'
import { initial } from './migrations/0001-initial.ts'
import type { Schema } from './schema.ts'

/** The newest migration of a database. Every version reads this table, so its form must not change. */
export const NEWEST_MIGRATION =
  'select name as newest from kysely_migration order by name desc limit 1'

const QUERY = CompiledQuery.raw(NEWEST_MIGRATION)

/** Returns the names of the migrations that have run. @throws NewerSchema if this version does not know one */
export async function appliedIn(db: Kysely<Schema>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  for (const { name } of rows) requireKnown(name)
  return rows.map(({ name }) => name)
}

/** @returns the error, if it fails */
export async function migrateToLatest(db: Kysely<Schema>): Promise<unknown> {
  const provider = { getMigrations: async () => MIGRATIONS }
  return (await new Migrator({ db, provider }).migrateToLatest()).error
}

/** Whether all migrations have run. @param applied migrations that this version knows */
export const isCurrent = (applied: readonly string[]): boolean =>
  applied.length === Object.keys(MIGRATIONS).length

/** @throws NewerSchema unless this version knows the newest migration of the database */
export function requireKnown(newest: string | null): void {
  if (newest !== null && !(newest in MIGRATIONS)) throw new NewerSchema(newest)
}

/**
 * Wraps a database's `write` to report a newer schema once, when it is found.
 * @param report called with one line
 */
export function reportingNewerSchema(
  write: Database['write'],
  report: (line: string) => void,
): Database['write'] {
  let isReported = false
  return async (work) => {
    try {
      const result = await write(work)
      isReported = false
      return result
    } catch (error) {
      if (error instanceof NewerSchema && !isReported) {
        isReported = true
        report(`${error.message}; until then, this server only reads`)
      }
      throw error
    }
  }
}

/** Returns whether the database can be read, and whether this version may write to it. */
export async function stateOf(db: Kysely<Schema>): Promise<DatabaseState> {
  const newest = await newestIn(db).catch(() => undefined)
  if (newest === undefined) return 'unavailable'
  return newest === null || newest in MIGRATIONS ? 'ok' : 'outdated'
}

export async function newestIn(db: Pick<Kysely<Schema>, 'executeQuery'>): Promise<string | null> {
  const { rows } = await db.executeQuery<{ newest: string | null }>(QUERY)
  return rows[0]?.newest ?? null
}

/** By name, in the order in which they run. */
export const MIGRATIONS: Record<string, Migration> = { '0001_initial': initial }
