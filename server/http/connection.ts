// One connection: node:http gets the bytes of one request at a time, and what is pipelined behind it waits unread.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** What ends a head, and a body of chunks. */
const EMPTY_LINE = Buffer.from('\r\n\r\n')
const NOTHING = Buffer.alloc(0)

/** How long the rest of a refused request is thrown away, so that the client can read why [ms]. */
export const LINGER_MS = 1_000

/**
 * Stands between a socket and node:http's parser, which would otherwise make a request of all that has
 * arrived. The parser alone decides what a request is: bytes are only delivered in pieces that end where a
 * request may end, at an empty line or after the declared length of a body, and no further piece while an
 * answer is due.
 */
export class Connection {
  readonly socket: Socket
  readonly #deliver: (bytes: Buffer) => void
  /** Tells node:http that nothing more will arrive. */
  readonly #deliverEnd: () => void
  readonly #onAnswered = () => this.#answered()
  /** The request that is being received or answered, and its answer. */
  #request: IncomingMessage | undefined
  #response: ServerResponse | undefined
  #isAnswerDue = false
  #hasBody = false
  /** Bytes that the current body still lacks; 0 where it has no declared length. */
  #bodyLeft = 0
  /** The last bytes that were delivered without an empty line: it may have begun in them. */
  #seam = NOTHING
  /** What waits for the answer before it. */
  #held: Buffer | undefined
  /** Whether the client has ended its side behind what waits. */
  #hasEnded = false
  /** Whether nothing that arrives is read any more. */
  #isDeaf = false
  /** Whether the connection ends with the answer in flight. */
  #isLast = false

  /** @param socket on which node:http listens already */
  constructor(socket: Socket) {
    this.socket = socket
    const [deliver] = socket.listeners('data') as [(bytes: Buffer) => void]
    // The first is node:net's own.
    const deliverEnd = socket.listeners('end').at(-1) as () => void
    this.#deliver = deliver
    this.#deliverEnd = deliverEnd
    socket.removeListener('data', deliver).removeListener('end', deliverEnd)
    // Any listener for data makes node:http read through the stream and not past it.
    socket.on('data', (bytes) => this.#take(bytes))
    socket.on('end', () => this.#takeEnd())
  }

  /** Whether an answer can be sent: the socket is open, and nothing of another one has been sent for the same request. */
  get canAnswer(): boolean {
    return this.socket.writable && !(this.#isAnswerDue && this.#response?.headersSent)
  }

  /** A request's head has arrived: until the answer has ended, the next one waits. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    const { headers } = request
    this.#request = request
    this.#response = response
    this.#isAnswerDue = true
    this.#bodyLeft = Number(headers['content-length'] ?? 0)
    this.#hasBody = this.#bodyLeft > 0 || headers['transfer-encoding'] !== undefined
    response.once('close', this.#onAnswered)
  }

  /** From now on, what arrives is thrown away. */
  ignoreInput(): void {
    this.#isDeaf = true
    this.#held = undefined
    this.socket.resume()
  }

  /** Closes now, or after the answer in flight. */
  closeSoon(): void {
    this.#isLast = true
    if (!this.#isAnswerDue) this.socket.destroy()
  }

  /**
   * To be called before the head of an answer is written: settles whether the connection outlives it.
   * It does not when the request has not arrived whole. Closing at once, with unread bytes waiting, would
   * reset the connection and take the answer from the client; so the rest is read and dropped for a moment.
   */
  beforeAnswer(response: ServerResponse): void {
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

  #take(bytes: Buffer): void {
    if (this.#isDeaf) return
    if (this.#held) this.#hold(Buffer.concat([this.#held, bytes]))
    else this.#deliverPieces(bytes)
  }

  /** The end is delivered behind the last request: once node:http has it and owes no answer, it ends its own side. */
  #takeEnd(): void {
    if (this.#held) this.#hasEnded = true
    else this.#deliverEnd()
  }

  #deliverPieces(bytes: Buffer): void {
    let at = 0
    while (at < bytes.length && !this.#isDeaf) {
      if (this.#isAnswerDue && this.#request?.complete) {
        this.#hold(bytes.subarray(at))
        return
      }
      const end = this.#endOfPiece(bytes, at)
      this.#deliver(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end))
      at = end
    }
  }

  /** Where the request that is being received may end, or all there is. */
  #endOfPiece(bytes: Buffer, at: number): number {
    if (this.#bodyLeft > 0) {
      const length = Math.min(this.#bodyLeft, bytes.length - at)
      this.#bodyLeft -= length
      return at + length
    }
    const { length } = this.#seam
    const searched = length === 0 ? bytes : Buffer.concat([this.#seam, bytes.subarray(at)])
    const found = searched.indexOf(EMPTY_LINE, length === 0 ? at : 0)
    if (found !== -1) {
      this.#seam = NOTHING
      return found + EMPTY_LINE.length + (length === 0 ? 0 : at - length)
    }
    const rest = length === 0 ? bytes.subarray(at) : searched
    this.#seam = Buffer.from(rest.subarray(1 - EMPTY_LINE.length))
    return bytes.length
  }

  #hold(bytes: Buffer): void {
    this.#held = bytes
    this.socket.pause()
  }

  /** The next request gets its turn behind those of other connections. */
  #answered(): void {
    this.#isAnswerDue = false
    if (this.#isLast) this.socket.destroySoon()
    if (!this.#held) return
    setImmediate(() => {
      const bytes = this.#held
      if (!bytes || this.socket.destroyed) return
      this.#held = undefined
      this.#deliverPieces(bytes)
      if (this.#held) return
      if (this.#hasEnded) this.#deliverEnd()
      else this.socket.resume()
    })
  }
}
