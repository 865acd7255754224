// The route table on h3: methods and Allow, HEAD, error bodies, and the headers that every answer carries.
import { type H3, type H3Event, HTTPResponse } from 'h3'
import type { Logger } from 'pino'
import { isUnavailable } from '../store/database.ts'
import { stringifyJson } from '../wire/json.ts'
import { type ErrorCode, envelope, Problem } from '../wire/problem.ts'
import { type Answer, SECURITY_HEADERS } from './answer.ts'
import { prefersJson } from './negotiate.ts'

/** What a handler is given of a request. */
export interface Call {
  request: Request
  query: URLSearchParams
  /** Path parameters, decoded. */
  params: Record<string, string>
}

export interface Route {
  method: 'GET' | 'POST'
  /** In h3's notation: `/messages/:id`, `/d/**:path`. */
  path: string
  /** What the answer is, and so what an error on this path looks like. */
  representation: 'data' | 'page' | 'negotiated'
  /** Every answer, errors too, says `Cache-Control: no-store` (the investigation operations). */
  noStore?: boolean
  /** The operation's id in openapi.json, for the operations that it describes. */
  operation?: string
  handle(call: Call): Promise<Answer> | Answer
}

export interface MountDeps {
  log: Logger
  /** An HTML page that says what went wrong. */
  errorPage(status: number, code: ErrorCode, message: string): string
}

const STORAGE_RETRY_S = '5'

/** Puts the routes on the app, and a 404 on every other path. */
export function mount(app: H3, routes: readonly Route[], deps: MountDeps): void {
  for (const group of Map.groupBy(routes, (route) => route.path).values()) {
    const path = (group[0] as Route).path
    app.all(path, (event) => respond(event, group, deps))
  }
  app.all('/**', (event) => respond(event, [], deps))
}

async function respond(
  event: H3Event,
  routes: readonly Route[],
  deps: MountDeps,
): Promise<HTTPResponse> {
  const request = event.req as unknown as Request
  // The router takes /healthz/ for /healthz; here it is another address, at which there is nothing.
  const { pathname } = event.url
  const group = pathname.endsWith('/') && pathname !== '/' ? [] : routes
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const route = group.find((item) => item.method === method)
  const answer = await attempt(event, request, route, group, deps)
  return write(request, route ?? group[0], answer)
}

async function attempt(
  event: H3Event,
  request: Request,
  route: Route | undefined,
  group: readonly Route[],
  deps: MountDeps,
): Promise<Answer> {
  try {
    if (group.length === 0) throw new Problem('not_found', 'there is nothing at this address')
    if (!route) throw methodNotAllowed(group)
    const query = event.url.searchParams
    return await route.handle({ request, query, params: decodedParams(event) })
  } catch (error) {
    return explain(error, request, route ?? group[0], deps)
  }
}

function methodNotAllowed(group: readonly Route[]): Problem {
  const allow = group.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  return new Problem('method_not_allowed', `this address answers ${allow.join(', ')} only`, {
    allow: allow.join(', '),
  })
}

function decodedParams(event: H3Event): Record<string, string> {
  const params: Record<string, string> = {}
  for (const [name, value] of Object.entries(event.context.params ?? {})) {
    try {
      params[name] = decodeURIComponent(value)
    } catch {
      throw new Problem('invalid_request', 'the address is not valid UTF-8')
    }
  }
  return params
}

/** Any exception as an answer; what a client need not know goes to the log instead. */
function explain(
  error: unknown,
  request: Request,
  route: Route | undefined,
  deps: MountDeps,
): Answer {
  const problem = asProblem(error, request, deps.log)
  const { status, code, message } = problem
  const headers: Record<string, string> = { 'cache-control': 'no-store', ...problem.headers }
  if (request.method === 'POST' || !wantsPage(request, route)) {
    headers['content-type'] = 'application/json; charset=utf-8'
    return { status, headers, body: stringifyJson(envelope(code, message)) }
  }
  headers['content-type'] = 'text/html; charset=utf-8'
  return { status, headers, body: deps.errorPage(status, code, message) }
}

/** Whether the answer would have been HTML; an unknown address says so by its form. */
function wantsPage(request: Request, route: Route | undefined): boolean {
  const { pathname } = new URL(request.url)
  const isData = /^\/api\/|\.(?:json|txt|csv)$/.test(pathname)
  const representation = route?.representation ?? (isData ? 'data' : 'negotiated')
  return representation === 'page' || (representation === 'negotiated' && !prefersJson(request))
}

function asProblem(error: unknown, request: Request, log: Logger): Problem {
  if (error instanceof Problem) return error
  if (isUnavailable(error)) {
    log.error({ err: error }, 'the database is unavailable')
    return new Problem('storage_unavailable', 'the database cannot answer now', {
      'retry-after': STORAGE_RETRY_S,
    })
  }
  if (request.signal.aborted || isDisconnect(error))
    return new Problem('invalid_request', 'the request was broken off')
  log.error({ err: error, method: request.method }, 'unexpected error')
  return new Problem('internal_error', 'something went wrong here; it has been noted')
}

/** A client that went away while its body was being read. */
const isDisconnect = (error: unknown): boolean =>
  ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR'].includes(
    (error as { code?: string } | null)?.code ?? '',
  )

function write(request: Request, route: Route | undefined, answer: Answer): HTTPResponse {
  const headers = new Headers({ ...SECURITY_HEADERS, ...answer.headers })
  if (request.method === 'GET' || request.method === 'HEAD')
    headers.set('access-control-allow-origin', '*')
  if (!route || route.representation === 'negotiated') headers.append('vary', 'Accept')
  if (route?.noStore) headers.set('cache-control', 'no-store')
  const { body } = answer
  if (typeof body === 'string') headers.set('content-length', String(Buffer.byteLength(body)))
  else if (body instanceof Uint8Array) headers.set('content-length', String(body.length))
  if (request.method === 'HEAD') {
    if (body instanceof ReadableStream) void body.cancel()
    return new HTTPResponse(null, { status: answer.status, headers })
  }
  return new HTTPResponse(body as BodyInit | null, { status: answer.status, headers })
}
