// The service on a socket: a node:http server whose requests become calls, and whose answers are written as they are.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { JSON_TYPE, MAX_REQUEST_BYTES } from './body.ts'
import { Call } from './call.ts'
import {
  LINGER_MS,
  NO_TUNNEL,
  refusalOf,
  refuse,
  refuseRaw,
  TargetReader,
  UNKNOWN_EXPECTATION,
} from './edge.ts'
import type { Respond } from './mount.ts'
import { writeAnswer } from './write.ts'

/** API.md 1.9: the head within 10 s, the whole request within 30 s. */
const TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 15_000,
} as const
/** Just behind requestTimeout, which can still say 408 where an idle socket is only cut. */
const STALLED_READER_MS = 32_000

export interface Transport {
  /** @returns where it listens, as in http://127.0.0.1:3000/ @throws NodeJS.ErrnoException */
  listen(port: number, host: string): Promise<string>
  /** Stops accepting and finishes what is in flight; cuts what is still busy after `patienceMs`. */
  stop(patienceMs: number): Promise<void>
}

/** @param respond answers each call */
export function createTransport(respond: Respond): Transport {
  const server = createServer({ ...TIMEOUTS, requireHostHeader: false })
  const targets = new TargetReader()
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    closeAfterEarlyAnswer(request, response)
    const target = targets.read(request)
    if ('status' in target) refuse(response, target)
    else serve(new Call(request, target), response, respond)
  })
  refuseAtTheEdge(server)
  return {
    listen: (port, host) => listen(server, port, host),
    stop: async (patienceMs) => {
      const cut = setTimeout(() => server.closeAllConnections(), patienceMs)
      await new Promise((resolve) => server.close(resolve))
      clearTimeout(cut)
    },
  }
}

function serve(call: Call, response: ServerResponse, respond: Respond): void {
  const answer = respond(call)
  if (answer instanceof Promise)
    void answer.then((settled) => writeAnswer(response, call.method, settled))
  else writeAnswer(response, call.method, answer)
}

function listen(server: Server, port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      const { address, family, port: taken } = server.address() as AddressInfo
      resolve(`http://${family === 'IPv6' ? `[${address}]` : address}:${taken}/`)
    })
  })
}

/** Gives a JSON body to every answer that node:http would send bare. */
function refuseAtTheEdge(server: Server): void {
  server.setTimeout(STALLED_READER_MS, (socket) => socket.destroy())
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy()
    else refuseRaw(socket, refusalOf(error.code))
  })
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => refuseRaw(socket, NO_TUNNEL))
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) =>
    refuse(response, UNKNOWN_EXPECTATION),
  )
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (mayContinue(request)) response.writeContinue()
    server.emit('request', request, response)
  })
}

/** Whether a body is worth waiting for: one that is too large, or of another type, is not. */
const mayContinue = ({ headers }: IncomingMessage): boolean =>
  Number(headers['content-length'] ?? 0) <= MAX_REQUEST_BYTES &&
  JSON_TYPE.test(headers['content-type'] ?? '')

/**
 * An answer sent before the whole body has arrived ends the connection. Closing at once, with unread
 * bytes waiting, would reset it and take the answer from the client; so the rest is read and dropped
 * for a moment.
 */
function closeAfterEarlyAnswer(request: IncomingMessage, response: ServerResponse): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const { socket } = request
  const writeHead = response.writeHead
  response.writeHead = function (this: ServerResponse, ...args: unknown[]) {
    if (!request.complete) {
      this.shouldKeepAlive = false
      socket.destroySoon = () => {
        socket.end()
        setTimeout(() => socket.destroy(), LINGER_MS).unref()
      }
    }
    return writeHead.apply(this, args as Parameters<typeof writeHead>)
  } as typeof writeHead
}
