// Builds the OpenAPI 3.1 document from the features' declarations and the schemas that validate requests.
import { z } from 'zod'
import { stringifyJson } from '../../archive/base/json.ts'
import { VERSION } from '../../archive/base/version.ts'
import { MAX_ID } from '../../archive/format/scalars.ts'
import { BOARD } from '../board/api.ts'
import { HEALTH } from '../health/api.ts'
import { INVESTIGATIONS } from '../investigations/api.ts'
import { MODERATION, MODERATION_URL } from '../moderation/api.ts'
import { SIGNAL_PAGES, SITE } from '../pages/api.ts'
import { REVIEWS } from '../reviews/api.ts'
import { SEARCH } from '../search/api.ts'
import { TRANSMISSIONS } from '../transmissions/api.ts'
import { type AnswerDescription, type Endpoint, pathTemplate, type Tag } from '../wire/endpoint.ts'
import { HEADERS, type HeaderName, headerObjects } from '../wire/headers.ts'
import { ERROR_STATUS, type ErrorCode } from '../wire/problem.ts'
import { OPENAPI } from './api.ts'

/** A JSON object of the document. Integers beyond 2^53 are bigints. */
export type Json = Record<string, unknown>

/** Every endpoint of the service except static files. */
export const ENDPOINTS: readonly Endpoint[] = [
  BOARD,
  SEARCH,
  INVESTIGATIONS,
  REVIEWS,
  MODERATION,
  TRANSMISSIONS,
  SIGNAL_PAGES,
  SITE,
  OPENAPI,
  HEALTH,
].flatMap((feature) => Object.values<Endpoint>(feature))

export const TAGS: readonly { name: Tag; description: string }[] = [
  { name: 'Board', description: 'Directories and messages.' },
  { name: 'Investigations', description: 'Questions, contributions and operator reviews.' },
  { name: 'Transmissions', description: 'The read-only archive of finished days.' },
  { name: 'Service', description: 'The service itself.' },
]

const INTRODUCTION = `A public board for plain text, investigations on it, and an archive in which every finished UTC day is an audible, verifiable transmission. No account and no key; /llms.txt explains the whole service on one page.

Every GET path also answers HEAD: the same status and headers, no body. Another method answers 405 with Allow. Input that cannot be parsed as a request answers 400, 408, 417, 431 or 501 with the same error envelope. Ids and cursors are 64-bit integers, which may exceed 2^53.`

/** @param server the base URL of the service, or `/` for the host that serves the document */
export function openApiDocument(server: string): Json {
  const paths = pathItems()
  const responses = Object.fromEntries(
    ENDPOINTS.flatMap(errorResponses).map(({ name, response }) => [name, response]),
  )
  const referring = stringifyJson({ paths, responses })
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: {
      title: 'Daysignal',
      version: VERSION,
      description: INTRODUCTION,
      // OpenAPI 3.1 wants an absolute address here, which only a service with an origin of its own has.
      contact: {
        name: 'The operator',
        ...(server === '/' ? {} : { url: `${server}${MODERATION_URL}` }),
      },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: server }],
    security: [],
    tags: TAGS,
    paths,
    components: {
      schemas: componentSchemas(),
      // A header field that no response always has is described where it is.
      headers: Object.fromEntries(
        Object.entries(HEADERS).filter(([name]) => referring.includes(`/headers/${name}"`)),
      ),
      responses,
    },
  }
}

function pathItems(): Json {
  const byPath = Map.groupBy(ENDPOINTS, (endpoint) => pathTemplate(endpoint.path))
  return Object.fromEntries(
    [...byPath].map(([path, group]) => [path, Object.assign({}, ...group.map(operationsOf))]),
  )
}

/** An operation by its method; one that reads also by HEAD. */
function operationsOf(endpoint: Endpoint): Json {
  const operation = operationObject(endpoint)
  if (endpoint.method === 'POST') return { post: operation }
  const { id, summary } = endpoint
  const head = { operationId: `${id}Head`, summary: `${summary} (the headers only)` }
  return { get: operation, head: { ...operation, ...head } }
}

function operationObject(endpoint: Endpoint): Json {
  const { id, tag, summary, description, parameters, request, answers } = endpoint
  const successes = Object.entries(answers).map(([status, answer]) => [
    status,
    answerObject(answer),
  ])
  const failures = errorResponses(endpoint).map(({ status, name }) => [
    status,
    { $ref: `#/components/responses/${name}` },
  ])
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description && { description }),
    ...(parameters.length > 0 && { parameters }),
    ...(request && {
      requestBody: { required: true, content: { 'application/json': { schema: refTo(request) } } },
    }),
    responses: Object.fromEntries([...successes, ...failures]),
  }
}

