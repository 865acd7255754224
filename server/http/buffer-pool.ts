// The buffers through which files and long texts are sent: all together at most 32 MiB, and given back to the system when idle.

const LARGE_BYTES = 512 * 1024
const LARGE_COUNT = 32
const SMALL_BYTES = 32 * 1024
/** As many as files and long texts may be sent at once, so that one reader after another finds a buffer however slow the others are. */
export const SMALL_COUNT = 512

const IDLE_MS = 10_000

export interface PooledBuffer {
  bytes: Buffer
  /** To be called once, when neither the file system nor a socket uses the bytes any more. */
  release(): void
}

/**
 * One block of memory, cut into large and small buffers. The last one released is the first taken again: it
 * is still in the processor's cache, and the system only ever sees as much of the block touched as was in use
 * at once.
 */
export class BufferPool {
  readonly #large: Buffer[] = []
  readonly #small: Buffer[] = []
  readonly #waiting: ((buffer: PooledBuffer) => void)[] = []
  #block: Buffer | undefined
  #inUse = 0
  #idle: NodeJS.Timeout | undefined

  /** The best free buffer for so many bytes, which may hold fewer; waits for one where none is free. */
  async take(wanted: number): Promise<PooledBuffer> {
    this.#block ??= this.#allocate()
    const [first, second] =
      wanted > SMALL_BYTES ? [this.#large, this.#small] : [this.#small, this.#large]
    const home = first.length > 0 ? first : second
    const bytes = home.pop()
    if (bytes === undefined) return new Promise((resolve) => this.#waiting.push(resolve))
    clearTimeout(this.#idle)
    this.#inUse++
    return this.#lend(bytes, home)
  }

  #lend(bytes: Buffer, home: Buffer[]): PooledBuffer {
    return { bytes, release: () => this.#takeBack(bytes, home) }
  }

  #takeBack(bytes: Buffer, home: Buffer[]): void {
    const next = this.#waiting.shift()
    if (next) {
      next(this.#lend(bytes, home))
      return
    }
    home.push(bytes)
    this.#inUse--
    if (this.#inUse === 0) this.#idle = setTimeout(() => this.#free(), IDLE_MS).unref()
  }

  #allocate(): Buffer {
    const block = Buffer.allocUnsafeSlow(LARGE_COUNT * LARGE_BYTES + SMALL_COUNT * SMALL_BYTES)
    const cut = (at: number, length: number) => block.subarray(at, at + length)
    for (let i = LARGE_COUNT; i-- > 0; ) this.#large.push(cut(i * LARGE_BYTES, LARGE_BYTES))
    for (let i = SMALL_COUNT; i-- > 0; )
      this.#small.push(cut(LARGE_COUNT * LARGE_BYTES + i * SMALL_BYTES, SMALL_BYTES))
    return block
  }

  /** Detaching the block frees it now; without a reference it would wait for a collection that an idle process never makes. */
  #free(): void {
    const memory = this.#block?.buffer as ArrayBuffer
    this.#block = undefined
    this.#large.length = 0
    this.#small.length = 0
    memory.transfer(0)
  }
}
