// Dispatches calls to routes with h3's router: methods and Allow, decoded parameters, error responses. Only its router: in
// front of a handler, h3's own adapter for Node resolves dot segments, takes `/healthz/` for `/healthz` and ftp://x/ for a
// path, and accepts any Host field and several (API.md 1.10 and edge.ts); behind one, it knows no pool for the bodies of files.
import { H3, type H3Event } from 'h3'
import type { Logger } from 'pino'
import { stringifyJson } from '../../archive/base/json.ts'
import { isUnavailable } from '../database/errors.ts'
import type { Clock } from '../system/system.ts'
import type { Declaration, Endpoint } from '../wire/endpoint.ts'
import { envelope, Problem } from '../wire/problem.ts'
import { type Answer, textHeaders } from './answer.ts'
import { type Call, isDataPath, prefersJson } from './call.ts'

export interface Route extends Pick<Declaration, 'method' | 'path' | 'representation'> {
  handle(call: Call): Promise<Answer> | Answer
}

/** Handles a call of its endpoint, which is passed for its cache policy. */
export type Handler = (call: Call, endpoint: Endpoint) => Promise<Answer> | Answer

/**
 * Attaches handlers to a feature's declared endpoints. The types require exactly one handler for each.
 * @returns the routes, in the order of the declarations
 */
export function attach<Id extends string>(
  declared: Record<Id, Endpoint>,
  handlers: Record<NoInfer<Id>, Handler>,
): Route[] {
  return Object.values<Endpoint>(declared).map((endpoint) => {
    const handle = handlers[endpoint.id as Id]
    return { ...endpoint, handle: (call) => handle(call, endpoint) }
  })
}

/** Called with every response once it is ready to be sent. */
export type OnAnswer = (answered: {
  /** The route's path; null if no route matched. */
  route: string | null
  method: string
  status: number
  /** Time since the request's head [ms]. */
  ms: number
}) => void

export interface MountDeps {
  log: Logger
  onAnswer?: OnAnswer | undefined
  clock: Clock
  /** Renders an HTML page for an error; never rejects. */
  errorPage(problem: Problem): Promise<string>
}

/**
 * Responds to every call; never throws and never rejects. A response from memory is returned without a promise, which
 * saves the cheapest reads a few per cent.
 */
export type Respond = (call: Call) => Promise<Answer> | Answer

/** What a handler finds in the context of an event of h3's router. */
interface Routed {
  call: Call
  params?: Record<string, string>
}

const STORAGE_RETRY_S = '5'

/** Builds the function that dispatches calls to the routes, and responds 404 on every other path. */
export function mount(routes: readonly Route[], deps: MountDeps): Respond {
  const router = new H3()
  const serve = deps.onAnswer ? timed(deps.onAnswer, deps) : respond
  for (const [path, group] of Map.groupBy(routes, (route) => route.path)) {
    router.all(path, ({ context }) => {
      const routed = context as unknown as Routed
      return serve(routed, hasTrailingSlash(routed.call) ? [] : group, deps)
    })
  }
  router.all('/**', ({ context }) => serve(context as unknown as Routed, [], deps))
  return (call) => router.handler(eventOf(call)) as Promise<Answer> | Answer
}

/**
 * An event with the fields that h3's router reads. A whole one needs a Request, whose URL would resolve the dot segments
 * that here make another address (API.md 1.10).
 */
const eventOf = (call: Call): H3Event =>
  ({ req: call, url: call, context: { call } satisfies Routed }) as unknown as H3Event

/** The router treats /healthz/ as /healthz; here a trailing slash makes another address, with no route (API.md 1.10). */
const hasTrailingSlash = ({ pathname }: Call): boolean => pathname.endsWith('/') && pathname !== '/'

const timed =
  (onAnswer: OnAnswer, { clock }: MountDeps): typeof respond =>
  (routed, routes, deps) => {
    const from = clock.monotonic()
    const report = (answer: Answer) => {
      const ms = clock.monotonic() - from
      const { method } = routed.call
      onAnswer({ route: routes[0]?.path ?? null, method, status: answer.status, ms })
      return answer
    }
    const answer = respond(routed, routes, deps)
    return answer instanceof Promise ? answer.then(report) : report(answer)
  }

function respond(
  { call, params }: Routed,
  group: readonly Route[],
  deps: MountDeps,
): Promise<Answer> | Answer {
  const method = call.method === 'HEAD' ? 'GET' : call.method
  const route = group.find((item) => item.method === method)
  const representation = isDataPath(call.pathname)
    ? 'data'
    : (group[0]?.representation ?? 'negotiated')
  const finish = (answer: Answer) =>
    representation === 'negotiated'
      ? { ...answer, headers: [...answer.headers, 'Vary', 'Accept'] }
      : answer
  const fail = async (error: unknown) =>
    finish(await errorAnswer(error, call, representation, deps))
  try {
    if (group.length === 0) throw new Problem('not_found', 'there is nothing at this address')
    if (!route) throw methodNotAllowed(group)
    if (params) call.params = decoded(params)
    const answer = route.handle(call)
    return answer instanceof Promise ? answer.then(finish, fail) : finish(answer)
  } catch (error) {
    return fail(error)
  }
}

function methodNotAllowed(group: readonly Route[]): Problem {
  const allow = group
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    .join(', ')
  const message =
    allow === 'GET, HEAD'
      ? 'this address can be read, not written to'
      : `this address answers ${allow} only`
  return new Problem('method_not_allowed', message, { allow })
}

function decoded(params: Record<string, string>): Record<string, string> {
  try {
    return Object.fromEntries(
      Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]),
    )
  } catch {
    throw new Problem('invalid_request', 'the address is not valid UTF-8')
  }
}

/** Turns any exception into a response; details that clients do not need go to the log only. */
async function errorAnswer(
  error: unknown,
  call: Call,
  representation: Route['representation'],
  deps: MountDeps,
): Promise<Answer> {
  const problem = asProblem(error, call, deps.log)
  const { status, code, message, headers } = problem
  const isPage =
    representation === 'page' || (representation === 'negotiated' && !prefersJson(call))
  return {
    status,
    headers: [
      ...textHeaders(isPage ? 'html' : 'json', 'no-store'),
      ...Object.entries(headers).flat(),
    ],
    body: isPage ? await deps.errorPage(problem) : stringifyJson(envelope(code, message)),
  }
}

function asProblem(error: unknown, call: Call, log: Logger): Problem {
  if (error instanceof Problem) return error
  if (isUnavailable(error)) {
    log.error({ err: error }, 'the database is unavailable')
    return new Problem('storage_unavailable', 'the database cannot answer now', {
      'retry-after': STORAGE_RETRY_S,
    })
  }
  if (call.isAbandoned) return new Problem('invalid_request', 'the client closed the connection')
  log.error({ err: error, method: call.method }, 'unexpected error')
  return new Problem('internal_error', 'an unexpected error occurred; it has been logged')
}
