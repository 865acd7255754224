// GET /openapi.json, and GET /api, which shows the same to people.
import { answerText } from '../http/answer.ts'
import { attach } from '../http/attach.ts'
import type { Route } from '../http/mount.ts'
import type { Endpoint, Tag } from '../wire/endpoint.ts'
import { stringifyJson } from '../wire/json.ts'
import { OPENAPI } from './api.ts'
import { ENDPOINTS, openApiDocument, TAGS } from './document.ts'

/** The HTML of /api; server/pages provides it. */
export type OperationsPage = (
  endpoints: readonly Endpoint[],
  tags: readonly { name: Tag; description: string }[],
) => string

/** @param baseUrl of the service, where it is configured */
export function openApiRoutes(
  baseUrl: string | undefined,
  operationsPage: OperationsPage,
): Route[] {
  let text: string | undefined
  let page: string | undefined
  return attach(OPENAPI, {
    showOperations: (call, { cache }) => {
      page ??= operationsPage(ENDPOINTS, TAGS)
      return answerText(call, 'html', page, cache)
    },
    readOpenApi: (call, { cache }) => {
      text ??= stringifyJson(openApiDocument(baseUrl ?? '/'))
      return answerText(call, 'json', text, cache)
    },
  })
}
