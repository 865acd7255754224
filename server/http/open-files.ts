// Caches the descriptors of recently sent files, so that sending a range needs no open.
import { close, open } from 'node:fs'
import { promisify } from 'node:util'

const MAX_OPEN = 64
const IDLE_MS = 10_000

const openFile = promisify(open)

interface OpenFile {
  descriptor: Promise<number>
  users: number
  isEvicted: boolean
}

/**
 * Keeps the most recently used files open. Only for files that never change while their path exists; a removed file can
 * still be read to its end.
 */
export class OpenFiles {
  /** Least recently used first. */
  readonly #files = new Map<string, OpenFile>()
  #idle: NodeJS.Timeout | undefined

  /** Opens a file, or reuses its descriptor. The caller must release it; rejects if the file cannot be opened. */
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
    this.#evict(MAX_OPEN)
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#evict(0), IDLE_MS).unref()
  }

  /** Closes the least recently used files until `max` are left; one in use is closed once it is released. */
  #evict(max: number): void {
    for (const [path, file] of this.#files) {
      if (this.#files.size <= max) return
      this.#files.delete(path)
      file.isEvicted = true
      if (file.users === 0) closeFile(file)
    }
  }
}

function closeFile({ descriptor }: OpenFile): void {
  // Errors of closing do not matter: the file was only read.
  void descriptor.then((number) => close(number, () => {}))
}
