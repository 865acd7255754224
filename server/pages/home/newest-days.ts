// Caches the snapshots of the newest days for the front page.
import type { Manifest } from '../../../archive/format/manifest.ts'
import type { Snapshot } from '../../../archive/format/snapshot.ts'
import { type ArchiveDeps, readableDays } from '../../transmissions/lookup.ts'

/** Caches the snapshots of the newest days. They never change, so they are read again only when a new day appears. */
export class NewestDays {
  readonly #deps: ArchiveDeps
  #names = ''
  #days: readonly Snapshot[] = []

  constructor(deps: ArchiveDeps) {
    this.#deps = deps
  }

  /**
   * @param names archived days, ascending
   * @returns the snapshots of the undamaged days, and the manifest of the newest of these; null if there is none
   */
  async read(
    names: readonly string[],
  ): Promise<{ newest: Manifest | null; days: readonly Snapshot[] }> {
    const last = await readableDays(this.#deps, names.slice(-1))
    if (last[0] && this.#names === names.join()) return { newest: last[0], days: this.#days }
    const readable = [...(await readableDays(this.#deps, names.slice(0, -1))), ...last]
    // Not cached while a day is damaged, because it may be repaired.
    this.#names = readable.length === names.length ? names.join() : ''
    this.#days = readable.map(({ snapshot }) => snapshot)
    return { newest: readable.at(-1) ?? null, days: this.#days }
  }
}
