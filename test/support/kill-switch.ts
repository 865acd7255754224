// Simulates a kill: one operation fails before or after it takes effect, and so do all later ones.
export interface Kill {
  /** Index of the operation, from 0. */
  at: number
  moment: 'before' | 'after'
}

export class KillSwitch {
  readonly #kill: Kill | undefined
  /** The operations that were requested. */
  readonly operations: string[] = []
  #isKilled = false

  constructor(kill?: Kill) {
    this.#kill = kill
  }

  /** Returns the object with these methods counted, and killed when it is their turn. */
  over<T extends object>(target: T, names: readonly (keyof T & string)[]): T {
    return new Proxy(target, {
      get: (_, name) => {
        const value = target[name as keyof T]
        if (typeof value !== 'function') return value
        const method = value.bind(target) as (...args: unknown[]) => Promise<unknown>
        return (names as readonly PropertyKey[]).includes(name)
          ? (...args: unknown[]) => this.#run(String(name), () => method(...args))
          : method
      },
    })
  }

  async #run(name: string, work: () => Promise<unknown>): Promise<unknown> {
    if (this.#isKilled) throw new Error('killed')
    this.#isKilled = this.operations.length === this.#kill?.at
    this.operations.push(name)
    if (this.#isKilled && this.#kill?.moment === 'before') throw new Error('killed')
    const result = await work()
    if (this.#isKilled) throw new Error('killed')
    return result
  }
}
