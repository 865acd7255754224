// What a client sends that never becomes a call: refused with an envelope and the headers of every answer.
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ErrorCode, envelope } from '../wire/problem.ts'
import { textHeaders } from './answer.ts'
import { LINGER_MS } from './connection.ts'
import { readTarget, type Target } from './target.ts'
import { SECURITY_HEADERS } from './write.ts'

/** What is wrong with bytes that never became a request. */
export interface Refusal {
  status: number
  code: ErrorCode
  message: string
  /** Names and values by turns. */
  headers?: readonly string[]
}

const refusal = (
  status: number,
  message: string,
  code: ErrorCode = 'invalid_request',
): Refusal => ({
  status,
  code,
  message,
})

const NOT_HTTP = refusal(400, 'the request is not valid HTTP')
const TOO_SLOW = refusal(408, 'the request took too long to arrive')
const HEAD_TOO_LARGE = refusal(431, 'the head of the request is too large', 'request_too_large')
export const UNKNOWN_EXPECTATION = refusal(417, 'Expect: only 100-continue is understood')
export const NO_TUNNEL = refusal(400, 'CONNECT: this is no proxy')
export const OVERLOADED: Refusal = {
  ...refusal(503, 'too many connections', 'overloaded'),
  headers: ['Retry-After', '5'],
}
const HOST_REPEATED = refusal(400, 'Host: must be given once')
const HOST_MISSING = refusal(400, 'Host: is required')
const HOST_INVALID = refusal(400, 'Host: is not a host')
const TARGET_INVALID = refusal(400, 'the target is neither a path nor an http address')

/** Why node:http gave up on a connection, as its error's code says. */
export function refusalOf(code: string | undefined): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') return HEAD_TOO_LARGE
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? TOO_SLOW : NOT_HTTP
}

/** What a request is sent to, by its Host field and its target (RFC 9112 section 3.2). */
export function targetOf(request: IncomingMessage): Target | Refusal {
  const { rawHeaders, httpVersion, url = '', socket } = request
  let host: string | undefined
  // Not by `headers`: there the first of several Host fields hides the others.
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue
    if (host !== undefined) return HOST_REPEATED
    host = rawHeaders[i + 1] as string
  }
  if (host === undefined && httpVersion === '1.1') return HOST_MISSING
  if (host && !isHost(host)) return HOST_INVALID
  return readTarget(url, host || localHost(socket)) ?? TARGET_INVALID
}

/** Where a connection ends here: what a request is for that names no host, as HTTP/1.0 may. */
const localHost = ({ localAddress = '', localFamily, localPort }: Socket): string =>
  `${localFamily === 'IPv6' ? `[${localAddress}]` : localAddress}:${localPort}`

/** uri-host of RFC 3986, with an optional port. */
const HOST = /^(?:[\w.~%!$&'()*+,;=-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]*)?$/

/** In form, and in value: the URL standard refuses ports over 65535 and numbers that are no addresses. */
const isHost = (text: string): boolean => HOST.test(text) && URL.canParse(`http://${text}/`)

/** Sends a refusal in place of an answer, and ends the connection. */
export function refuse(response: ServerResponse, refusal: Refusal): void {
  const { headers, body } = answerOf(refusal)
  response.writeHead(refusal.status, headers)
  response.end(body)
}

/** Sends a refusal where node:http has no response to write to. */
export function refuseRaw(socket: Duplex, refusal: Refusal): void {
  const { headers, body } = answerOf(refusal)
  const lines = [`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`]
  for (let i = 0; i < headers.length; i += 2) lines.push(`${headers[i]}: ${headers[i + 1]}`)
  socket.end([...lines, '', body].join('\r\n'))
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

function answerOf({ code, message, headers: more = [] }: Refusal) {
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
