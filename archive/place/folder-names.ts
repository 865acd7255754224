// The folders in an archive's folder, which are read again only when it has changed: after ten years they are thousands.
import { readdir, stat } from 'node:fs/promises'

/**
 * A folder's time of change must have been the same for this long before names are kept [ms]: what changes within one
 * tick of the file system's clock, 10 ms at most, leaves that time as it is.
 */
const SETTLED_MS = 100

export class FolderNames {
  readonly #dir: string
  #version = ''
  /** Whether this version was first seen so long ago that no further change can hide behind it. */
  #isSettled = false
  #settling: NodeJS.Timeout | undefined
  #names: readonly string[] | null = null

  constructor(dir: string) {
    this.#dir = dir
  }

  /** The same array while nothing has changed. @throws NodeJS.ErrnoException */
  async read(): Promise<readonly string[]> {
    const { ino, mtimeNs, ctimeNs } = await stat(this.#dir, { bigint: true })
    const version = `${ino} ${mtimeNs} ${ctimeNs}`
    if (version !== this.#version) this.#begin(version)
    if (this.#names) return this.#names
    const isSettled = this.#isSettled
    const entries = await readdir(this.#dir, { withFileTypes: true })
    const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
    if (version === this.#version && isSettled) this.#names = names
    return names
  }

  #begin(version: string): void {
    this.#version = version
    this.#names = null
    this.#isSettled = false
    clearTimeout(this.#settling)
    this.#settling = setTimeout(() => {
      this.#isSettled = true
    }, SETTLED_MS).unref()
  }
}
