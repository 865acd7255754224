// Attaches handlers to a feature's declared endpoints. The types require exactly one handler for each.
import type { Endpoint } from '../wire/endpoint.ts'
import type { Answer } from './answer.ts'
import type { Call } from './call.ts'
import type { Route } from './mount.ts'

/** Handles a call of its endpoint, which is passed for its cache policy. */
export type Handler = (call: Call, endpoint: Endpoint) => Promise<Answer> | Answer

/** @returns the routes, in the order of the declarations */
export function attach<Id extends string>(
  declared: Record<Id, Endpoint>,
  handlers: Record<NoInfer<Id>, Handler>,
): Route[] {
  return Object.values<Endpoint>(declared).map((endpoint) => {
    const handle = handlers[endpoint.id as Id]
    return { ...endpoint, handle: (call) => handle(call, endpoint) }
  })
}
