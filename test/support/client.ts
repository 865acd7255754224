// An HTTP client for tests: parses JSON losslessly and checks every response against the OpenAPI document.
import { parseJson, stringifyJson } from '../../archive/base/json.ts'
import { expectDocumented } from './openapi.ts'

export interface Reply {
  status: number
  headers: Headers
  bytes: Uint8Array
  text: string
  /** The body of a JSON response, integers as bigint; undefined for other types. */
  json: unknown
  /** The `error.code` of an error envelope. */
  code: string | undefined
  /** The `error.message` of an error envelope. */
  message: string | undefined
}

export interface Client {
  get(path: string, headers?: Record<string, string>): Promise<Reply>
  head(path: string, headers?: Record<string, string>): Promise<Reply>
  /** Sends the body as JSON; a string or bytes are sent unchanged. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>
  send(method: string, path: string, init?: RequestInit): Promise<Reply>
}

/** @param baseUrl returns the service's address, which a restart changes */
export function clientOf(baseUrl: () => string): Client {
  const send = async (method: string, path: string, init: RequestInit = {}): Promise<Reply> => {
    const response = await fetch(baseUrl() + path, { redirect: 'manual', ...init, method })
    const reply = replyOf(response, new Uint8Array(await response.arrayBuffer()))
    expectDocumented(method, new URL(response.url).pathname, reply)
    return reply
  }
  return {
    send,
    get: (path, headers = {}) => send('GET', path, { headers }),
    head: (path, headers = {}) => send('HEAD', path, { headers }),
    post: (path, body, headers = {}) =>
      send('POST', path, {
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' || body instanceof Uint8Array ? body : stringifyJson(body),
      } as RequestInit),
  }
}

function replyOf({ status, headers }: Response, bytes: Uint8Array): Reply {
  const isJson = headers.get('content-type')?.startsWith('application/json') && bytes.length > 0
  const json = isJson ? parseJson(textOf(bytes)) : undefined
  const error = (json as { error?: { code: string; message: string } } | undefined)?.error
  return {
    status,
    headers,
    bytes,
    // Decoded on demand: a media file is several MiB.
    get text() {
      return textOf(bytes)
    },
    json,
    code: error?.code,
    message: error?.message,
  }
}

const textOf = (bytes: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
