// Tracks a server's connections: shares their slots among origins, closes stalled ones, and closes all at a stop.
import type { Socket } from 'node:net'
import { Connection } from './connection.ts'
import { type Origin, type SlotLimits, Slots } from './slots.ts'

export interface ConnectionLimits {
  connections: SlotLimits
  /** A connection whose client accepts no byte for this long is closed [s]. */
  stalledS: number
}

/** Returns the origin of a peer's address. */
export type OriginOfPeer = (peer: string) => Origin

const SWEEP_MS = 1_000

/** A connection's state at the last sweep. */
interface Progress {
  /** Bytes that the kernel had accepted. */
  accepted: number
  /** Consecutive sweeps in which bytes were waiting and none was accepted. */
  stalledFor: number
}

interface Tracked {
  connection: Connection
  progress: Progress
}

export class Connections {
  readonly #open = new Map<Socket, Tracked>()
  readonly #slots: Slots<Connection>
  readonly #limits: ConnectionLimits
  readonly #originOf: OriginOfPeer
  readonly #sweep: NodeJS.Timeout

  constructor(limits: ConnectionLimits, originOf: OriginOfPeer) {
    this.#limits = limits
    this.#slots = new Slots(limits.connections)
    this.#originOf = originOf
    this.#sweep = setInterval(() => this.#closeStalled(), SWEEP_MS).unref()
  }

  /** Open connections without a slot. */
  get rejected(): number {
    return this.#open.size - this.#slots.taken
  }

  /**
   * Tracks a connection until it closes.
   * @param socket one that node:http already listens on
   * @returns whether it has a slot
   */
  add(socket: Socket): boolean {
    const origin = this.#originOf(socket.remoteAddress ?? '')
    const hasSlot = this.#findSlot(origin)
    const connection = new Connection(socket, origin)
    this.#open.set(socket, { connection, progress: { accepted: 0, stalledFor: 0 } })
    if (hasSlot) this.#slots.take(origin, connection)
    socket.once('close', () => {
      this.#open.delete(socket)
      this.#slots.release(origin, connection)
    })
    return hasSlot
  }

  of(socket: Socket): Connection {
    const tracked = this.#open.get(socket)
    if (tracked === undefined) throw new Error('the socket belongs to no connection')
    return tracked.connection
  }

  /** Closes every connection, after the response in flight if there is one. */
  closeSoon(): void {
    for (const { connection } of this.#open.values()) connection.closeSoon()
  }

  stopSweeping(): void {
    clearInterval(this.#sweep)
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
    connection.socket.destroy()
    return true
  }

  #closeStalled(): void {
    for (const [socket, { progress }] of this.#open) {
      const { accepted, isWaiting } = transferOf(socket)
      const isStalled = isWaiting && accepted === progress.accepted
      progress.accepted = accepted
      progress.stalledFor = isStalled ? progress.stalledFor + 1 : 0
      if (progress.stalledFor > this.#limits.stalledS) socket.destroy()
    }
  }
}

/**
 * Returns how many of the written bytes the kernel has accepted. A socket timeout cannot replace this: any activity
 * restarts it. The write queue's size is not public; node:net reads it the same way for that timeout.
 */
function transferOf(socket: Socket): { accepted: number; isWaiting: boolean } {
  const { _handle: handle } = socket as unknown as {
    _handle: { bytesWritten: number; writeQueueSize: number } | null
  }
  if (!handle) return { accepted: 0, isWaiting: false }
  const { bytesWritten, writeQueueSize } = handle
  return { accepted: bytesWritten - writeQueueSize, isWaiting: writeQueueSize > 0 }
}
