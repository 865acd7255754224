// One request as handlers see it: read from node:http when asked for, and not before.
import type { IncomingMessage } from 'node:http'
import { Problem } from '../wire/problem.ts'
import type { Target } from './target.ts'

export class Call {
  readonly method: string
  /** The path that the router looks at: dot segments resolved, needless escapes decoded. */
  readonly pathname: string
  /** Host and port that the request was sent to: where its connection ends, if it named none. */
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

  /** A field's value; several lines of one name are joined by commas. @param name in lower case */
  header(name: string): string | undefined {
    return this.#incoming.headers[name] as string | undefined
  }

  get query(): URLSearchParams {
    this.#query ??= new URLSearchParams(this.#search)
    return this.#query
  }

  /** The address of the connection's other end. */
  get peer(): string {
    return this.#incoming.socket.remoteAddress ?? ''
  }

  /** Whether the client went away before it had its answer. */
  get isAbandoned(): boolean {
    return this.#incoming.socket.destroyed
  }

  /**
   * The whole body. Stops reading where it turns out larger than `max` bytes.
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
      const pieces: Buffer[] = []
      let size = 0
      incoming.on('data', (piece: Buffer) => {
        size += piece.length
        if (size <= max) return void pieces.push(piece)
        incoming.pause().removeAllListeners('data')
        reject(tooLarge())
      })
      incoming.once('end', () => resolve(Buffer.concat(pieces, size)))
      incoming.once('error', reject)
    })
  }
}
