// Investigations over HTTP: handlers of the endpoints that api.ts declares.
import type { Transaction } from 'kysely'
import { suggestedDirectories } from '../board/queries.ts'
import { type References, referencesOf } from '../board/references.ts'
import { answerJson, answerText } from '../http/answer.ts'
import { attach, type Handler } from '../http/attach.ts'
import type { Call } from '../http/call.ts'
import type { Route } from '../http/mount.ts'
import { prefersJson } from '../http/negotiate.ts'
import {
  create,
  type PublishingPlace,
  publishingPlace,
  type WriteDeps,
} from '../publishing/create.ts'
import type { Schema } from '../store/schema.ts'
import type { PageRequest } from '../wire/page.ts'
import { readAfter, readId, readLimit } from '../wire/query.ts'
import { INVESTIGATIONS, type InvestigationDetail, type InvestigationPage } from './api.ts'
import { contributionCreation, investigationCreation } from './creations.ts'
import { listInvestigations, readInvestigation } from './queries.ts'

/** The HTML of the shared paths; server/pages provides it. */
export interface InvestigationPages {
  investigations(view: InvestigationsView): string
  investigation(view: InvestigationView): string
}

/** A page of all investigations. */
export interface InvestigationsView extends InvestigationPage, PublishingPlace {
  /** Paths of directories, for a new question to lie in. */
  suggested: string[]
}

export interface InvestigationView extends InvestigationDetail, PublishingPlace {
  /** Of the question and the entries on the page, those that have any. */
  references: Map<bigint, References>
}

export function investigationRoutes(deps: WriteDeps, pages: InvestigationPages): Route[] {
  const { store } = deps
  const asJson =
    (load: (call: Call) => Promise<unknown>): Handler =>
    async (call, { cache }) =>
      answerJson(call, await load(call), cache)
  const list = ({ query }: Call) => listInvestigations(store.db, pageAsked(query))
  const detail = ({ params, query }: Call) => {
    const id = readId(params.id)
    return store.read((tx) => readInvestigation(tx, id, pageAsked(query)))
  }
  return attach(INVESTIGATIONS, {
    createInvestigation: (call) => create(deps, call, investigationCreation),
    createContribution: (call) => create(deps, call, contributionCreation),
    listInvestigations: asJson(list),
    showInvestigations: async (call, { cache }) => {
      const page = await list(call)
      if (prefersJson(call)) return answerJson(call, page, cache)
      const place = await publishingPlace(deps, call, store.db, 'investigations')
      const suggested = await suggestedDirectories(store.db)
      const text = pages.investigations({ ...page, ...place, suggested })
      return { ...answerText(call, 'html', text, cache), hasForm: place.closed === null }
    },
    getInvestigation: asJson(detail),
    showInvestigation: async (call, { cache }) => {
      if (prefersJson(call)) return answerJson(call, await detail(call), cache)
      const id = readId(call.params.id)
      const view = await store.read((tx) => viewOf(tx, deps, call, id))
      const answer = answerText(call, 'html', pages.investigation(view), cache)
      return { ...answer, hasForm: view.closed === null }
    },
    readInvestigation: asJson(detail),
  })
}

const pageAsked = (query: URLSearchParams): PageRequest<bigint> => ({
  after: readAfter(query),
  limit: readLimit(query),
})

async function viewOf(
  tx: Transaction<Schema>,
  deps: WriteDeps,
  call: Call,
  id: bigint,
): Promise<InvestigationView> {
  const detail = await readInvestigation(tx, id, pageAsked(call.query))
  const shown = [detail.investigation, ...detail.entries].map(({ message_id }) => message_id)
  return {
    ...detail,
    references: await referencesOf(tx, shown),
    ...(await publishingPlace(deps, call, tx, 'investigations')),
  }
}
