// Tracks a server's connections: enforces their cap, closes stalled ones, and closes all at a stop.
import type { Socket } from 'node:net'
import { Connection } from './connection.ts'

export interface ConnectionLimits {
  /** The cap on open connections; further ones get 503. */
  connections: number
  /** A connection whose client accepts no byte for this long is closed [s]. */
  stalledS: number
}

const SWEEP_MS = 1_000

/** A connection's state at the last sweep. */
interface Progress {
  /** Bytes that the kernel had accepted. */
  accepted: number
  /** Consecutive sweeps in which bytes were waiting and none was accepted. */
  stalledFor: number
}

export class Connections {
  readonly #open = new Map<Socket, { connection: Connection; progress: Progress }>()
  readonly #limits: ConnectionLimits
  readonly #sweep: NodeJS.Timeout

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
    this.#sweep = setInterval(() => this.#closeStalled(), SWEEP_MS).unref()
  }

  get isOverCap(): boolean {
    return this.#open.size > this.#limits.connections
  }

  /** @param socket one that node:http already listens on */
  add(socket: Socket): Connection {
    const connection = new Connection(socket)
    this.#open.set(socket, { connection, progress: { accepted: 0, stalledFor: 0 } })
    socket.once('close', () => this.#open.delete(socket))
    return connection
  }

  of(socket: Socket): Connection {
    const entry = this.#open.get(socket)
    if (entry === undefined) throw new Error('the socket belongs to no connection')
    return entry.connection
  }

  /** Closes every connection, after the response in flight if there is one. */
  closeSoon(): void {
    for (const { connection } of this.#open.values()) connection.closeSoon()
  }

  stopSweeping(): void {
    clearInterval(this.#sweep)
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
