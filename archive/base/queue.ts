// Runs asynchronous work in order of arrival, with a limit on how much runs at a time.

export class Queue {
  readonly #width: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  /** @param width the maximum number of works in progress */
  constructor(width = 1) {
    this.#width = width
  }

  /** Runs `work` once it is its turn. A failure does not affect later work. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running === this.#width)
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running++
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }
}
