// Rejects input that never becomes a call, with an error envelope and the usual response headers.
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ErrorCode, envelope } from '../wire/problem.ts'
import { textHeaders } from './answer.ts'
import { Connection, LINGER_MS } from './connection.ts'
import { isHost, readTarget, type Target } from './target.ts'
import { SECURITY_HEADERS } from './write.ts'

export interface Rejection {
  status: number
  code: ErrorCode
  message: string
  /** Further headers, alternating names and values. */
  headers?: readonly string[]
}

const rejection = (
  status: number,
  message: string,
  code: ErrorCode = 'invalid_request',
): Rejection => ({ status, code, message })

export const UNKNOWN_EXPECTATION = rejection(417, 'Expect: only 100-continue is understood')
export const NOT_A_PROXY = rejection(400, 'CONNECT: this server is not a proxy')
export const OVERLOADED: Rejection = {
  ...rejection(503, 'too many connections', 'overloaded'),
  headers: ['Retry-After', '5'],
}
export const INTERNAL_ERROR = rejection(
  500,
  'an unexpected error occurred; it has been logged',
  'internal_error',
)

/** The rejection for the code of a clientError of node:http. */
export function rejectionFor(code: string | undefined): Rejection {
  if (code === 'HPE_HEADER_OVERFLOW')
    return rejection(431, 'the head of the request is too large', 'request_too_large')
  return code === 'ERR_HTTP_REQUEST_TIMEOUT'
    ? rejection(408, 'the request took too long to arrive')
    : rejection(400, 'the request is not valid HTTP')
}

/** Whether node:http can decode the body: it takes every list of codings that ends in chunked for chunked alone. */
export function isDecodable({ headers }: IncomingMessage): boolean {
  const codings = headers['transfer-encoding']
  return codings === undefined || codings.toLowerCase() === 'chunked'
}

/**
 * Reads where a request is addressed to, from its Host field and its target (RFC 9112 section 3.2).
 * @returns the rejection of a request whose head cannot be understood
 */
export function targetOf(request: IncomingMessage): Target | Rejection {
  if (!isDecodable(request))
    return rejection(501, 'Transfer-Encoding: only chunked is understood', 'not_implemented')
  const { rawHeaders, httpVersion, url = '' } = request
  let host: string | undefined
  // Not from `headers`, which drops all Host fields but the first.
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue
    if (host !== undefined) return rejection(400, 'Host: must be given once')
    host = rawHeaders[i + 1] as string
  }
  if (host === undefined && httpVersion === '1.1') return rejection(400, 'Host: is required')
  if (host && !isHost(host)) return rejection(400, 'Host: is not the name or address of a host')
  // HTTP/1.0 allows a request that names no host.
  return (
    readTarget(url, host || Connection.of(request).localHost) ??
    rejection(400, 'the target is neither a path nor an http address')
  )
}

export function sendRejection(response: ServerResponse, rejection: Rejection): void {
  const { headers, body } = messageOf(rejection)
  response.writeHead(rejection.status, headers)
  response.end(body)
}

/** Sends a rejection on a socket for which node:http has no response object. */
export function sendRawRejection(socket: Duplex, rejection: Rejection): void {
  const { headers, body } = messageOf(rejection)
  const lines = [`HTTP/1.1 ${rejection.status} ${STATUS_CODES[rejection.status]}`]
  for (let i = 0; i < headers.length; i += 2) lines.push(`${headers[i]}: ${headers[i + 1]}`)
  socket.end([...lines, '', body].join('\r\n'))
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

function messageOf({ code, message, headers: more = [] }: Rejection) {
  const body = JSON.stringify(envelope(code, message))
  const headers = [
    ...SECURITY_HEADERS,
    ...textHeaders('json', 'no-store'),
    'Content-Length',
    String(Buffer.byteLength(body)),
    'Connection',
    'close',
    ...more,
  ]
  return { headers, body }
}
