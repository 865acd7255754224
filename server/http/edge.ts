// The node:http server under h3: what a client sends that never becomes a request, and how connections end.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { MAX_REQUEST_BYTES } from './body.ts'
import { ERROR_STATUS, type ErrorCode, envelope } from './errors.ts'

/** decisions.md 1.9: the head within 10 s, the whole request within 30 s, no stall of 30 s while reading. */
export const TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 15_000,
} as const
const STALLED_READER_MS = 30_000

/** How long the rest of a refused request is thrown away, so that the client can read why. */
const LINGER_MS = 1_000

const REASONS: Partial<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  413: 'Content Too Large',
  417: 'Expectation Failed',
  431: 'Request Header Fields Too Large',
}

/** Gives a JSON body to every answer that node:http would send bare, and closes connections politely. */
export function guardEdge(server: Server): void {
  server.setTimeout(STALLED_READER_MS, (socket) => socket.destroy())
  server.on('clientError', onClientError)
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) =>
    refuse(response, 'expectation_failed', 'Expect: only 100-continue is understood'),
  )
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (declaredLength(request) <= MAX_REQUEST_BYTES) response.writeContinue()
    server.emit('request', request, response)
  })
  server.prependListener('request', closeAfterEarlyAnswer)
}

const declaredLength = (request: IncomingMessage) => Number(request.headers['content-length'] ?? 0)

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

/** Why a Host field is refused (RFC 9112 section 3.2), if it is. */
export function hostProblem(
  request: Pick<IncomingMessage, 'rawHeaders' | 'httpVersion'>,
): string | undefined {
  let lines = 0
  for (let i = 0; i < request.rawHeaders.length; i += 2)
    if (request.rawHeaders[i]?.toLowerCase() === 'host') lines++
  if (lines > 1) return 'Host: must be given once'
  if (lines === 0 && request.httpVersion === '1.1') return 'Host: is required'
  return undefined
}

function onClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const [code, message] = parserProblem(error.code)
  socket.end(rawAnswer(code, message))
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

function parserProblem(code: string | undefined): [ErrorCode, string] {
  if (code === 'HPE_HEADER_OVERFLOW')
    return ['header_too_large', 'the head of the request is too large']
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return ['request_timeout', 'the request took too long to arrive']
  return ['invalid_request', 'the request is not valid HTTP']
}

const rawHeaders = (body: string): Record<string, string> => ({
  'content-type': 'application/json; charset=utf-8',
  'content-length': String(Buffer.byteLength(body)),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'",
  'cache-control': 'no-store',
  connection: 'close',
})

function rawAnswer(code: ErrorCode, message: string): string {
  const status = ERROR_STATUS[code]
  const body = JSON.stringify(envelope(code, message))
  const lines = Object.entries(rawHeaders(body)).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} ${REASONS[status] ?? ''}`, ...lines, '', body].join('\r\n')
}

function refuse(response: ServerResponse, code: ErrorCode, message: string): void {
  const body = JSON.stringify(envelope(code, message))
  response.writeHead(ERROR_STATUS[code], rawHeaders(body))
  response.end(body)
}
