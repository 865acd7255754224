// The HTTP server: turns node:http's requests into calls and writes their responses.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createListener, type Socket } from 'node:net'
import type { Logger } from 'pino'
import type { Answer } from './answer.ts'
import { SMALL_COUNT } from './buffer-pool.ts'
import { Call, JSON_TYPE, MAX_REQUEST_BYTES } from './call.ts'
import { Connection } from './connection.ts'
import { Connections } from './connections.ts'
import {
  INTERNAL_ERROR,
  isDecodable,
  NOT_A_PROXY,
  OVERLOADED,
  type Rejection,
  rejectionFor,
  sendRawRejection,
  sendRejection,
  targetOf,
  UNKNOWN_EXPECTATION,
} from './edge.ts'
import type { Respond } from './mount.ts'
import type { Origin, SlotLimits } from './slots.ts'
import { AnswerWriter, discard } from './write.ts'

/** A request's head must arrive within 10 s, all of it within 30 s (API.md 1.9) [ms]. */
const OPTIONS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 15_000,
  // Keep-Alive announces 15 s. On a busy machine, a request sent just in time must not find the connection closed.
  keepAliveTimeoutBuffer: 15_000,
  requireHostHeader: false,
  optimizeEmptyRequests: true,
} as const

/** A client that ends its side after its request still reads the response; node:http would close the connection. */
const HALF_OPEN = { httpAllowHalfOpen: true } as const

/** Without a buffer, a socket that is paused reads no more; what a client sends must not keep a stalled connection open. */
const SOCKETS = { allowHalfOpen: true, noDelay: true, highWaterMark: 1 } as const

export interface TransportLimits {
  connections: SlotLimits
  /** A connection whose client accepts no byte for this long is closed [s]. */
  stalledS: number
  files: SlotLimits
}

/** API.md 1.9. As many files as small buffers, so that none waits for a buffer that a slow reader holds. */
const LIMITS: TransportLimits = {
  connections: { shared: 1_024, reserved: 128 },
  stalledS: 30,
  files: { shared: SMALL_COUNT - 128, reserved: 128 },
}
const MS_PER_S = 1_000
/** Connections without a slot that get a 503; further ones are closed without a response. */
const MAX_REJECTED = 256

export interface ListenAddress {
  host: string
  port: number
  /** The environment variable that sets the port. */
  variable: 'PORT' | 'METRICS_PORT'
}

export type OriginOfPeer = (peer: string) => Origin

export interface TransportDeps {
  /** Gets the errors of responses that cannot be sent. */
  log: Pick<Logger, 'error'>
  /** Returns the origin of a client's address. By default, each address is an origin. */
  originOf?: OriginOfPeer
  limits?: TransportLimits
}

export class Transport {
  readonly #respond: Respond
  readonly #log: Pick<Logger, 'error'>
  readonly #originOf: OriginOfPeer
  readonly #server = Object.assign(createServer(OPTIONS), HALF_OPEN)
  /** Accepts the connections that `#server` serves: node:http takes any stream for one. */
  readonly #listener = createListener(SOCKETS)
  readonly #stalledMs: number
  readonly #connections: Connections
  readonly #writer: AnswerWriter

  constructor(
    respond: Respond,
    { log, originOf = (peer) => peer, limits = LIMITS }: TransportDeps,
  ) {
    this.#respond = respond
    this.#log = log
    this.#originOf = originOf
    this.#stalledMs = limits.stalledS * MS_PER_S
    this.#connections = new Connections(limits.connections)
    this.#writer = new AnswerWriter(limits.files, log)
    this.#listener.on('connection', (socket) => this.#accept(socket))
    const server = this.#server
    server.on('request', (request, response) => this.#serve(request, response))
    server.on('checkContinue', (request, response) => {
      if (mayContinue(request)) response.writeContinue()
      this.#serve(request, response)
    })
    server.on('checkExpectation', (request, response) =>
      this.#serve(request, response, UNKNOWN_EXPECTATION),
    )
    server.on('connect', (request) => this.#rejectRaw(Connection.of(request), NOT_A_PROXY))
    server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
      if (error.code === 'ECONNRESET' || !(stream instanceof Connection)) stream.destroy()
      // Nothing was sent: a browser has connected early, and would take a 408 for the answer to its next request.
      else if (stream.idleSince !== null) stream.destroy()
      else this.#rejectRaw(stream, rejectionFor(error.code))
    })
  }

