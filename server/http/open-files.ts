// Descriptors of the files that were sent last, so that a range costs one read and no open.
import { close, open } from 'node:fs'
import { promisify } from 'node:util'

const KEPT = 64
const IDLE_MS = 10_000

const openFile = promisify(open)

interface OpenFile {
  descriptor: Promise<number>
  users: number
  isEvicted: boolean
}

/**
 * Keeps the files open that were used last. For files whose bytes never change while their path exists: one that
 * was removed can be read to its end.
 */
export class OpenFiles {
  /** In the order of their last use. */
  readonly #files = new Map<string, OpenFile>()
  #idle: NodeJS.Timeout | undefined

  /** @returns the descriptor, to be released, rejects where the file cannot be opened */
  async acquire(path: string): Promise<{ descriptor: number; release(): void }> {
    const file = this.#files.get(path) ?? {
      descriptor: openFile(path, 'r'),
      users: 0,
      isEvicted: false,
    }
    this.#files.delete(path)
    this.#files.set(path, file)
    file.users++
    try {
      const descriptor = await file.descriptor
      return { descriptor, release: () => this.#release(file) }
    } catch (error) {
      if (this.#files.get(path) === file) this.#files.delete(path)
      throw error
    }
  }

  #release(file: OpenFile): void {
    file.users--
    if (file.isEvicted && file.users === 0) closeFile(file)
    this.#evict(KEPT)
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#evict(0), IDLE_MS).unref()
  }

  /** Closes the files unused for longest; one that is in use, when it no longer is. */
  #evict(kept: number): void {
    for (const [path, file] of this.#files) {
      if (this.#files.size <= kept) return
      this.#files.delete(path)
      file.isEvicted = true
      if (file.users === 0) closeFile(file)
    }
  }
}

function closeFile({ descriptor }: OpenFile): void {
  // Nobody waits for a descriptor that was only read from.
  void descriptor.then((number) => close(number, () => {}))
}
