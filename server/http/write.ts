// Writes responses to node:http, and adds the headers that all of them have.
import type { ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { Queue } from '../../archive/base/concurrently.ts'
import { envelope } from '../wire/problem.ts'
import { type Answer, textHeaders } from './answer.ts'
import { BufferPool } from './buffer-pool.ts'
import type { Call } from './call.ts'
import { compress } from './compression.ts'
import { OpenFiles, sendRange } from './send-file.ts'
import { type Origin, type SlotLimits, Slots } from './slots.ts'
import { sendStreamed } from './streamed.ts'

/**
 * Everything comes from this service, and nothing may be embedded or sent elsewhere.
 * @param connect the origins that a page's scripts may send requests to
 * @param microphone the origins that may ask for the microphone
 */
const securityHeaders = (connect: 'none' | 'self', microphone = ''): readonly string[] => [
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'no-referrer',
  'Permissions-Policy',
  `microphone=(${microphone})`,
  'Content-Security-Policy',
  [
    `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'`,
    `font-src 'self'; connect-src '${connect}'; worker-src 'self'`,
    `form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  ].join('; '),
]

/** Sent with every response except the pages whose scripts may connect (API.md 2.4). */
export const SECURITY_HEADERS = securityHeaders('none')

/** Lets other sites read every GET and HEAD response. */
const READABLE: readonly string[] = ['Access-Control-Allow-Origin', '*']
const READ_HEADERS: readonly string[] = [...SECURITY_HEADERS, ...READABLE]
const CONNECTING_HEADERS: readonly string[] = [...securityHeaders('self'), ...READABLE]
const LISTENING_HEADERS: readonly string[] = [...securityHeaders('none', 'self'), ...READABLE]

/** Sent instead of a file or a long text while the cap is reached. */
const TOO_MANY: Answer = {
  status: 503,
  headers: [...textHeaders('json', 'no-store'), 'Retry-After', '5'],
  body: JSON.stringify(envelope('overloaded', 'too many files and long pages are being sent')),
}

/** Each compression holds 256 KiB, and libuv's thread pool runs four at a time. */
const MAX_COMPRESSIONS = 4

/** Whether a body is in memory as a whole. */
const isWhole = (body: Answer['body']): body is string | Uint8Array | null =>
  body === null || typeof body !== 'object' || body instanceof Uint8Array

export class AnswerWriter {
  readonly #pool = new BufferPool()
  readonly #files = new OpenFiles()
  readonly #compressions = new Queue(MAX_COMPRESSIONS)
  /** Responses whose file or long text is being sent. */
  readonly #sending: Slots<ServerResponse>
  readonly #log: Pick<Logger, 'error'>

  /** @param limits of the files and long texts that are sent at the same time */
  constructor(limits: SlotLimits, log: Pick<Logger, 'error'>) {
    this.#sending = new Slots(limits)
    this.#log = log
  }

  /** Compresses the body if the headers declare it. A long text is compressed while it is sent. */
  prepare(answer: Answer): Answer | Promise<Answer> {
    const { body, encoding } = answer
    if (encoding === undefined || body === null || !isWhole(body)) return answer
    const compressed = this.#compressions.run(() => compress(encoding, body))
    return compressed.then((bytes) => ({ ...answer, body: bytes }))
  }

  /**
   * Sends a prepared response, or a 503 instead of a file or long text without a slot.
   * @param call HEAD gets the headers of GET and no body
   */
  write(response: ServerResponse, call: Call, answer: Answer, origin: Origin): void {
    const { method, pathname } = call
    const { status, body, encoding } = answer
    const isLong = method !== 'HEAD' && !isWhole(body)
    if (isLong && !this.#sending.isFreeFor(origin)) {
      discard(answer)
      this.write(response, call, TOO_MANY, origin)
      return
    }
    response.writeHead(status, headersOf(method, answer))
    if (isLong) {
      this.#sending.take(origin, response)
      const onBroken = (err: unknown) =>
        this.#log.error({ err }, `${pathname} could not be sent in full`)
      const sent =
        'path' in body
          ? sendRange(response, body, this.#files, this.#pool, onBroken)
          : sendStreamed(response, body, encoding, this.#pool, onBroken)
      // Never rejects.
      void sent.then(() => this.#sending.release(origin, response))
    } else if (isWhole(body) && method !== 'HEAD') response.end(body)
    else {
      discard(answer)
      response.end()
    }
  }
}

/** Frees what a response that is not sent holds: a stream from a bucket keeps its connection open. */
export function discard({ body }: Answer): void {
  if (!isWhole(body) && 'stream' in body) void body.stream.cancel().catch(() => {})
}

/** The headers that do not depend on the content. */
function commonHeaders(method: string, { mayConnect, mayListen }: Answer): readonly string[] {
  if (mayConnect) return CONNECTING_HEADERS
  if (mayListen) return LISTENING_HEADERS
  return method === 'GET' || method === 'HEAD' ? READ_HEADERS : SECURITY_HEADERS
}

function headersOf(method: string, answer: Answer): string[] {
  const { headers, body, encoding } = answer
  const all = [...commonHeaders(method, answer), ...headers]
  if (body === null) return all
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
  // That of a text that is compressed while it is sent is not known yet.
  const isKnown = length !== null && (isWhole(body) || !encoding)
  if (isKnown) all.push('Content-Length', String(length))
  return all
}
