// Tracks a server's connections: shares their slots among origins, and closes all at a stop.
import type { Connection } from './connection.ts'
import { type Origin, type SlotLimits, Slots } from './slots.ts'

/**
 * How long a stop leaves the idle connections of a trusted proxy open (OPERATING.md 2.3): it may be sending a request, which it
 * must not send to another server if it is a POST [ms].
 */
const PROXY_GRACE_MS = 1_000

export class Connections {
  readonly #open = new Set<Connection>()
  readonly #slots: Slots<Connection>

  constructor(limits: SlotLimits) {
    this.#slots = new Slots(limits)
  }

  /** Open connections without a slot. */
  get rejected(): number {
    return this.#open.size - this.#slots.taken
  }

  /**
   * Tracks a connection until it closes.
   * @returns whether it has a slot
   */
  add(connection: Connection): boolean {
    const { origin } = connection
    const hasSlot = this.#findSlot(origin)
    this.#open.add(connection)
    if (hasSlot) this.#slots.take(origin, connection)
    connection.once('close', () => {
      this.#open.delete(connection)
      this.#slots.release(origin, connection)
    })
    return hasSlot
  }

  /** Closes every connection, after the response in flight if there is one. */
  closeSoon(): void {
    for (const connection of this.#open)
      connection.closeSoon(connection.origin === null ? PROXY_GRACE_MS : 0)
  }

  /** Whether the origin may take a slot, after closing an idle connection for it if necessary. */
  #findSlot(origin: Origin): boolean {
    const slots = this.#slots
    if (slots.hasShared) return true
    const shares = [...slots.held].filter(([holder]) => holder !== null).map(([, held]) => held)
    const most = Math.max(...shares.map(({ size }) => size))
    const largest = shares.filter(({ size }) => size === most)
    if (this.#closeIdle(largest) || slots.isFreeFor(origin)) return true
    return slots.holdsFew(origin) && this.#closeIdle(shares)
  }

  /**
   * Closes the connection that has been idle longest.
   * @param shares the connections of origins; never those of a trusted proxy, which might be about to send a request
   * @returns false if none is idle
   */
  #closeIdle(shares: readonly ReadonlySet<Connection>[]): boolean {
    let found: { connection: Connection; since: number } | undefined
    for (const connection of shares.flatMap((held) => [...held])) {
      const since = connection.idleSince
      if (since !== null && (found === undefined || since < found.since))
        found = { connection, since }
    }
    if (!found) return false
    const { connection } = found
    // Before the close event, which later connections may precede.
    this.#slots.release(connection.origin, connection)
    connection.destroy()
    return true
  }
}
