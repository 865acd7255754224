// A connection as node:http sees it: its requests arrive one at a time, and pipelined ones wait unparsed.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { Origin } from './slots.ts'

/** Ends a request's head, and a chunked body. */
const EMPTY_LINE = Buffer.from('\r\n\r\n')
const NO_BYTES = Buffer.alloc(0)

/** A piece of a response: a client has stalled if it does not accept one in the time that it has for a byte. */
const PIECE_BYTES = 65_536
/** For a client that accepted PIECES_AT_ONCE in a row, more than the buffers of a slow one hold: a file costs a quarter less. */
const LONG_PIECE_BYTES = 524_288
const PIECES_AT_ONCE = 8

/** How long the rest of a rejected request is read and discarded, so that the client can read the response [ms]. */
export const LINGER_MS = 1_000

/**
 * Stands for a socket before node:http's parser, which would otherwise parse every request that has arrived: 64 KiB of
 * them on each of 256 connections took 1 GiB. The parser alone decides what a request is: this class only splits the
 * bytes where a request may end, at an empty line or after the declared length of a body, and passes nothing more on while
 * a response is due.
 */
export class Connection extends Duplex {
  /** Counts the times that a connection became idle, which orders them without a clock. */
  static #idled = 0
  readonly origin: Origin
  readonly #socket: Socket
  readonly #onResponseClose = () => this.#finishRequest()
  #request: IncomingMessage | undefined
  #response: ServerResponse | undefined
  #isResponseDue = false
  #hasBody = false
  /** Bytes of the current body yet to arrive; 0 if its length is not declared. */
  #bodyLeft = 0
  /** The last bytes passed on, in which an empty line may have begun. */
  #tail = NO_BYTES
  /** Whether the parser has taken the bytes passed on last. */
  #isWanted = false
  /** Bytes that have arrived and wait for the parser, or for the response to the current request. */
  #pending: Buffer | undefined
  /** Whether the client ended its side after the pending bytes. */
  #hasEnded = false
  #ignoresInput = false
  /** Whether the connection closes after the response in flight. */
  #isLast = false
  /** Whether the client may still be sending a request when the last response ends. */
  #lingers = false
  #idleSince: number | null = ++Connection.#idled
  /** Whether bytes of a response wait for the client to accept them. */
  #isSending = false
  /** Pieces in a row that the client has accepted at once. */
  #piecesAtOnce = 0
  readonly #stalled: NodeJS.Timeout

