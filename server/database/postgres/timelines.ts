// Remembers in a file which PostgreSQL clusters and timelines have been used, across restarts.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { realDisk, replaceFile } from '../../../archive/base/durable.ts'
import { makeFolders } from '../../../archive/base/folders.ts'
import { isSystemError, reasonOf } from '../../../archive/base/system-error.ts'
import { DatabaseUnavailable } from '../errors.ts'
import type { Seen } from './election.ts'
import type { Position } from './position.ts'

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
  /** What could not be written to the file. */
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
