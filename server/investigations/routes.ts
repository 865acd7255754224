// Investigations over HTTP: handlers of the endpoints that api.ts declares.
import { answerJson, answerText } from '../http/answer.ts'
import { attach, type Handler } from '../http/attach.ts'
import type { Call } from '../http/call.ts'
import type { Route } from '../http/mount.ts'
import { prefersJson } from '../http/negotiate.ts'
import { closedTo, create, type WriteDeps } from '../publishing/create.ts'
import { readAfter, readId, readLimit } from '../wire/query.ts'
import { INVESTIGATIONS, type InvestigationDetail, type InvestigationPage } from './api.ts'
import { contributionCreation, investigationCreation } from './creations.ts'
import { listInvestigations, readInvestigation } from './queries.ts'

/** The HTML of the shared paths; server/pages provides it. */
export interface InvestigationPages {
  /** @param closed why no question can be asked now, as a sentence; null when one can */
  investigations(page: InvestigationPage, closed: string | null): string
  /** @param closed why nothing can be contributed now, as a sentence; null when it can */
  investigation(detail: InvestigationDetail, closed: string | null): string
}

export function investigationRoutes(deps: WriteDeps, pages: InvestigationPages): Route[] {
  const { store } = deps
  const list = ({ query }: Call) =>
    listInvestigations(store.db, { after: readAfter(query), limit: readLimit(query) })
  const detail = ({ params, query }: Call) => {
    const id = readId(params.id)
    const asked = { after: readAfter(query), limit: readLimit(query) }
    return store.read((tx) => readInvestigation(tx, id, asked))
  }
  const asJson =
    (load: (call: Call) => Promise<unknown>): Handler =>
    async (call, { cache }) =>
      answerJson(call, await load(call), cache)
  const asEither =
    <T>(
      load: (call: Call) => Promise<T>,
      page: (value: T, closed: string | null) => string,
    ): Handler =>
    async (call, { cache }) => {
      const value = await load(call)
      if (prefersJson(call)) return answerJson(call, value, cache)
      const closed = await closedTo(deps, store.db, 'investigations')
      return answerText(call, 'html', page(value, closed), cache)
    }
  return attach(INVESTIGATIONS, {
    createInvestigation: (call) => create(deps, call, investigationCreation),
    createContribution: (call) => create(deps, call, contributionCreation),
    listInvestigations: asJson(list),
    showInvestigations: asEither(list, pages.investigations),
    getInvestigation: asJson(detail),
    showInvestigation: asEither(detail, pages.investigation),
    readInvestigation: asJson(detail),
  })
}
