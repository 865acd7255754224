// Feeds node:http one request of a connection at a time; pipelined requests wait unparsed.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Origin } from './slots.ts'

/** Ends a request's head, and a chunked body. */
const EMPTY_LINE = Buffer.from('\r\n\r\n')
const NO_BYTES = Buffer.alloc(0)

/** How long the rest of a rejected request is read and discarded, so that the client can read the response [ms]. */
export const LINGER_MS = 1_000

/**
 * Sits between a socket and node:http's parser, which would otherwise parse every request that has arrived: 64 KiB of
 * them on each of 256 connections took 1 GiB. The parser alone decides what a request is: this class only splits the
 * bytes where a request may end, at an empty line or after the declared length of a body, and delivers nothing more while
 * a response is due.
 */
export class Connection {
  /** Counts the times that a connection became idle, which orders them without a clock. */
  static #idled = 0
  readonly socket: Socket
  readonly origin: Origin
  readonly #deliver: (bytes: Buffer) => void
  /** Tells node:http that the client has ended its side. */
  readonly #deliverEnd: () => void
  readonly #onResponseClose = () => this.#finishRequest()
  /** The current request, and its response. */
  #request: IncomingMessage | undefined
  #response: ServerResponse | undefined
  #isResponseDue = false
  #hasBody = false
  /** Bytes of the current body yet to arrive; 0 if its length is not declared. */
  #bodyLeft = 0
  /** The last bytes delivered, in which an empty line may have begun. */
  #tail = NO_BYTES
  /** Bytes that arrived after the current request; they wait for its response. */
  #pending: Buffer | undefined
  /** Whether the client ended its side after the pending bytes. */
  #hasEnded = false
  /** Whether incoming bytes are discarded. */
  #ignoresInput = false
  /** Whether the connection closes after the response in flight. */
  #isLast = false
  #idleSince: number | null = ++Connection.#idled

  /** @param socket one that node:http already listens on */
  constructor(socket: Socket, origin: Origin) {
    this.socket = socket
    this.origin = origin
    const [deliver] = socket.listeners('data') as [(bytes: Buffer) => void]
    // The first listener is node:net's own.
    const deliverEnd = socket.listeners('end').at(-1) as () => void
    this.#deliver = deliver
    this.#deliverEnd = deliverEnd
    socket.removeListener('data', deliver).removeListener('end', deliverEnd)
    // With a data listener, node:http reads through the stream instead of directly from the handle.
    socket.on('data', (bytes) => this.#receive(bytes))
    socket.on('end', () => this.#receiveEnd())
  }

  /** Whether a response can be sent: the socket is open, and the current request's response has not begun. */
  get canRespond(): boolean {
    return this.socket.writable && !(this.#isResponseDue && this.#response?.headersSent)
  }

  /** Ascends in the order in which connections became idle; null from the first byte of a request to its response. */
  get idleSince(): number | null {
    return this.#idleSince
  }

  /** Called when a request's head has arrived: the next request waits until the response has ended. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    const { headers } = request
    this.#request = request
    this.#response = response
    this.#isResponseDue = true
    this.#bodyLeft = Number(headers['content-length'] ?? 0)
    this.#hasBody = this.#bodyLeft > 0 || headers['transfer-encoding'] !== undefined
    response.once('close', this.#onResponseClose)
  }

  /** Discards everything that arrives from now on. */
  ignoreInput(): void {
    this.#ignoresInput = true
    this.#pending = undefined
    this.socket.resume()
  }

  /** Closes the connection, after the response in flight if there is one. */
  closeSoon(): void {
    this.#isLast = true
    if (!this.#isResponseDue) this.socket.destroy()
  }

  /**
   * Must be called before a response's head is written: decides whether the connection stays open after it. It does not
   * if the request's body has not fully arrived. Closing with unread bytes would reset the connection, and the client
   * could lose the response; so the rest of the body is read and discarded for LINGER_MS.
   */
  beforeResponse(response: ServerResponse): void {
    if (this.#isLast) response.shouldKeepAlive = false
    if (!this.#hasBody || this.#request?.complete) return
    const { socket } = this
    response.shouldKeepAlive = false
    socket.destroySoon = () => {
      this.ignoreInput()
      socket.end()
      setTimeout(() => socket.destroy(), LINGER_MS).unref()
    }
  }

  #receive(bytes: Buffer): void {
    this.#idleSince = null
    if (this.#ignoresInput) return
    if (this.#pending) this.#hold(Buffer.concat([this.#pending, bytes]))
    else this.#deliverBytes(bytes)
  }

  /** Delivers the end only after the last request: node:http ends its own side once it has no response left to send. */
  #receiveEnd(): void {
    if (this.#pending) this.#hasEnded = true
    else this.#deliverEnd()
  }

  #deliverBytes(bytes: Buffer): void {
    let at = 0
    while (at < bytes.length && !this.#ignoresInput) {
      if (this.#isResponseDue && this.#request?.complete) {
        this.#hold(bytes.subarray(at))
        return
      }
      const end = this.#nextCut(bytes, at)
      this.#deliver(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end))
      at = end
    }
  }

  /** The offset after `at` where the current request may end, or the end of the bytes. */
  #nextCut(bytes: Buffer, at: number): number {
    if (this.#bodyLeft > 0) {
      const length = Math.min(this.#bodyLeft, bytes.length - at)
      this.#bodyLeft -= length
      return at + length
    }
    const { length } = this.#tail
    const searched = length === 0 ? bytes : Buffer.concat([this.#tail, bytes.subarray(at)])
    const found = searched.indexOf(EMPTY_LINE, length === 0 ? at : 0)
    if (found !== -1) {
      this.#tail = NO_BYTES
      return found + EMPTY_LINE.length + (length === 0 ? 0 : at - length)
    }
    const rest = length === 0 ? bytes.subarray(at) : searched
    this.#tail = Buffer.from(rest.subarray(1 - EMPTY_LINE.length))
    return bytes.length
  }

  #hold(bytes: Buffer): void {
    this.#pending = bytes
    this.socket.pause()
  }

  /** Delivers the pending bytes in a later turn of the event loop, so that other connections come first. */
  #finishRequest(): void {
    this.#isResponseDue = false
    if (this.#isLast) this.socket.destroySoon()
    if (!this.#pending) {
      this.#idleSince = ++Connection.#idled
      return
    }
    setImmediate(() => {
      const bytes = this.#pending
      if (!bytes || this.socket.destroyed) return
      this.#pending = undefined
      this.#deliverBytes(bytes)
      if (this.#pending) return
      if (this.#hasEnded) this.#deliverEnd()
      else this.socket.resume()
    })
  }
}
