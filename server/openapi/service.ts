// The pages and documents that describe the service itself, in the OpenAPI document.
import { z } from 'zod'
import { ifNoneMatch, NOT_MODIFIED, type OperationDescription } from './operation.ts'

const OpenApiDocument = z
  .looseObject({ openapi: z.string(), info: z.looseObject({}), paths: z.looseObject({}) })
  .meta({ id: 'OpenApiDocument' })

const availability = z.enum(['ok', 'unavailable'])

const Health = z
  .strictObject({ status: z.literal('ok'), database: availability, archive: availability })
  .meta({ id: 'Health' })

const document = (description: string, type: string, schema: z.ZodType | null = null) => ({
  200: {
    description,
    headers: ['ETag', 'Cache-Control'] as const,
    content: { [type]: schema },
  },
  304: NOT_MODIFIED,
})

const HEALTH_ANSWERS = {
  200: {
    description: 'The database can be read.',
    headers: ['Cache-Control'] as const,
    content: { 'application/json': Health },
  },
}

export const SERVICE_OPERATIONS: readonly OperationDescription[] = [
  {
    id: 'showHome',
    method: 'get',
    path: '/',
    tag: 'Service',
    summary: 'What the service is, for people',
    parameters: [ifNoneMatch],
    answers: document('The page.', 'text/html'),
    errors: ['invalid_request', 'storage_unavailable', 'internal_error'],
    errorPages: 'always',
  },
  {
    id: 'readGuide',
    method: 'get',
    path: '/llms.txt',
    tag: 'Service',
    summary: 'How to use the whole service, for programs',
    parameters: [ifNoneMatch],
    answers: document('Markdown, with examples of every request and answer.', 'text/plain'),
    errors: ['invalid_request', 'internal_error'],
  },
  {
    id: 'readOpenApi',
    method: 'get',
    path: '/openapi.json',
    tag: 'Service',
    summary: 'This document',
    parameters: [ifNoneMatch],
    answers: document('OpenAPI 3.1.', 'application/json', OpenApiDocument),
    errors: ['invalid_request', 'internal_error'],
  },
  {
    id: 'readHealth',
    method: 'get',
    path: '/healthz',
    tag: 'Service',
    summary: 'Whether the database and the archive can be read',
    answers: HEALTH_ANSWERS,
    errors: ['invalid_request', 'storage_unavailable', 'internal_error'],
  },
  {
    id: 'readReadiness',
    method: 'get',
    path: '/readyz',
    tag: 'Service',
    summary: 'The same, and whether the service takes requests: not while it stops',
    answers: HEALTH_ANSWERS,
    errors: ['invalid_request', 'storage_unavailable', 'overloaded', 'internal_error'],
  },
]
