// Lists the schema's migrations. Each runs once, in order.
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { Clock } from '../../system.ts'
import { initial } from './migrations/0001-initial.ts'
import { hiddenDay } from './migrations/0002-hidden-day.ts'
import { batchedWrites } from './migrations/0003-batched-writes.ts'
import { links } from './migrations/0004-links.ts'
import { sweeps } from './migrations/0005-sweeps.ts'
import { rateWindows } from './migrations/0006-rate-windows.ts'
import { windowRoom } from './migrations/0007-window-room.ts'
import { originCounts } from './migrations/0008-origin-counts.ts'
import { stops } from './migrations/0009-stops.ts'
import { erasures } from './migrations/0010-erasures.ts'
import { mentions } from './migrations/0011-mentions.ts'
import { sharedWindows } from './migrations/0012-shared-windows.ts'
import { salts } from './migrations/0013-salts.ts'
import { publicActions } from './migrations/0014-public-actions.ts'
import { displaced } from './migrations/0015-displaced.ts'

/** The wall clock [ms since 1970], which one migration reads. */
type WallClock = Pick<Clock, 'now'>

/** A migration that reads the clock. */
interface ClockedMigration {
  up(db: Kysely<unknown>, clock: WallClock): Promise<void>
}

/** By name, in the order in which they run. */
const MIGRATIONS: Record<string, ClockedMigration> = {
  '0001_initial': initial,
  '0002_hidden_day': hiddenDay,
  '0003_batched_writes': batchedWrites,
  '0004_links': links,
  '0005_sweeps': sweeps,
  '0006_rate_windows': rateWindows,
  '0007_window_room': windowRoom,
  '0008_origin_counts': originCounts,
  '0009_stops': stops,
  '0010_erasures': erasures,
  '0011_mentions': mentions,
  '0012_shared_windows': sharedWindows,
  '0013_salts': salts,
  '0014_public_actions': publicActions,
  '0015_displaced': displaced,
}

/** In the order in which they run. */
export const MIGRATION_NAMES = Object.keys(MIGRATIONS)

/** The migrations as kysely runs them. */
export const migrationsAt = (clock: WallClock): Record<string, Migration> =>
  Object.fromEntries(
    Object.entries(MIGRATIONS).map(([name, { up }]) => [name, { up: (db) => up(db, clock) }]),
  )