  /** @param stalledMs how long a client may accept no byte of a response [ms] */
  constructor(socket: Socket, origin: Origin, stalledMs: number) {
    // Without a buffer for reading, `_read` is called once the parser has taken what was passed on.
    super({ readableHighWaterMark: 0, decodeStrings: false })
    this.#socket = socket
    this.origin = origin
    // The timeout of the socket would be restarted by whatever the client sends.
    this.#stalled = setTimeout(() => this.#isSending && this.destroy(), stalledMs).unref()
    socket.on('data', (bytes) => this.#receive(bytes))
    socket.on('end', () => this.#receiveEnd())
    socket.on('timeout', () => this.emit('timeout'))
    socket.on('error', (error) => this.destroy(error))
    socket.on('close', () => this.destroy())
  }

  /** The connection by which a request has arrived. */
  static of({ socket }: IncomingMessage): Connection {
    const stream: Duplex = socket
    if (!(stream instanceof Connection)) throw new Error('the request belongs to no connection')
    return stream
  }

  get remoteAddress(): string {
    return this.#socket.remoteAddress ?? ''
  }

  get localHost(): string {
    const { localAddress = '', localFamily, localPort } = this.#socket
    return `${localFamily === 'IPv6' ? `[${localAddress}]` : localAddress}:${localPort}`
  }

  /** Whether a response can be sent: the connection is open, and the current request's response has not begun. */
  get canRespond(): boolean {
    return this.writable && !(this.#isResponseDue && this.#response?.headersSent)
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
    this.#socket.resume()
  }

  /** Closes the connection: after the response in flight if there is one, or else after a request that arrives within `graceMs`. */
  closeSoon(graceMs: number): void {
    this.#isLast = true
    const close = () => this.#isResponseDue || this.destroy()
    if (graceMs > 0) setTimeout(close, graceMs).unref()
    else close()
  }

  /**
   * Must be called before a response's head is written: decides whether the connection stays open after it. It does not
   * if the request's body has not fully arrived. Closing with unread bytes would reset the connection, and the client
   * could lose the response; so the rest of the body is read and discarded for LINGER_MS.
   */
  beforeResponse(response: ServerResponse): void {
    if (this.#isLast) response.shouldKeepAlive = false
    if (!this.#hasBody || this.#request?.complete) return
    response.shouldKeepAlive = false
    this.#lingers = true
  }

  /** Closes the connection once everything has been sent; node:http calls it after the last response. */
  destroySoon(): void {
    if (this.#lingers) this.ignoreInput()
    this.end()
    if (this.#lingers) setTimeout(() => this.destroy(), LINGER_MS).unref()
    else if (this.writableFinished) this.destroy()
    else this.once('finish', () => this.destroy())
  }

  /** Emits `timeout` after this time without a byte sent or received [ms]; node:http calls it while it waits for a request. */
  setTimeout(ms: number): this {
    this.#socket.setTimeout(ms)
    return this
  }

  override _read(): void {
    this.#isWanted = true
    this.#passOn()
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: Done): void {
    this.#send([{ chunk, encoding }], done)
  }

  override _writev(writes: Write[], done: Done): void {
    this.#send(writes, done)
  }

  override _final(done: Done): void {
    this.#socket.end(done)
  }

  override _destroy(error: Error | null, done: Done): void {
    clearTimeout(this.#stalled)
    this.#socket.destroy()
    done(error)
  }

  /** Sends all but a long rest at once, and each piece of that once the client has accepted the one before. */
  #send(writes: Write[], done: Done): void {
    this.#isSending = true
    this.#stalled.refresh()
    const { chunk, encoding } = writes.at(-1)!
    const length = this.#piecesAtOnce < PIECES_AT_ONCE ? PIECE_BYTES : LONG_PIECE_BYTES
    const rest = chunk.length > length ? toBuffer(chunk, encoding) : null
    this.#socket.cork()
    for (const write of writes.slice(0, -1)) this.#socket.write(write.chunk, write.encoding)
    this.#socket.write(rest?.subarray(0, length) ?? chunk, encoding, (error) => {
      this.#isSending = false
      if (error || rest === null) done(error)
      else this.#send([{ chunk: rest.subarray(length), encoding }], done)
    })
    this.#socket.uncork()
    if (this.#socket.writableLength > 0) this.#piecesAtOnce = 0
    else if (rest) this.#piecesAtOnce++
  }

  #receive(bytes: Buffer): void {
    this.#idleSince = null
    if (this.#ignoresInput) return
    this.#pending = this.#pending ? Buffer.concat([this.#pending, bytes]) : bytes
    this.#passOn()
    if (this.#pending) this.#socket.pause()
  }

  #receiveEnd(): void {
    this.#hasEnded = true
    this.#passOn()
  }

  /** Passes on the bytes in which the current request may end, or the end of the input after the last request. */
  #passOn(): void {
    if (!this.#isWanted || this.destroyed) return
    const bytes = this.#pending
    if (bytes === undefined) {
      if (this.#hasEnded) this.push(null)
      else this.#socket.resume()
      return
    }
    if (this.#isResponseDue && this.#request?.complete) return
    const end = this.#nextCut(bytes)
    this.#pending = end === bytes.length ? undefined : bytes.subarray(end)
    this.#isWanted = false
    this.push(bytes.subarray(0, end))
  }

  /** The offset where the current request may end, or the end of the bytes. */
  #nextCut(bytes: Buffer): number {
    if (this.#bodyLeft > 0) {
      const length = Math.min(this.#bodyLeft, bytes.length)
      this.#bodyLeft -= length
      return length
    }
    const { length } = this.#tail
    const searched = length === 0 ? bytes : Buffer.concat([this.#tail, bytes])
    const found = searched.indexOf(EMPTY_LINE)
    if (found !== -1) {
      this.#tail = NO_BYTES
      return found + EMPTY_LINE.length - length
    }
    this.#tail = Buffer.from(searched.subarray(1 - EMPTY_LINE.length))
    return bytes.length
  }

  /** Passes the pending bytes on in a later turn of the event loop, so that other connections come first. */
  #finishRequest(): void {
    this.#isResponseDue = false
    if (this.#isLast) this.destroySoon()
    if (this.#pending) setImmediate(() => this.#passOn())
    else this.#idleSince = ++Connection.#idled
  }
}

const toBuffer = (chunk: Buffer | string, encoding: BufferEncoding): Buffer =>
  typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk

interface Write {
  chunk: Buffer | string
  encoding: BufferEncoding
}

type Done = (error?: Error | null) => void
