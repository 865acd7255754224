// The modes in effect on this server: the operator's settings, combined with those that the environment forces.
import type { ClockGuard } from '../clock/guard.ts'
import type { Database, Queryable } from '../database/database.ts'
import { lastKnownModes } from './last-known.ts'
import { cachedModes, readModes } from './queries.ts'
import { combineModes, isClosedToMessages, type Modes, requireArchiveReadable } from './rules.ts'

export class CurrentModes {
  readonly #forced: Modes
  readonly #clockGuard: Pick<ClockGuard, 'isWrong'>
  readonly #cached: () => Promise<Modes>
  readonly #lastKnown: () => Promise<Modes | null>

  constructor(
    database: Pick<Database, 'db' | 'version'>,
    forced: Modes,
    clockGuard: Pick<ClockGuard, 'isWrong'>,
  ) {
    this.#forced = forced
    this.#clockGuard = clockGuard
    this.#cached = cachedModes(database, (db) => this.in(db))
    this.#lastKnown = lastKnownModes(this.#cached)
  }

  /** Reads the modes from `db`, as in a transaction. */
  async in(db: Queryable): Promise<Modes> {
    return combineModes(await readModes(db), this.#forced)
  }

  /** Returns the modes, cached until the next commit. */
  now(): Promise<Modes> {
    return this.#cached()
  }

  /**
   * Whether no message can be published. Never rejects and does not wait for a database that hangs: while the modes
   * cannot be read, nothing can be published.
   */
  async isClosed(): Promise<boolean> {
    const known = await this.#lastKnown().catch(() => null)
    return this.#clockGuard.isWrong || known === null || isClosedToMessages(known)
  }

  /** @throws Problem archive_unavailable while reads of the archive are switched off */
  async admitRead(): Promise<void> {
    requireArchiveReadable(await this.now())
  }
}
