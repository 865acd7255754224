// A plain HTTP client for tests: lossless JSON, every answer as a value, and held against the OpenAPI document.
import { parseJson, stringifyJson } from '../../server/wire/json.ts'
import { expectDocumented } from './openapi.ts'

export interface Reply {
  status: number
  headers: Headers
  bytes: Uint8Array
  text: string
  /** The body of a JSON answer, integers as bigint; undefined for any other. */
  json: unknown
  /** The `error.code` of an error envelope. */
  code: string | undefined
  /** The `error.message` of an error envelope. */
  message: string | undefined
}

export interface Client {
  get(path: string, headers?: Record<string, string>): Promise<Reply>
  head(path: string, headers?: Record<string, string>): Promise<Reply>
  /** Sends JSON; a string or bytes go as they are. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>
  send(method: string, path: string, init?: RequestInit): Promise<Reply>
}

/** @param baseUrl where the service is, asked for at each request */
export function clientOf(baseUrl: () => string): Client {
  const send = async (method: string, path: string, init: RequestInit = {}): Promise<Reply> => {
    const answer = await fetch(baseUrl() + path, { redirect: 'manual', ...init, method })
    const reply = replyOf(answer, new Uint8Array(await answer.arrayBuffer()))
    expectDocumented(method, new URL(answer.url).pathname, reply)
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
    // Only where it is looked at: a medium is many MiB.
    get text() {
      return textOf(bytes)
    },
    json,
    code: error?.code,
    message: error?.message,
  }
}

const textOf = (bytes: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
