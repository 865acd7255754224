// Handles GET /openapi.json, and GET /api, which shows the same as a page; what writes them is loaded with the first.
import { stringifyJson } from '../../archive/base/json.ts'
import { TEXT_TYPES } from '../http/answer.ts'
import { attach, type Route } from '../http/mount.ts'
import { loadedOnce, renderedOnce } from '../http/static.ts'
import { OPENAPI } from './api.ts'

interface OpenApiDeps {
  /** BASE_URL, if it is set; no trailing slash. */
  baseUrl: string | undefined
  /** `isClosed` is true while no message can be published. */
  modes: { isClosed(): Promise<boolean> }
}

export const openApiRoutes = ({ baseUrl, modes }: OpenApiDeps): Route[] =>
  attach(OPENAPI, {
    showOperations: renderedOnce(
      async (site) => {
        const { componentSchemas, ENDPOINTS, TAGS } = await import('./document.ts')
        const { endpointsPage } = await import('../pages/guide/endpoints.ts')
        return endpointsPage(ENDPOINTS, TAGS, componentSchemas(), site)
      },
      () => modes.isClosed(),
    ),
    readOpenApi: loadedOnce({
      contentType: TEXT_TYPES.json,
      load: async () => {
        const { openApiDocument } = await import('./document.ts')
        return stringifyJson(openApiDocument(baseUrl ?? '/'))
      },
      cache: OPENAPI.readOpenApi.cache,
    }),
  })
