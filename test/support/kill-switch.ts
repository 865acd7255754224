// Simulates kills: one operation fails before or after it takes effect, and so do all later ones.
export interface Kill {
  /** Index of the operation, from 0. */
  at: number
  moment: 'before' | 'after'
}

/** The writes of an archive's place and of a disk. */
export const PLACE_WRITES = ['put', 'putIfAbsent', 'replace', 'remove'] as const
export const DISK_WRITES = ['makeFolder', 'write', 'rename', 'remove'] as const

export class KillSwitch {
  readonly #kill: Kill | undefined
  /** The operations that were requested. */
  readonly operations: string[] = []
  #isKilled = false

  constructor(kill?: Kill) {
    this.#kill = kill
  }

  get isKilled(): boolean {
    return this.#isKilled
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

/**
 * Kills some work after each of its operations in turn, until it ends without a kill. Before the next operation is the same
 * moment.
 * @param work does the work with what the switch is over; it may continue what the killed one before has left
 * @param invariant checks what is left each time, and completes it
 * @returns the number of kills
 */
export async function killAtEveryStep(
  work: (kill: KillSwitch) => Promise<unknown>,
  invariant: (label: string) => Promise<unknown>,
): Promise<number> {
  for (let kills = 0; ; kills++) {
    const kill = new KillSwitch({ at: kills, moment: 'after' })
    await work(kill).catch((error) => {
      if (!kill.isKilled) throw error
    })
    await invariant(`killed after operation ${kills}, ${kill.operations.at(-1)}`)
    if (!kill.isKilled) return kills
  }
}
