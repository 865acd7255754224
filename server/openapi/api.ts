// Declares the endpoints of the OpenAPI document and of the page that shows it.
import { z } from 'zod'
import { OPERATIONS_URL } from '../pages/api.ts'
import { endpoints, fixed } from '../wire/endpoint.ts'

const OpenApiDocument = z
  .looseObject({ openapi: z.string(), info: z.looseObject({}), paths: z.looseObject({}) })
  .meta({ id: 'OpenApiDocument' })

export const OPENAPI = endpoints('Service', {
  showOperations: fixed({
    path: OPERATIONS_URL,
    summary: 'Every endpoint of the service, as a page',
    description: 'From `/openapi.json`, for people.',
  }),
  readOpenApi: fixed({
    path: '/openapi.json',
    summary: 'This document',
    description:
      'It describes every operation, parameter, header field, schema and error (API.md 2.6).',
    answer: { description: 'OpenAPI 3.1.', schema: OpenApiDocument },
  }),
})