  /**
   * @returns the URL that it listens on, such as http://127.0.0.1:3000/
   * @throws Error with one line that names the variable
   */
  async listen(wanted: ListenAddress): Promise<string> {
    const listener = this.#listener.listen(wanted.port, wanted.host)
    await once(listener, 'listening').catch((error: NodeJS.ErrnoException) => {
      throw new Error(problemOf(error, wanted), { cause: error })
    })
    // From then on, node:http looks for requests that take too long.
    this.#server.emit('listening')
    const { address, family, port } = listener.address() as AddressInfo
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/`
  }

  /** Stops accepting connections, finishes requests in flight, and closes what is still busy after `timeoutMs`. */
  async stop(timeoutMs: number): Promise<void> {
    const cut = setTimeout(() => this.#server.closeAllConnections(), timeoutMs)
    const closed = new Promise((resolve) => this.#listener.close(resolve))
    this.#connections.closeSoon()
    await closed
    clearTimeout(cut)
    this.#server.close()
  }

  #accept(socket: Socket): void {
    const origin = this.#originOf(socket.remoteAddress ?? '')
    const connection = new Connection(socket, origin, this.#stalledMs)
    const hasSlot = this.#connections.add(connection)
    this.#server.emit('connection', connection)
    if (hasSlot) return
    if (this.#connections.rejected <= MAX_REJECTED) this.#rejectRaw(connection, OVERLOADED)
    else connection.destroy()
  }

  #serve(request: IncomingMessage, response: ServerResponse, rejection?: Rejection): void {
    const connection = Connection.of(request)
    connection.begin(request, response)
    const target = rejection ?? targetOf(request)
    if ('status' in target) {
      connection.beforeResponse(response)
      sendRejection(response, target)
      return
    }
    const call = new Call(request, target)
    // An error that nothing catches would end the process.
    const fail = (error: unknown) => {
      this.#log.error({ err: error, method: call.method }, 'a response could not be sent')
      this.#rejectRaw(connection, INTERNAL_ERROR)
    }
    const write = (answer: Answer) => {
      if (!connection.canRespond) {
        discard(answer)
        return
      }
      try {
        connection.beforeResponse(response)
        this.#writer.write(response, call, answer, connection.origin)
      } catch (error) {
        discard(answer)
        fail(error)
      }
    }
    const prepare = (answer: Answer) => this.#writer.prepare(answer)
    const answer = this.#respond(call)
    const prepared = answer instanceof Promise ? answer.then(prepare) : prepare(answer)
    if (prepared instanceof Promise) void prepared.then(write, fail)
    else write(prepared)
  }

  /** Rejects input or fails a request without node:http's response object; closes the connection. */
  #rejectRaw(connection: Connection, rejection: Rejection): void {
    connection.ignoreInput()
    if (connection.canRespond) sendRawRejection(connection, rejection)
    else connection.destroy()
  }
}

function problemOf(
  { code, message }: NodeJS.ErrnoException,
  { host, port, variable }: ListenAddress,
): string {
  if (code === 'EADDRINUSE') return `${variable}: ${port} is in use by another program`
  if (code === 'EACCES') return `${variable}: no permission to listen on ${port}`
  if (code === 'ENOTFOUND' || code === 'EADDRNOTAVAIL')
    return `HOST: ${host} is not an address of this machine`
  return `HOST, ${variable}: ${message}`
}

/** Whether to ask for the body: one that is too large, not JSON or coded would be rejected anyway. */
const mayContinue = (request: IncomingMessage): boolean =>
  isDecodable(request) &&
  Number(request.headers['content-length'] ?? 0) <= MAX_REQUEST_BYTES &&
  JSON_TYPE.test(request.headers['content-type'] ?? '')
