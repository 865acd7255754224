// Identifies the cluster that a PostgreSQL host serves, and the timeline on which it writes, and remembers in a file which have
// been used. A replica that is promoted begins a new timeline; the old primary, if it comes back, continues the old one.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { realDisk, replaceFile } from '../../../archive/base/durable.ts'
import { makeFolders } from '../../../archive/base/folders.ts'
import { isSystemError, reasonOf } from '../../../archive/base/system-error.ts'
import { DatabaseUnavailable } from '../errors.ts'

/** The cluster of a host, and its place in the cluster's history. */
export interface Position {
  /** The identifier of the cluster, which its replicas share. */
  system: string
  /** One more after each promotion. */
  timeline: number
}

export interface Primary {
  /** As `host:port`. */
  host: string
  /** Null if the host cannot tell. */
  position: Position | null
}

export const SYSTEM = 'cast((select system_identifier from pg_control_system()) as text)'

/** SQL of the timeline on which a primary writes, in hex. pg_control_checkpoint() lags behind a promotion. */
export const TIMELINE = 'left(pg_walfile_name(pg_current_wal_lsn()), 8)'

export const parseTimeline = (hex: string): number => Number.parseInt(hex, 16)

/** Undefined function, insufficient privilege, not supported, wrong state: the host does not have these functions. */
const CANNOT_TELL = /^(?:42883|42501|0A000|55000)$/

/** Whether an error means that the host does not tell its position. */
export const cannotTell = (error: unknown): boolean =>
  CANNOT_TELL.test(String((error as { code?: unknown } | null)?.code))

export const nameOfPosition = (position: Position | null): string =>
  position === null
    ? 'timeline unknown'
    : `timeline ${position.timeline} of cluster ${position.system}`

export const nameOfPrimary = ({ host, position }: Primary): string =>
  `${host}, ${nameOfPosition(position)}`

/** The clusters that have been used so far. */
export interface Seen {
  /** The cluster that was used last; null at first. */
  system: string | null
  /** The highest timeline of each cluster. */
  timelines: Readonly<Record<string, number>>
}

const NAME = 'timelines.json'

const Remembered = z.strictObject({
  system: z.string(),
  timelines: z.record(z.string(), z.int().positive()),
})

const NOTHING: Seen = { system: null, timelines: {} }

/** The clusters and timelines that the programs of a data folder have used. */
export class Timelines {
  /** Null to remember in memory only. */
  readonly file: string | null
  #unsaved: Seen | null = null

  /** @param dataDir undefined to remember in memory only */
  constructor(dataDir: string | undefined) {
    this.file = dataDir === undefined ? null : join(dataDir, NAME)
  }

  /**
   * Reads the file each time: another program may have written it, or an operator may have removed it.
   * @throws DatabaseUnavailable when it is unreadable
   */
  read(): Seen {
    if (this.#unsaved || this.file === null) return this.#unsaved ?? NOTHING
    try {
      return Remembered.parse(JSON.parse(readFileSync(this.file, 'utf8')))
    } catch (error) {
      if (!isSystemError(error)) throw new DatabaseUnavailable(`${this.file}: damaged; remove it`)
      if (error.code === 'ENOENT') return NOTHING
      throw new DatabaseUnavailable(`${this.file}: cannot be read: ${reasonOf(error)}`)
    }
  }

  /**
   * Remembers the position durably. Writes nothing if it is known.
   * @throws Error of the file system; the position is then remembered in memory
   */
  async remember({ system, timeline }: Position): Promise<void> {
    const seen = this.read()
    if (seen.system === system && seen.timelines[system] === timeline) return
    this.#unsaved = { system, timelines: { ...seen.timelines, [system]: timeline } }
    if (this.file === null) return
    await makeFolders(dirname(this.file))
    const bytes = Buffer.from(`${JSON.stringify(this.#unsaved)}\n`)
    // Other programs may do the same now.
    const partial = `.${NAME}.${process.pid}`
    await replaceFile(realDisk, dirname(this.file), partial, bytes, NAME)
    this.#unsaved = null
  }
}
