// The pool of buffers for sending files and long texts: at most 32 MiB, freed when idle.

const LARGE_BYTES = 512 * 1024
const LARGE_COUNT = 32
const SMALL_BYTES = 32 * 1024
/** One for each file or long text in flight at the cap, so that slow readers never leave a new one without a buffer. */
export const SMALL_COUNT = 512

const IDLE_MS = 10_000

export interface PooledBuffer {
  bytes: Buffer
  /** Must be called once, when neither the file system nor a socket uses the bytes any more. */
  release(): void
}

/**
 * One block of memory, divided into large and small buffers. The last buffer released is the first reused: it is still
 * in the CPU cache, and the resident part of the block never exceeds what was in use at one time.
 */
export class BufferPool {
  readonly #large: Buffer[] = []
  readonly #small: Buffer[] = []
  readonly #waiting: ((buffer: PooledBuffer) => void)[] = []
  #block: Buffer | undefined
  #inUse = 0
  #idle: NodeJS.Timeout | undefined

  /**
   * Takes the free buffer that fits best, and waits if none is free.
   * @param wanted [bytes]; the buffer may be smaller
   */
  async take(wanted: number): Promise<PooledBuffer> {
    this.#block ??= this.#allocate()
    const [first, second] =
      wanted > SMALL_BYTES ? [this.#large, this.#small] : [this.#small, this.#large]
    const list = first.length > 0 ? first : second
    const bytes = list.pop()
    if (bytes === undefined) return new Promise((resolve) => this.#waiting.push(resolve))
    clearTimeout(this.#idle)
    this.#inUse++
    return this.#lend(bytes, list)
  }

  #lend(bytes: Buffer, list: Buffer[]): PooledBuffer {
    return { bytes, release: () => this.#release(bytes, list) }
  }

  #release(bytes: Buffer, list: Buffer[]): void {
    const next = this.#waiting.shift()
    if (next) {
      next(this.#lend(bytes, list))
      return
    }
    list.push(bytes)
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

  /** Frees the block by detaching it: an idle process would not collect it, even without a reference. */
  #free(): void {
    const memory = this.#block?.buffer as ArrayBuffer
    this.#block = undefined
    this.#large.length = 0
    this.#small.length = 0
    memory.transfer(0)
  }
}
