// GET /openapi.json.
import { answerText } from '../http/answer.ts'
import { attach } from '../http/attach.ts'
import type { Route } from '../http/mount.ts'
import { stringifyJson } from '../wire/json.ts'
import { OPENAPI } from './api.ts'
import { openApiDocument } from './document.ts'

/** @param baseUrl of the service, where it is configured */
export function openApiRoutes(baseUrl: string | undefined): Route[] {
  let text: string | undefined
  return attach(OPENAPI, {
    readOpenApi: (call, { cache }) => {
      text ??= stringifyJson(openApiDocument(baseUrl ?? '/'))
      return answerText(call, 'json', text, cache)
    },
  })
}
