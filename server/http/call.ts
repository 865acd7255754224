// A request as handlers see it; each part is read from node:http only when it is used. And what a request prefers.
import type { IncomingMessage } from 'node:http'
import { parseAccept } from 'hono/utils/accept'
import { parseJson, RejectedJson } from '../../archive/base/json.ts'
import { Problem } from '../wire/problem.ts'
import type { Target } from './target.ts'

export class Call {
  readonly method: string
  /** The path that the router matches: needless escapes decoded, dot segments left in. */
  readonly pathname: string
  /** Host and port of the request; those of the connection's local end if the request names none. */
  readonly host: string
  /** Path parameters, decoded. */
  params: Readonly<Record<string, string>> = {}
  readonly #search: string
  readonly #incoming: IncomingMessage
  #query: URLSearchParams | undefined

  constructor(incoming: IncomingMessage, { pathname, search, host }: Target) {
    this.method = incoming.method as string
    this.pathname = pathname
    this.host = host
    this.#search = search
    this.#incoming = incoming
  }

  /** Returns a header's value; repeated lines are joined with commas. @param name in lower case */
  header(name: string): string | undefined {
    return this.#incoming.headers[name] as string | undefined
  }

  /** Whether the target has a question mark. */
  get hasQuery(): boolean {
    return this.#search !== ''
  }

  get query(): URLSearchParams {
    this.#query ??= new URLSearchParams(this.#search)
    return this.#query
  }

  get peer(): string {
    return this.#incoming.socket.remoteAddress ?? ''
  }

  /** Whether the client disconnected before the response. */
  get isAbandoned(): boolean {
    return this.#incoming.socket.destroyed
  }

  /**
   * Reads the whole body. Stops reading once it exceeds `max` bytes.
   * @throws Problem request_too_large
   */
  body(max: number): Promise<Buffer> {
    const tooLarge = () =>
      new Problem('request_too_large', `the request is larger than ${max} bytes`)
    if (Number(this.header('content-length') ?? 0) > max) return Promise.reject(tooLarge())
    const incoming = this.#incoming
    // node:http emits no 'end' for a request without a body.
    if (incoming.readableEnded) return Promise.resolve(Buffer.alloc(0))
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = []
      let size = 0
      incoming.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size <= max) return void chunks.push(chunk)
        incoming.pause().removeAllListeners('data')
        reject(tooLarge())
      })
      incoming.once('end', () => resolve(Buffer.concat(chunks, size)))
      incoming.once('error', reject)
    })
  }
}

/** Returns the configured base URL, or the one that the request was sent to, without a trailing slash. */
export const baseUrlOf = (call: Call, configured: string | undefined): string =>
  configured ?? new URL(`http://${call.host}`).origin

/** Whether a path has the form of data, existing or not. Below /d/ it does not: a directory's name may end in .json. */
export const isDataPath = (pathname: string): boolean =>
  /^\/api\/|^\/(?!d\/).*\.(?:json|txt|csv|atom|sha256|leaves|receipt)$/.test(pathname)

/** Whether the path has the form of data, or Accept prefers application/json to text/html; a tie means HTML. */
export function prefersJson(call: Call): boolean {
  if (isDataPath(call.pathname)) return true
  const accept = call.header('accept')
  if (accept === undefined || accept === '*/*') return false
  const ranges = parseAccept(accept)
  const quality = (type: string): number => {
    const [family] = type.split('/')
    for (const wanted of [type, `${family}/*`, '*/*']) {
      const range = ranges.find((item) => item.type.toLowerCase() === wanted)
      if (range) return range.q
    }
    return 0
  }
  return quality('application/json') > quality('text/html')
}

/** The largest request body (API.md 1.5) [bytes]. */
export const MAX_REQUEST_BYTES = 131_072

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Reads a request's JSON. Checks the headers first, so as not to wait for a body that will be rejected.
 * @throws Problem 415, 413 or 400, in this order
 */
export async function readJson(call: Call): Promise<unknown> {
  requireJson(call)
  const bytes = await call.body(MAX_REQUEST_BYTES)
  let text: string
  try {
    text = UTF8.decode(bytes)
  } catch {
    throw new Problem('invalid_json', 'the request is not valid UTF-8')
  }
  try {
    return parseJson(text)
  } catch (error) {
    // The engine's own message may quote long or hostile text.
    const reason = error instanceof RejectedJson ? error.message : 'syntax error'
    throw new Problem('invalid_json', `the request is not valid JSON: ${reason}`)
  }
}

/** application/json, alone or with charset=utf-8. */
export const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i

function requireJson(call: Call): void {
  const encoding = call.header('content-encoding')
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity')
    throw new Problem('unsupported_media_type', 'Content-Encoding: only identity is accepted')
  if (!JSON_TYPE.test(call.header('content-type') ?? ''))
    throw new Problem('unsupported_media_type', 'Content-Type: must be application/json')
}
