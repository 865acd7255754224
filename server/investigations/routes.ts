// Investigations over HTTP (specification, Endpoints; decisions.md 7).
import { answerJson, answerText } from '../http/answer.ts'
import type { Call } from '../http/call.ts'
import type { Route } from '../http/mount.ts'
import { prefersJson } from '../http/negotiate.ts'
import { type Creation, create, type WriteDeps } from '../publishing/create.ts'
import { MESSAGE_LIMITS } from '../publishing/limits.ts'
import type { Store } from '../store/database.ts'
import { readAfter, readId, readLimit } from '../wire/query.ts'
import { readShape } from '../wire/shape.ts'
import {
  contribute,
  createInvestigation,
  type InvestigationDetail,
  type InvestigationPage,
  listInvestigations,
  readInvestigation,
} from './queries.ts'
import {
  type ContributionRequest,
  contributionRequest,
  type InvestigationRequest,
  investigationRequest,
} from './rules.ts'

/** The HTML of the shared paths; server/pages provides it. */
export interface InvestigationPages {
  investigations(page: InvestigationPage): string
  investigation(detail: InvestigationDetail): string
}

export function investigationRoutes(deps: WriteDeps, pages: InvestigationPages): Route[] {
  return [
    ...writeRoutes(deps),
    ...listRoutes(deps.store, pages),
    ...detailRoutes(deps.store, pages),
  ]
}

function writeRoutes(deps: WriteDeps): Route[] {
  return [
    {
      method: 'POST',
      path: '/api/v1/investigations',
      representation: 'data',
      operation: 'createInvestigation',
      handle: (call) => create(deps, call, investigationCreation(deps)),
    },
    {
      method: 'POST',
      path: '/api/v1/investigations/:id/contributions',
      representation: 'data',
      operation: 'createContribution',
      handle: (call) => create(deps, call, contributionCreation(deps, call.params.id)),
    },
  ]
}

const investigationCreation = (deps: WriteDeps): Creation<InvestigationRequest> => ({
  operation: 'investigation',
  feature: 'investigations',
  limits: MESSAGE_LIMITS,
  read: (json) => readShape(investigationRequest, json),
  publish: async (tx, input, receivedAt) => {
    const record = await createInvestigation(tx, input, { receivedAt, publishAt: deps.now() })
    return { record, location: record.url }
  },
})

/** @param id of the investigation, as the address has it */
const contributionCreation = (
  deps: WriteDeps,
  id: string | undefined,
): Creation<{ investigation: bigint; contribution: ContributionRequest }> => ({
  operation: 'contribution',
  feature: 'investigations',
  limits: MESSAGE_LIMITS,
  read: (json) => ({
    investigation: readId(id),
    contribution: readShape(contributionRequest, json),
  }),
  publish: async (tx, { investigation, contribution }, receivedAt) => {
    const times = { receivedAt, publishAt: deps.now() }
    const record = await contribute(tx, investigation, contribution, times)
    return { record, location: record.url }
  },
})

function listRoutes(store: Store, pages: InvestigationPages): Route[] {
  const load = ({ query }: Call) => listInvestigations(store.db, readAfter(query), readLimit(query))
  return [
    {
      method: 'GET',
      path: '/api/v1/investigations',
      representation: 'data',
      operation: 'listInvestigations',
      handle: async (call) => answerJson(call, await load(call), 'no-store'),
    },
    {
      method: 'GET',
      path: '/investigations',
      representation: 'negotiated',
      operation: 'showInvestigations',
      handle: async (call) => {
        const page = await load(call)
        return prefersJson(call)
          ? answerJson(call, page, 'no-store')
          : answerText(call, 'html', pages.investigations(page), 'no-store')
      },
    },
  ]
}

function detailRoutes(store: Store, pages: InvestigationPages): Route[] {
  const load = ({ params, query }: Call) => {
    const [id, after, limit] = [readId(params.id), readAfter(query), readLimit(query)]
    return store.read((tx) => readInvestigation(tx, id, after, limit))
  }
  const readJson = async (call: Call) => answerJson(call, await load(call), 'no-store')
  return [
    {
      method: 'GET',
      path: '/api/v1/investigations/:id',
      representation: 'data',
      operation: 'getInvestigation',
      handle: readJson,
    },
    {
      method: 'GET',
      path: '/investigations/:id',
      representation: 'negotiated',
      operation: 'showInvestigation',
      handle: async (call) => {
        if (prefersJson(call)) return readJson(call)
        const detail = await load(call)
        return answerText(call, 'html', pages.investigation(detail), 'no-store')
      },
    },
    {
      method: 'GET',
      path: '/investigations/:id.json',
      representation: 'data',
      operation: 'readInvestigation',
      handle: readJson,
    },
  ]
}
