// Attaches handlers to a feature's declared endpoints: each gets exactly one, which the types see to.
import type { Endpoint } from '../wire/endpoint.ts'
import type { Answer } from './answer.ts'
import type { Call } from './call.ts'
import type { Route } from './mount.ts'

/** Answers a call of the endpoint that it is attached to, by the cache policy declared there. */
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
