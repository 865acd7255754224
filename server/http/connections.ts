// All connections of a server: how many there may be, when one whose client reads nothing is cut, and how they end.
import type { Socket } from 'node:net'
import { Connection } from './connection.ts'

export interface ConnectionLimits {
  /** Connections beyond this many are refused. */
  connections: number
  /** A connection whose client accepts no byte for as long is closed [s]. */
  stalledS: number
}

const SWEEP_MS = 1_000

/** What the last sweep saw of a connection. */
interface Progress {
  /** Bytes that the kernel has taken. */
  accepted: number
  /** Sweeps since it took some, while there were more. */
  stalledFor: number
}

export class Connections {
  readonly #open = new Map<Socket, { connection: Connection; progress: Progress }>()
  readonly #limits: ConnectionLimits
  readonly #sweep: NodeJS.Timeout

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
    this.#sweep = setInterval(() => this.#cutStalled(), SWEEP_MS).unref()
  }

  get areFull(): boolean {
    return this.#open.size > this.#limits.connections
  }

  /** @param socket on which node:http listens already */
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

  /** Closes every connection at once, or after the answer that it is owed. */
  closeSoon(): void {
    for (const { connection } of this.#open.values()) connection.closeSoon()
  }

  stopSweeping(): void {
    clearInterval(this.#sweep)
  }

  #cutStalled(): void {
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
 * How much of what was written the kernel has taken. A socket's timeout cannot tell: it starts over whenever
 * anything happens, and its write queue is not public; node:net reads it in the same way for that timeout.
 */
function transferOf(socket: Socket): { accepted: number; isWaiting: boolean } {
  const { _handle: handle } = socket as unknown as {
    _handle: { bytesWritten: number; writeQueueSize: number } | null
  }
  if (!handle) return { accepted: 0, isWaiting: false }
  const { bytesWritten, writeQueueSize } = handle
  return { accepted: bytesWritten - writeQueueSize, isWaiting: writeQueueSize > 0 }
}
