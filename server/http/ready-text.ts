// A text that is encoded, hashed and compressed once, and sent to many.
import { type Answer, answerTagged, encodedEtag, encodingHeaders, etagOf } from './answer.ts'
import type { Call } from './call.ts'
import {
  COMPRESSION_THRESHOLD_BYTES,
  chooseEncoding,
  compress,
  type Encoding,
} from './compression.ts'

export class ReadyText {
  readonly bytes: Buffer
  readonly #headers: readonly string[]
  readonly #codings: readonly Encoding[]
  readonly #etag: string
  readonly #compressed = new Map<Encoding, Promise<Uint8Array>>()

  /**
   * @param headers content type and cache policy, alternating names and values
   * @param codings those to offer, preferred first
   */
  constructor(
    text: string | Uint8Array,
    headers: readonly string[],
    codings: readonly Encoding[] = ['gzip'],
  ) {
    this.bytes = Buffer.from(text)
    this.#headers = headers
    this.#codings = this.bytes.length > COMPRESSION_THRESHOLD_BYTES ? codings : []
    this.#etag = etagOf(this.bytes)
  }

  /** Responds to a read, in the coding that the client prefers. @throws Problem precondition_failed */
  async answer(call: Call): Promise<Answer> {
    const { bytes } = this
    if (this.#codings.length === 0) return answerTagged(call, this.#headers, this.#etag, bytes)
    const encoding = chooseEncoding(call.header('accept-encoding'), this.#codings)
    const headers = [...this.#headers, ...encodingHeaders(encoding)]
    const answer = answerTagged(call, headers, encodedEtag(this.#etag, encoding), bytes)
    if (encoding === undefined || answer.status !== 200) return answer
    return { ...answer, body: await this.#compress(encoding) }
  }

  /** Compresses when a client first accepts a coding: most texts are never requested in most codings. */
  #compress(encoding: Encoding): Promise<Uint8Array> {
    const cached = this.#compressed.get(encoding)
    if (cached) return cached
    const result = compress(encoding, this.bytes)
    this.#compressed.set(encoding, result)
    // A failed compression is retried by the next request.
    result.catch(() => this.#compressed.delete(encoding))
    return result
  }
}
