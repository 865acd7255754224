// Caches the names of an archive's day folders, thousands after ten years, until the archive's folder changes.
import { readdir, stat } from 'node:fs/promises'

/**
 * How long a folder's timestamps must have been unchanged before its names are cached [ms]. Two changes within one tick
 * of the file system's clock, at most 10 ms, have the same timestamp.
 */
const SETTLED_MS = 100

export class FolderNames {
  readonly #dir: string
  #version = ''
  /** True once any further change would change the timestamps too. */
  #isSettled = false
  #settling: NodeJS.Timeout | undefined
  #names: readonly string[] | null = null

  constructor(dir: string) {
    this.#dir = dir
  }

  /** Returns the folder names: the same array until something changes. @throws NodeJS.ErrnoException */
  async read(): Promise<readonly string[]> {
    const { ino, mtimeNs, ctimeNs } = await stat(this.#dir, { bigint: true })
    const version = `${ino} ${mtimeNs} ${ctimeNs}`
    if (version !== this.#version) this.#reset(version)
    if (this.#names) return this.#names
    const isSettled = this.#isSettled
    const entries = await readdir(this.#dir, { withFileTypes: true })
    const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
    if (version === this.#version && isSettled) this.#names = names
    return names
  }

  #reset(version: string): void {
    this.#version = version
    this.#names = null
    this.#isSettled = false
    clearTimeout(this.#settling)
    this.#settling = setTimeout(() => {
      this.#isSettled = true
    }, SETTLED_MS).unref()
  }
}
