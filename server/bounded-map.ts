// What is kept in memory to save work: a map that evicts what was set least recently when it runs out of room.

export class BoundedMap<Key, Value> {
  readonly #map = new Map<Key, Value>()
  readonly #room: number
  readonly #sizeOf: (value: Value) => number
  #size = 0

  /** @param room the sum of all sizes that it keeps to */
  constructor(room: number, sizeOf: (value: Value) => number) {
    this.#room = room
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
      if (this.#size <= this.#room) break
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