function answerObject(answer: AnswerDescription): Json {
  const { description, headers, optionalHeaders = [], content = {} } = answer
  const media = Object.entries(content).map(([type, schema]) => [
    type,
    schema ? { schema: refTo(schema) } : {},
  ])
  return {
    description,
    headers: headerObjects(headers, optionalHeaders),
    ...(media.length > 0 && { content: Object.fromEntries(media) }),
  }
}

function refTo(schema: z.ZodType): Json {
  const { id } = z.globalRegistry.get(schema) ?? {}
  if (id === undefined) throw new Error('the schema of a request or response has no id')
  return { $ref: `#/components/schemas/${id}` }
}

/** Returns every schema with an id, as JSON Schema of the serialized JSON. */
export function componentSchemas(): Record<string, object> {
  const { schemas } = z.toJSONSchema(z.globalRegistry, {
    io: 'input',
    target: 'draft-2020-12',
    uri: (id) => `#/components/schemas/${id}`,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // parseJson turns integers into bigints, which JSON Schema cannot represent.
      if (zodSchema._zod.def.type === 'bigint')
        Object.assign(jsonSchema, { type: 'integer', format: 'int64' })
      // zod leaves out that a tuple has no further items. Linters take `items: false` for missing items.
      const length = jsonSchema.prefixItems?.length
      if (length) Object.assign(jsonSchema, { items: {}, minItems: length, maxItems: length })
      // A generator of typed clients makes a property with a default required.
      delete jsonSchema.default
    },
  })
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema, $id, ...schema }]) => [
      name,
      // Added here because zod copies its result as JSON, which has no bigint.
      schema.format === 'int64' ? { ...schema, maximum: MAX_ID } : schema,
    ]),
  )
}

const ERROR_HEADERS: Record<number, { always?: HeaderName[]; sometimes?: HeaderName[] }> = {
  405: { always: ['Allow'] },
  416: { always: ['Content-Range'] },
  429: { always: ['Retry-After', 'RateLimit', 'RateLimit-Policy'] },
  503: { sometimes: ['Retry-After'] },
}

const DESCRIPTIONS: Record<number, string> = {
  400: 'The request breaks a rule that the message names.',
  404: 'Missing or hidden.',
  405: 'This address does not have the method.',
  409: 'Conflicts with an existing record or key.',
  412: 'If-Match names another version.',
  413: 'Larger than the limit.',
  415: 'Not application/json in UTF-8 without content coding.',
  416: 'The range lies outside the file.',
  429: 'A rate limit or the shared publication quota is used up until its window ends.',
  500: 'Unexpected. No internal details.',
  501: 'The body has a transfer coding other than chunked.',
  503: 'Read-only, switched off, overloaded, or the storage cannot answer.',
}

const codes = Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]

const ENVELOPE_ID = 'Error'

/** The error envelope of the specification, registered under the id by which responses refer to it. */
z.strictObject({ error: z.strictObject({ code: z.enum(codes), message: z.string().min(1) }) }).meta(
  { id: ENVELOPE_ID, description: 'The message names the field and the rule.' },
)

/** The responses to errors, which several endpoints share, each with the name by which they refer to it. */
function errorResponses({ errors, representation }: Endpoint) {
  const byStatus = Map.groupBy(
    new Set<ErrorCode>([...errors, 'method_not_allowed']),
    (code) => ERROR_STATUS[code],
  )
  return [...byStatus].map(([status, all]) => {
    const sorted = all.toSorted()
    const kind = representation === 'data' ? [] : [representation]
    const { always = [], sometimes = [] } = ERROR_HEADERS[status] ?? {}
    const vary: HeaderName[] = representation === 'negotiated' ? ['Vary'] : []
    return {
      name: [...sorted, ...kind].join('.'),
      status,
      response: {
        description: `${DESCRIPTIONS[status]} Codes: ${sorted.join(', ')}.`,
        headers: headerObjects(['Cache-Control', ...vary, ...always], sometimes),
        content: {
          ...(representation !== 'page' && {
            'application/json': { schema: envelopeOf(sorted) },
          }),
          ...(representation !== 'data' && { 'text/html': {} }),
        },
      },
    }
  })
}

const envelopeOf = (allowed: ErrorCode[]) => ({
  allOf: [{ $ref: `#/components/schemas/${ENVELOPE_ID}` }],
  properties: { error: { properties: { code: { enum: allowed } } } },
})
