// The HTTP server: turns node:http's requests into calls and writes their responses.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Logger } from 'pino'
import type { Answer } from './answer.ts'
import { JSON_TYPE, MAX_REQUEST_BYTES } from './body.ts'
import { SMALL_COUNT } from './buffer-pool.ts'
import { Call } from './call.ts'
import { type ConnectionLimits, Connections, type OriginOfPeer } from './connections.ts'
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
import type { SlotLimits } from './slots.ts'
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

export interface TransportLimits extends ConnectionLimits {
  /** The slots for files and long texts that are being sent. */
  files: SlotLimits
}

/** API.md 1.9. As many files as small buffers, so that none waits for a buffer that a slow reader holds. */
const LIMITS: TransportLimits = {
  connections: { shared: 1_024, reserved: 128 },
  stalledS: 30,
  files: { shared: SMALL_COUNT - 128, reserved: 128 },
}
/** Connections without a slot that get a 503; further ones are closed without a response. */
const MAX_REJECTED = 256

export interface TransportDeps {
  /** Gets the errors of responses that cannot be sent. */
  log: Pick<Logger, 'error'>
  /** By default, each address is an origin. */
  originOf?: OriginOfPeer
  limits?: TransportLimits
}

export class Transport {
  readonly #respond: Respond
  readonly #log: Pick<Logger, 'error'>
  readonly #server = Object.assign(createServer(OPTIONS), HALF_OPEN)
  readonly #connections: Connections
  readonly #writer: AnswerWriter

  /** @param respond called for each request */
  constructor(
    respond: Respond,
    { log, originOf = (peer) => peer, limits = LIMITS }: TransportDeps,
  ) {
    this.#respond = respond
    this.#log = log
    this.#connections = new Connections(limits, originOf)
    this.#writer = new AnswerWriter(limits.files)
    const server = this.#server
    server.on('connection', (socket) => this.#accept(socket))
    server.on('request', (request, response) => this.#serve(request, response))
    server.on('checkContinue', (request, response) => {
      if (mayContinue(request)) response.writeContinue()
      this.#serve(request, response)
    })
    server.on('checkExpectation', (request, response) => {
      const connection = this.#connections.of(request.socket)
      connection.begin(request, response)
      connection.beforeResponse(response)
      sendRejection(response, UNKNOWN_EXPECTATION)
    })
    server.on('connect', (_request, socket) => this.#rejectRaw(socket as Socket, NOT_A_PROXY))
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      if (error.code === 'ECONNRESET') socket.destroy()
      else this.#rejectRaw(socket as Socket, rejectionFor(error.code))
    })
  }

  /** @returns the URL that it listens on, such as http://127.0.0.1:3000/ @throws NodeJS.ErrnoException */
  listen(port: number, host: string): Promise<string> {
    const server = this.#server
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, () => {
        server.off('error', reject)
        const { address, family, port: taken } = server.address() as AddressInfo
        resolve(`http://${family === 'IPv6' ? `[${address}]` : address}:${taken}/`)
      })
    })
  }

  /** Stops accepting connections, finishes requests in flight, and closes what is still busy after `timeoutMs`. */
  async stop(timeoutMs: number): Promise<void> {
    const cut = setTimeout(() => this.#server.closeAllConnections(), timeoutMs)
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#connections.closeSoon()
    await closed
    clearTimeout(cut)
    this.#connections.stopSweeping()
  }

  #accept(socket: Socket): void {
    if (this.#connections.add(socket)) return
    if (this.#connections.rejected <= MAX_REJECTED) this.#rejectRaw(socket, OVERLOADED)
    else socket.destroy()
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#connections.of(request.socket)
    connection.begin(request, response)
    const target = targetOf(request)
    if ('status' in target) {
      connection.beforeResponse(response)
      sendRejection(response, target)
      return
    }
    const call = new Call(request, target)
    const { method } = call
    // An error that nothing catches would end the process.
    const fail = (error: unknown) => {
      this.#log.error({ err: error, method }, 'a response could not be sent')
      this.#rejectRaw(request.socket, INTERNAL_ERROR)
    }
    const write = (answer: Answer) => {
      if (!connection.canRespond) {
        discard(answer)
        return
      }
      try {
        connection.beforeResponse(response)
        this.#writer.write(response, method, answer, connection.origin)
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
  #rejectRaw(socket: Socket, rejection: Rejection): void {
    const connection = this.#connections.of(socket)
    connection.ignoreInput()
    if (connection.canRespond) sendRawRejection(socket, rejection)
    else socket.destroy()
  }
}

/** Whether to ask for the body: one that is too large, not JSON or coded would be rejected anyway. */
const mayContinue = (request: IncomingMessage): boolean =>
  isDecodable(request) &&
  Number(request.headers['content-length'] ?? 0) <= MAX_REQUEST_BYTES &&
  JSON_TYPE.test(request.headers['content-type'] ?? '')
