// A map for caches: once its total size exceeds a limit, it evicts the least recently used entries.

export class BoundedMap<Key, Value> {
  /** Least recently used first. */
  readonly #map = new Map<Key, Value>()
  readonly #maxSize: number
  readonly #sizeOf: (value: Value) => number
  #size = 0

  /**
   * @param maxSize the limit on the sum of all entries' sizes, in the unit of `sizeOf`
   * @param sizeOf must return the same size for a value each time; by default each entry counts as one
   */
  constructor(maxSize: number, sizeOf: (value: Value) => number = () => 1) {
    this.#maxSize = maxSize
    this.#sizeOf = sizeOf
  }

  /** Returns a value, and marks its entry as the most recently used. */
  get(key: Key): Value | undefined {
    const value = this.#map.get(key)
    if (value === undefined) return undefined
    this.#map.delete(key)
    this.#map.set(key, value)
    return value
  }

  set(key: Key, value: Value): void {
    this.delete(key)
    this.#map.set(key, value)
    this.#size += this.#sizeOf(value)
    for (const oldest of this.#map.keys()) {
      if (this.#size <= this.#maxSize) break
      this.delete(oldest)
    }
  }

  delete(key: Key): void {
    const value = this.#map.get(key)
    if (value === undefined) return
    this.#size -= this.#sizeOf(value)
    this.#map.delete(key)
  }
}
