// Handles GET /openapi.json, and GET /api, which shows the same as a page.
import { stringifyJson } from '../../archive/base/json.ts'
import { answerText } from '../http/answer.ts'
import { attach } from '../http/attach.ts'
import type { Route } from '../http/mount.ts'
import type { Endpoint, Tag } from '../wire/endpoint.ts'
import { OPENAPI } from './api.ts'
import { componentSchemas, ENDPOINTS, openApiDocument, TAGS } from './document.ts'

/** Renders the HTML of /api; server/pages implements it. */
export type OperationsPage = (
  endpoints: readonly Endpoint[],
  tags: readonly { name: Tag; description: string }[],
  /** JSON Schema, by name. */
  schemas: Record<string, object>,
  /** True while no message can be published. */
  isClosed: boolean,
) => string

interface OpenApiDeps {
  /** BASE_URL, if it is set; no trailing slash. */
  baseUrl: string | undefined
  /** `isClosed` is true while no message can be published. */
  modes: { isClosed(): Promise<boolean> }
}

export function openApiRoutes(
  { baseUrl, modes }: OpenApiDeps,
  operationsPage: OperationsPage,
): Route[] {
  let text: string | undefined
  const pages = new Map<boolean, string>()
  return attach(OPENAPI, {
    showOperations: async (call, { cache }) => {
      const closed = await modes.isClosed()
      const page = pages.get(closed) ?? operationsPage(ENDPOINTS, TAGS, componentSchemas(), closed)
      pages.set(closed, page)
      return answerText(call, 'html', page, cache)
    },
    readOpenApi: (call, { cache }) => {
      text ??= stringifyJson(openApiDocument(baseUrl ?? '/'))
      return answerText(call, 'json', text, cache)
    },
  })
}
