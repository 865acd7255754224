// Writes answers to node:http's response: the one place where their bytes leave the process.
import type { ServerResponse } from 'node:http'
import { envelope } from '../wire/problem.ts'
import { type Answer, textHeaders } from './answer.ts'
import { Compressor } from './compression.ts'
import type { FileRange, FileSender } from './send-file.ts'

/** @param connect what a page's scripts may send to and ask from */
const securityHeaders = (connect: 'none' | 'self'): readonly string[] => [
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'no-referrer',
  'Content-Security-Policy',
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; font-src 'self'; connect-src '${connect}'; worker-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`,
]

/** Sent with every answer but a page with a form (API.md 2.4). */
export const SECURITY_HEADERS = securityHeaders('none')

/** Of everything that is read, other sites included. */
const READABLE: readonly string[] = ['Access-Control-Allow-Origin', '*']
const READ_HEADERS: readonly string[] = [...SECURITY_HEADERS, ...READABLE]
const FORM_HEADERS: readonly string[] = [...securityHeaders('self'), ...READABLE]

/** In place of a file, while as many as may be are being sent. */
const TOO_MANY_FILES: Answer = {
  status: 503,
  headers: [...textHeaders('json', 'no-store'), 'Retry-After', '5'],
  body: JSON.stringify(envelope('overloaded', 'too many files are being sent')),
}

const isFile = (body: Answer['body']): body is FileRange =>
  body !== null && typeof body === 'object' && 'path' in body

export class AnswerWriter {
  readonly #files: FileSender
  readonly #compressor = new Compressor()

  constructor(files: FileSender) {
    this.#files = files
  }

  /** The answer as it is sent: compressed where that was promised, refused where too many files are being sent. */
  prepare(method: string, answer: Answer): Answer | Promise<Answer> {
    const { body, encoding } = answer
    if (isFile(body)) return method !== 'HEAD' && this.#files.isFull ? TOO_MANY_FILES : answer
    if (encoding === undefined || body === null) return answer
    return this.#compressor.compress(encoding, body).then((bytes) => ({ ...answer, body: bytes }))
  }

  /** @param method of the request: HEAD gets the headers of GET and no body */
  write(response: ServerResponse, method: string, answer: Answer): void {
    const { status, body } = answer
    response.writeHead(status, headersOf(method, answer))
    if (body === null || method === 'HEAD') response.end()
    else if (isFile(body)) void this.#files.send(response, body)
    else response.end(body)
  }
}

function headersOf(method: string, { headers, body, hasForm }: Answer): string[] {
  const isRead = method === 'GET' || method === 'HEAD'
  const common = hasForm ? FORM_HEADERS : isRead ? READ_HEADERS : SECURITY_HEADERS
  const all = [...common, ...headers]
  if (body === null) return all
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
  all.push('Content-Length', String(length))
  return all
}
