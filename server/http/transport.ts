// The service on a socket: a node:http server whose requests become calls, and whose answers are written as they are.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Answer } from './answer.ts'
import { JSON_TYPE, MAX_REQUEST_BYTES } from './body.ts'
import { SMALL_COUNT } from './buffer-pool.ts'
import { Call } from './call.ts'
import { type ConnectionLimits, Connections } from './connections.ts'
import {
  NO_TUNNEL,
  OVERLOADED,
  type Refusal,
  refusalOf,
  refuse,
  refuseRaw,
  targetOf,
  UNKNOWN_EXPECTATION,
} from './edge.ts'
import type { Respond } from './mount.ts'
import { AnswerWriter } from './write.ts'

/** The head within 10 s, the whole request within 30 s (API.md 1.9) [ms]. */
const OPTIONS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 15_000,
  // Clients are told 15 s. A request that is sent just before must not meet a closed connection, however busy the machine.
  keepAliveTimeoutBuffer: 15_000,
  requireHostHeader: false,
  optimizeEmptyRequests: true,
} as const

/** A client that ends its side behind its request is still there to read the answer: node:http would drop it. */
const HALF_OPEN = { httpAllowHalfOpen: true } as const

export interface TransportLimits extends ConnectionLimits {
  /** Files and long texts beyond this many are not sent at once. */
  files: number
}

/** API.md 1.9. As many files as there are small buffers, so that none waits for the slow readers of others. */
const LIMITS: TransportLimits = { connections: 1_024, stalledS: 30, files: SMALL_COUNT }
/** Connections beyond the cap that wait for their refusal; further ones are closed without a word. */
const MAX_REFUSED = 256

export interface Transport {
  /** @returns where it listens, as in http://127.0.0.1:3000/ @throws NodeJS.ErrnoException */
  listen(port: number, host: string): Promise<string>
  /** Stops accepting and finishes what is in flight; cuts what is still busy after `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>
}

/** @param respond answers each call */
export function createTransport(respond: Respond, limits = LIMITS): Transport {
  return new HttpTransport(respond, limits)
}

class HttpTransport implements Transport {
  readonly #respond: Respond
  readonly #server = Object.assign(createServer(OPTIONS), HALF_OPEN)
  readonly #connections: Connections
  readonly #writer: AnswerWriter

  constructor(respond: Respond, limits: TransportLimits) {
    this.#respond = respond
    this.#connections = new Connections(limits)
    this.#writer = new AnswerWriter(limits.files)
    const server = this.#server
    server.maxConnections = limits.connections + MAX_REFUSED
    server.on('connection', (socket) => this.#accept(socket))
    server.on('request', (request, response) => this.#serve(request, response))
    server.on('checkContinue', (request, response) => {
      if (mayContinue(request)) response.writeContinue()
      this.#serve(request, response)
    })
    server.on('checkExpectation', (request, response) => {
      const connection = this.#connections.of(request.socket)
      connection.begin(request, response)
      connection.beforeAnswer(response)
      refuse(response, UNKNOWN_EXPECTATION)
    })
    server.on('connect', (_request, socket) => this.#refuseRaw(socket as Socket, NO_TUNNEL))
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      if (error.code === 'ECONNRESET') socket.destroy()
      else this.#refuseRaw(socket as Socket, refusalOf(error.code))
    })
  }

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

  async stop(timeoutMs: number): Promise<void> {
    const cut = setTimeout(() => this.#server.closeAllConnections(), timeoutMs)
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#connections.closeSoon()
    await closed
    clearTimeout(cut)
    this.#connections.stopSweeping()
  }

  #accept(socket: Socket): void {
    this.#connections.add(socket)
    if (this.#connections.areFull) this.#refuseRaw(socket, OVERLOADED)
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#connections.of(request.socket)
    connection.begin(request, response)
    const target = targetOf(request)
    if ('status' in target) {
      connection.beforeAnswer(response)
      refuse(response, target)
      return
    }
    const call = new Call(request, target)
    const write = (answer: Answer) => {
      if (!connection.canAnswer) return
      connection.beforeAnswer(response)
      this.#writer.write(response, call.method, answer)
    }
    const prepare = (answer: Answer) => this.#writer.prepare(call.method, answer)
    const answer = this.#respond(call)
    const prepared = answer instanceof Promise ? answer.then(prepare) : prepare(answer)
    if (prepared instanceof Promise) void prepared.then(write)
    else write(prepared)
  }

  #refuseRaw(socket: Socket, refusal: Refusal): void {
    const connection = this.#connections.of(socket)
    connection.ignoreInput()
    if (connection.canAnswer) refuseRaw(socket, refusal)
    else socket.destroy()
  }
}

/** Whether a body is worth waiting for: one that is too large, or of another type, is not. */
const mayContinue = ({ headers }: IncomingMessage): boolean =>
  Number(headers['content-length'] ?? 0) <= MAX_REQUEST_BYTES &&
  JSON_TYPE.test(headers['content-type'] ?? '')
