// Lists the schema's migrations. Each runs once, in order.
import type { Migration } from 'kysely/migration'
import { initial } from './migrations/0001-initial.ts'

/** By name, in the order in which they run. */
export const MIGRATIONS: Record<string, Migration> = { '0001_initial': initial }

/** In the order in which they run. */
export const MIGRATION_NAMES = Object.keys(MIGRATIONS)
