// Tracks a server's connections: shares its slots among origins, closes stalled ones, and closes all at a stop.
import type { Socket } from 'node:net'
import { Connection } from './connection.ts'

export interface ConnectionLimits {
  /** Slots for connections, which any origin may take (API.md 1.9). */
  connections: number
  /** Further slots, only for origins that hold few connections. */
  reserved: number
  /** A connection whose client accepts no byte for this long is closed [s]. */
  stalledS: number
}

/** Returns the origin of a peer's address (API.md 6.4); null for a trusted proxy, which carries many clients. */
export type OriginOfPeer = (peer: string) => string | null

/** An origin with fewer connections than this may take a reserved slot: a browser opens six, and a health check one. */
const FEW = 8

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
  /** The connections that have a slot, by origin. */
  readonly #held = new Map<string | null, Set<Connection>>()
  #taken = 0
  readonly #limits: ConnectionLimits
  readonly #originOf: OriginOfPeer
  readonly #sweep: NodeJS.Timeout

  constructor(limits: ConnectionLimits, originOf: OriginOfPeer) {
    this.#limits = limits
    this.#originOf = originOf
    this.#sweep = setInterval(() => this.#closeStalled(), SWEEP_MS).unref()
  }

  /** Open connections without a slot. */
  get rejected(): number {
    return this.#open.size - this.#taken
  }

  /**
   * Tracks a connection until it closes.
   * @param socket one that node:http already listens on
   * @returns whether it has a slot
   */
  add(socket: Socket): boolean {
    const origin = this.#originOf(socket.remoteAddress ?? '')
    const hasSlot = this.#findSlot(origin)
    const connection = new Connection(socket)
    this.#open.set(socket, { connection, progress: { accepted: 0, stalledFor: 0 } })
    if (hasSlot) this.#take(origin, connection)
    socket.once('close', () => {
      this.#open.delete(socket)
      this.#release(origin, connection)
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

  /** Returns whether a slot is free for the origin, closing an idle connection for it if necessary. */
  #findSlot(origin: string | null): boolean {
    const { connections, reserved } = this.#limits
    if (this.#taken < connections || this.#closeIdle()) return true
    if (this.#taken >= connections + reserved) return false
    return origin === null || (this.#held.get(origin)?.size ?? 0) < FEW
  }

  /**
   * Closes the connection that has been idle longest, of those of the origin that holds most. Those of trusted proxies
   * stay: a proxy might be about to send a request on one.
   */
  #closeIdle(): boolean {
    const shares = [...this.#held].filter(([origin]) => origin !== null)
    const most = Math.max(...shares.map(([, held]) => held.size))
    let found: { origin: string | null; connection: Connection; since: number } | undefined
    for (const [origin, held] of shares) {
      if (held.size < most) continue
      for (const connection of held) {
        const since = connection.idleSince
        if (since !== null && since < (found?.since ?? Number.POSITIVE_INFINITY))
          found = { origin, connection, since }
      }
    }
    if (!found) return false
    // Before the close event, which later connections may precede.
    this.#release(found.origin, found.connection)
    found.connection.socket.destroy()
    return true
  }

  #take(origin: string | null, connection: Connection): void {
    const held = this.#held.get(origin)
    if (held) held.add(connection)
    else this.#held.set(origin, new Set([connection]))
    this.#taken++
  }

  #release(origin: string | null, connection: Connection): void {
    const held = this.#held.get(origin)
    if (!held?.delete(connection)) return
    this.#taken--
    if (held.size === 0) this.#held.delete(origin)
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
