// Finds the files of a bucket that are unchanged since an earlier run, from one listing and a local memory, so that a
// run need not read the manifest, check file and proof of every archived day (WRITING.md 3.4).
import { manifestKey } from '../format/paths.ts'
import { daySums, parseSums, type Sum } from '../format/sums.ts'
import { isLogged, type LogEntry } from '../log/days.ts'
import type { BucketMemory } from '../place/memory.ts'
import type { FileState, ReadFile, WritablePlace } from '../place/place.ts'

export class KnownFiles {
  /** Knows no file, so every file is read. */
  static readonly none = new KnownFiles(null, new Map())

  readonly #memory: BucketMemory | null
  readonly #listed: ReadonlyMap<string, FileState>

  private constructor(memory: BucketMemory | null, listed: ReadonlyMap<string, FileState>) {
    this.#memory = memory
    this.#listed = listed
  }

  /**
   * Lists a place. The result reflects this moment: list again after writing.
   * @param memory null for a folder, where reads are cheap and nothing is remembered
   */
  static async in(place: WritablePlace, memory: BucketMemory | null): Promise<KnownFiles> {
    return memory ? new KnownFiles(memory, await place.listAll()) : KnownFiles.none
  }

  /** Returns the fact noted about a file, if the file is unchanged since; null otherwise. */
  fact(key: string): string | null {
    const state = this.#listed.get(key)
    return (state && this.#memory?.recall(key, state)) ?? null
  }

  note(key: string, { content, version }: ReadFile, fact: string): void {
    this.#memory?.note(key, { bytes: content.length, version }, fact)
  }

  /** The checksums that a day's manifest states, if the manifest is known; null otherwise. */
  sums(day: string): Sum[] | null {
    const fact = this.fact(manifestKey(day))
    return fact === null ? null : parseSums(fact)
  }

  noteSums(day: string, manifest: ReadFile, sums: readonly Sum[]): void {
    this.note(manifestKey(day), manifest, daySums(sums))
  }

  /** Whether a day's manifest is known to be the one that its newest leaf names. */
  isLeaf(leaf: LogEntry | undefined): boolean {
    return isLogged(leaf, leaf ? this.sums(leaf.day) : null)
  }
}
