// Handles GET /openapi.json, and GET /api, which shows the same as a page.
import { stringifyJson } from '../../archive/base/json.ts'
import { TEXT_TYPES } from '../http/answer.ts'
import { attach, type Route } from '../http/mount.ts'
import { loadedOnce, renderedOnce } from '../http/static.ts'
import type { Endpoint, Tag } from '../wire/endpoint.ts'
import { OPENAPI } from './api.ts'
import { componentSchemas, ENDPOINTS, openApiDocument, TAGS } from './document.ts'

/** Renders the HTML of /api; server/pages implements it. */
export type OperationsPage = (
  endpoints: readonly Endpoint[],
  tags: readonly { name: Tag; description: string }[],
  /** JSON Schema, by name. */
  schemas: Record<string, object>,
  site: { isClosed: boolean },
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
  return attach(OPENAPI, {
    showOperations: renderedOnce(
      (site) => operationsPage(ENDPOINTS, TAGS, componentSchemas(), site),
      () => modes.isClosed(),
    ),
    readOpenApi: loadedOnce({
      contentType: TEXT_TYPES.json,
      load: () => stringifyJson(openApiDocument(baseUrl ?? '/')),
      cache: OPENAPI.readOpenApi.cache,
    }),
  })
}
