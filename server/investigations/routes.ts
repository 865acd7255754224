// Handles the endpoints of investigations that api.ts declares.
import type { IncrementalCounts } from '../board/incremental-counts.ts'
import { visibleMessage } from '../board/queries.ts'
import { answerJson, answerText } from '../http/answer.ts'
import { prefersJson } from '../http/call.ts'
import { attach, type Handler, type Route } from '../http/mount.ts'
import { create, publishingContext, type WriteDeps } from '../publishing/create.ts'
import { hostOf } from '../wire/mentions.ts'
import type { PageRequest } from '../wire/page.ts'
import { orNearest, Problem } from '../wire/problem.ts'
import { idGiven, one, readAfter, readBefore, readId, readLimit } from '../wire/query.ts'
import type { Activities } from './activity.ts'
import { INVESTIGATIONS } from './api.ts'
import { contributionCreation, investigationCreation } from './creations.ts'
import {
  investigationJson,
  listInvestigations,
  nearestInvestigations,
  readInvestigation,
} from './queries.ts'
import {
  ENTRIES_SHOWN,
  INVESTIGATIONS_SHOWN,
  type InvestigationPages,
  investigationContent,
  type ListRequest,
  listContent,
  referenceGiven,
} from './views.ts'

export interface InvestigationDeps extends WriteDeps {
  activity: IncrementalCounts<Activities>
}

export function investigationRoutes(deps: InvestigationDeps, pages: InvestigationPages): Route[] {
  const { database } = deps
  const list: Handler = async (call, { cache }) =>
    answerJson(call, await listInvestigations(database.db, readPageRequest(call.query)), cache)
  const detail: Handler = async (call, { cache }) => {
    const id = readId(call.params.id)
    const request = readPageRequest(call.query)
    const found = await readInvestigation(database.db, id, request)
    return answerText(call, 'json', investigationJson(found), cache)
  }
  const listPage = pageOfList(deps, pages)
  const detailPage = pageOfDetail(deps, pages)
  return attach(INVESTIGATIONS, {
    createInvestigation: (call) => create(deps, call, investigationCreation),
    createContribution: (call) => create(deps, call, contributionCreation),
    listInvestigations: list,
    showInvestigations: (call, route) => (prefersJson(call) ? list : listPage)(call, route),
    getInvestigation: detail,
    showInvestigation: (call, route) => (prefersJson(call) ? detail : detailPage)(call, route),
    readInvestigation: detail,
  })
}

const pageOfList =
  (deps: InvestigationDeps, pages: InvestigationPages): Handler =>
  async (call, { cache }) => {
    const { query } = call
    const { db } = deps.database
    const context = await publishingContext(deps, call, 'investigations')
    const request = readListRequest(query)
    const content = await listContent(db, await deps.activity.completeOrNull(), request)
    const about = await visibleMessage(db, idGiven(query, 'about'))
    const now = deps.clock.now()
    const text = pages.investigations({ ...content, ...request, about, now, ...context })
    return { ...answerText(call, 'html', text, cache), mayConnect: context.closed === null }
  }

const pageOfDetail =
  ({ activity, ...deps }: InvestigationDeps, pages: InvestigationPages): Handler =>
  async (call, { cache }) => {
    const id = readId(call.params.id)
    const activities = await activity.completeOrNull()
    const context = await publishingContext(deps, call, 'investigations')
    const request = readPageRequest(call.query, ENTRIES_SHOWN)
    const read = deps.database.read(async (tx) => ({
      ...(await investigationContent(tx, id, request, hostOf(context.baseUrl))),
      activity: activities?.get(id),
      refers_to: await referenceGiven(tx, call.query),
    }))
    const content = await orNearest(read, () => nearestInvestigations(deps.database.db, id))
    const answer = answerText(call, 'html', pages.investigation({ ...content, ...context }), cache)
    return { ...answer, mayConnect: context.closed === null }
  }

const readPageRequest = (query: URLSearchParams, defaultLimit?: number): PageRequest<bigint> => ({
  after: readAfter(query),
  limit: readLimit(query, defaultLimit),
})

/** The newest activity comes first, except with `?after=`, which has the order of the JSON and no filters. */
function readListRequest(query: URLSearchParams): ListRequest {
  const limit = readLimit(query, INVESTIGATIONS_SHOWN)
  const before = readBefore(query)
  const withResult = hasFilter(query, 'with', 'result')
  const withoutReview = hasFilter(query, 'without', 'review')
  if (!query.has('after')) return { after: undefined, before, limit, withResult, withoutReview }
  if (before !== undefined || withResult || withoutReview)
    throw new Problem('invalid_request', 'after: must not be combined with before, with or without')
  return { after: readAfter(query), before, limit, withResult, withoutReview }
}

/** Whether a filter is set. @throws Problem if it has any other value */
function hasFilter(query: URLSearchParams, name: string, value: string): boolean {
  const text = one(query, name, 'invalid_request')
  if (text !== undefined && text !== value)
    throw new Problem('invalid_request', `${name}: must be ${value}`)
  return text !== undefined
}
