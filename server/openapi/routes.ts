// GET /openapi.json, and GET /api, which shows the same to people.
import { answerText } from '../http/answer.ts'
import { attach } from '../http/attach.ts'
import type { Route } from '../http/mount.ts'
import type { Endpoint, Tag } from '../wire/endpoint.ts'
import { stringifyJson } from '../wire/json.ts'
import { OPENAPI } from './api.ts'
import { componentSchemas, ENDPOINTS, openApiDocument, TAGS } from './document.ts'

/** The HTML of /api; server/pages provides it. */
export type OperationsPage = (
  endpoints: readonly Endpoint[],
  tags: readonly { name: Tag; description: string }[],
  /** JSON Schema, by name. */
  schemas: Record<string, object>,
  /** Whether no message can be published now. */
  isClosed: boolean,
) => string

interface OpenApiDeps {
  /** Of the service, where it is configured. */
  baseUrl: string | undefined
  /** Whether no message can be published now. */
  isClosed(): Promise<boolean>
}

export function openApiRoutes(
  { baseUrl, isClosed }: OpenApiDeps,
  operationsPage: OperationsPage,
): Route[] {
  let text: string | undefined
  const pages = new Map<boolean, string>()
  return attach(OPENAPI, {
    showOperations: async (call, { cache }) => {
      const closed = await isClosed()
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
