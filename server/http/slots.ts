// Shares a fixed number of slots among origins (API.md 1.9).

/** An origin of API.md 6.4; null for a trusted proxy, which carries the requests of many. */
export type Origin = string | null

export interface SlotLimits {
  /** Slots that any origin may take. */
  shared: number
  /** Further slots, only for trusted proxies and for origins that hold few. */
  reserved: number
}

/** An origin with fewer slots than this holds few: a browser opens six connections, and a health check one. */
const FEW = 8

export class Slots<Holder> {
  readonly held = new Map<Origin, Set<Holder>>()
  readonly #limits: SlotLimits
  #taken = 0

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  get taken(): number {
    return this.#taken
  }

  /** Whether a slot is free that any origin may take. */
  get hasShared(): boolean {
    return this.#taken < this.#limits.shared
  }

  /** Whether a slot is free that the origin may take. */
  isFreeFor(origin: Origin): boolean {
    const { shared, reserved } = this.#limits
    return this.hasShared || (this.#taken < shared + reserved && this.holdsFew(origin))
  }

  /** Whether the origin may take reserved slots. */
  holdsFew(origin: Origin): boolean {
    return origin === null || (this.held.get(origin)?.size ?? 0) < FEW
  }

  take(origin: Origin, holder: Holder): void {
    const held = this.held.get(origin)
    if (held) held.add(holder)
    else this.held.set(origin, new Set([holder]))
    this.#taken++
  }

  /** Does nothing if the holder has no slot. */
  release(origin: Origin, holder: Holder): void {
    const held = this.held.get(origin)
    if (!held?.delete(holder)) return
    this.#taken--
    if (held.size === 0) this.held.delete(origin)
  }
}
