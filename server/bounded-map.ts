// A map for caches: once its total size exceeds a limit, it evicts the entries that were set least recently.

export class BoundedMap<Key, Value> {
  readonly #map = new Map<Key, Value>()
  readonly #maxSize: number
  readonly #sizeOf: (value: Value) => number
  #size = 0

  /** @param maxSize the limit on the sum of all entries' sizes, in the unit of `sizeOf` */
  constructor(maxSize: number, sizeOf: (value: Value) => number) {
    this.#maxSize = maxSize
    this.#sizeOf = sizeOf
  }

  get(key: Key): Value | undefined {
    return this.#map.get(key)
  }

  set(key: Key, value: Value): void {
    this.#delete(key)
    this.#map.set(key, value)
    this.#size += this.#sizeOf(value)
    for (const oldest of this.#map.keys()) {
      if (this.#size <= this.#maxSize) break
      this.#delete(oldest)
    }
  }

  #delete(key: Key): void {
    const value = this.#map.get(key)
    if (value === undefined) return
    this.#size -= this.#sizeOf(value)
    this.#map.delete(key)
  }
}
