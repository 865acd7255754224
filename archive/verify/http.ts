// Fetches the files below a base address for verify, from an untrusted server: follows no redirects, and
// bounds the size and time of each response.
import { describeFetchError, isMissingStatus } from '../fetch-error.ts'
import { problem, type SourceFile } from './source.ts'

/** For a whole response, to its last byte. */
const TIMEOUT_MS = 60_000
/** After this many failed requests in total, no more are sent. */
const MAX_FAILURES = 5

export class HttpFiles {
  /** Without a trailing slash. */
  readonly base: string
  readonly #timeoutMs: number
  #failures = 0

  constructor(address: string, { timeoutMs = TIMEOUT_MS }: { timeoutMs?: number } = {}) {
    this.base = address.replace(/\/+$/, '')
    this.#timeoutMs = timeoutMs
  }

  /**
   * Fetches a file of at most `limit` bytes.
   * @param path relative to the base address, with a leading slash
   */
  async read(path: string, limit: number): Promise<SourceFile> {
    if (this.#failures >= MAX_FAILURES)
      return problem('unreachable', 'not requested, since the service no longer answers')
    try {
      return await fetchBounded(this.base + path, limit, this.#timeoutMs)
    } catch (error) {
      this.#failures += 1
      return problem('unreachable', reasonOf(error, this.#timeoutMs))
    }
  }
}

async function fetchBounded(url: string, limit: number, timeoutMs: number): Promise<SourceFile> {
  const response = await fetch(url, {
    redirect: 'manual',
    headers: { 'accept-encoding': 'identity' },
    signal: AbortSignal.timeout(timeoutMs),
  })
  if (response.status !== 200) {
    await response.body?.cancel()
    const code = isMissingStatus(response.status) ? 'missing' : 'http_status'
    return problem(code, `the service answers ${response.status}`)
  }
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > limit) return problem('too_large', `is longer than ${limit} bytes`)
    chunks.push(chunk)
  }
  const contentType = response.headers.get('content-type')?.split(';')[0]?.trim() ?? ''
  return { bytes: await new Blob(chunks as BlobPart[]).bytes(), contentType }
}

function reasonOf(error: unknown, timeoutMs: number): string {
  const isLate = (error as Error).name === 'TimeoutError'
  return isLate ? `no whole answer within ${timeoutMs / 1000} s` : describeFetchError(error)
}
