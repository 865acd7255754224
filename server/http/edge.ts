// The node:http server under h3: what a client sends that never becomes a request, and how connections end.
import {
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { Duplex } from 'node:stream'
import { type ErrorCode, envelope } from '../wire/problem.ts'
import { SECURITY_HEADERS } from './answer.ts'
import { JSON_TYPE, MAX_REQUEST_BYTES } from './body.ts'

/** decisions.md 1.9: the head within 10 s, the whole request within 30 s, no stall of 30 s while reading. */
export const TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 15_000,
} as const
/** Just behind requestTimeout, which can still say 408 where an idle socket is only cut. */
const STALLED_READER_MS = 32_000

/** How long the rest of a refused request is thrown away, so that the client can read why. */
const LINGER_MS = 1_000

/** What is wrong with bytes that never became a request: status line, code, sentence. */
interface Refusal {
  status: number
  code: ErrorCode
  message: string
}

const NOT_HTTP: Refusal = {
  status: 400,
  code: 'invalid_request',
  message: 'the request is not valid HTTP',
}
const TOO_SLOW: Refusal = {
  status: 408,
  code: 'invalid_request',
  message: 'the request took too long to arrive',
}
const HEAD_TOO_LARGE: Refusal = {
  status: 431,
  code: 'request_too_large',
  message: 'the head of the request is too large',
}
const UNKNOWN_EXPECTATION: Refusal = {
  status: 417,
  code: 'invalid_request',
  message: 'Expect: only 100-continue is understood',
}
const NO_TUNNEL: Refusal = {
  status: 400,
  code: 'invalid_request',
  message: 'CONNECT: this is no proxy',
}

/** Gives a JSON body to every answer that node:http would send bare, and closes connections politely. */
export function guardEdge(server: Server): void {
  server.setTimeout(STALLED_READER_MS, (socket) => socket.destroy())
  server.on('clientError', onClientError)
  server.on('connect', (_request: IncomingMessage, socket: Duplex) =>
    socket.end(rawAnswer(NO_TUNNEL)),
  )
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) =>
    refuse(response, UNKNOWN_EXPECTATION),
  )
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (mayContinue(request)) response.writeContinue()
    server.emit('request', request, response)
  })
  const [serve] = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    closeAfterEarlyAnswer(request, response)
    const message = hostProblem(request) ?? targetProblem(request)
    if (message === undefined) serve?.(request, response)
    else refuse(response, { status: 400, code: 'invalid_request', message })
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
  const { socket } = request
  const writeHead = response.writeHead
  response.writeHead = function (this: ServerResponse, ...args: unknown[]) {
    if (!request.complete && request.method !== 'GET' && request.method !== 'HEAD') {
      this.shouldKeepAlive = false
      socket.destroySoon = () => {
        socket.end()
        setTimeout(() => socket.destroy(), LINGER_MS).unref()
      }
    }
    return writeHead.apply(this, args as Parameters<typeof writeHead>)
  } as typeof writeHead
}

/** uri-host of RFC 3986, with an optional port. */
const HOST = /^(?:[\w.~%!$&'()*+,;=-]*|\[[0-9A-Fa-f:.]+\])(?::[0-9]*)?$/

/** Why a Host field is refused (RFC 9112 section 3.2), if it is. */
function hostProblem({
  rawHeaders,
  httpVersion,
}: Pick<IncomingMessage, 'rawHeaders' | 'httpVersion'>): string | undefined {
  const values = rawHeaders.filter((_, i) => i % 2 === 1 && isHost(rawHeaders[i - 1]))
  if (values.length > 1) return 'Host: must be given once'
  if (values[0] === undefined) return httpVersion === '1.1' ? 'Host: is required' : undefined
  return HOST.test(values[0]) ? undefined : 'Host: is not a host'
}

/** An absolute target (RFC 9112 section 3.2.2) must be an address that can be parsed. */
function targetProblem({ url = '/' }: IncomingMessage): string | undefined {
  const isPath = url.startsWith('/') || url === '*'
  return isPath || URL.canParse(url) ? undefined : 'the target is not an address'
}

const isHost = (name: string | undefined) => name?.toLowerCase() === 'host'

function onClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  socket.end(rawAnswer(refusalOf(error.code)))
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

function refusalOf(code: string | undefined): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') return HEAD_TOO_LARGE
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? TOO_SLOW : NOT_HTTP
}

function answerOf({ status, code, message }: Refusal) {
  const body = JSON.stringify(envelope(code, message))
  const headers = {
    ...SECURITY_HEADERS,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    connection: 'close',
  }
  return { status, headers, body }
}

function refuse(response: ServerResponse, refusal: Refusal): void {
  const { status, headers, body } = answerOf(refusal)
  response.writeHead(status, headers).end(body)
}

function rawAnswer(refusal: Refusal): string {
  const { status, headers, body } = answerOf(refusal)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n')
}
