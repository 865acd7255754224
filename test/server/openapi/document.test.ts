// openapi.json: it is valid, has exactly the service's operations, and its schemas match the validation rules.
// Rules: API.md 1.10, 2.2, 2.5-2.6.
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { stringifyJson } from '../../../archive/base/json.ts'
import { openApiDocument } from '../../../server/openapi/document.ts'
import { ERROR_STATUS } from '../../../server/wire/problem.ts'
import { expectDocumented } from '../../support/openapi.ts'

type SpecData = Exclude<Parameters<Validator['validate']>[0], string>

interface Operation {
  operationId: string
  parameters?: { name: string; in: string }[]
  requestBody?: object
  responses: Record<string, { $ref?: string; headers?: object; content?: object }>
}
interface Document {
  openapi: string
  info: { version: string; contact: { url: string } }
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object>; responses: Record<string, { headers: object }> }
}

const text = stringifyJson(openApiDocument('https://board.example'))
const parsed = () => JSON.parse(text) as Document
const document = parsed()

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })),
)

describe('the document', () => {
  it('the document is valid OpenAPI 3.1 and has version 1.0.0', async () => {
    const { valid, errors } = await new Validator().validate(parsed() as object as SpecData)
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
    expect(document.openapi).toBe('3.1.0')
    expect(document.info.version).toBe('1.0.0')
    expect(document.servers).toEqual([{ url: 'https://board.example' }])
    expect(document.info.contact.url).toBe('https://board.example/moderation')
    expect(openApiDocument('/').info).not.toHaveProperty('contact.url')
  })

  it('every component is used, every array has items, and every operation and parameter a description', () => {
    const kinds = Object.entries(document.components) as [string, object][]
    const unused = kinds
      .flatMap(([kind, named]) => Object.keys(named).map((name) => `${kind}/${name}`))
      .filter((name) => !text.includes(`"#/components/${name}"`))
    expect(unused).toEqual([])
    const arrays = [...text.matchAll(/\{[^{}]*"type": ?"array"[^{}]*/g)].map(([found]) => found)
    expect(arrays.filter((found) => !/"(items|prefixItems)"/.test(found))).toEqual([])
    expect(document.components.schemas.ModerationAction).toMatchObject({
      properties: { ranges: { anyOf: [{ items: { items: {}, maxItems: 2 } }, {}] } },
    })
    for (const operation of operations) expect(operation).toHaveProperty('description')
    for (const { parameters = [] } of operations)
      for (const parameter of parameters) expect(parameter).toHaveProperty('description')
  })

  it('every GET has a HEAD with the same responses', () => {
    for (const item of Object.values(document.paths))
      if (item.get) expect(item.head?.responses).toEqual(item.get.responses)
  })

  it('every path parameter is named', () => {
    for (const { path, parameters = [] } of operations) {
      const inPath = parameters.filter((item) => item.in === 'path').map((item) => item.name)
      expect(inPath).toEqual([...path.matchAll(/\{([a-z]+)\}/g)].map(([, name]) => name))
    }
  })

  it('every code of the error table is in some response', () => {
    const used = new Set(
      Object.keys(document.components.responses).flatMap((key) => key.split('.')),
    )
    const missing = Object.keys(ERROR_STATUS).filter((code) => !used.has(code))
    expect(missing).toEqual([])
  })

  it('every 64-bit integer has its exact maximum', () => {
    const schemas = text.match(/\{[^{}]*"format":"int64"[^{}]*\}/g) ?? []
    expect(schemas.length).toBeGreaterThan(2)
    for (const schema of schemas) expect(schema).toContain('"maximum":9223372036854775807')
    expect(text).not.toMatch(/922337203685477[0-9]{4}(?<!5807)/)
  })
})

describe('request schemas', () => {
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  ajv.addSchema(document, 'https://board.example/openapi.json')
  const accepts = (name: string, value: unknown) =>
    ajv.validate(
      { $ref: `https://board.example/openapi.json#/components/schemas/${name}` },
      value,
    ) as boolean
  const link = (relation: string) => ({ message_id: 7, relation })
  const contribution = { kind: 'observation', body: 'seen' }

  it('the schemas reject unknown properties and wrong types', () => {
    expect(accepts('DirectoryRequest', { path: 'a', more: 1 })).toBe(false)
    expect(accepts('MessageRequest', { directory: 'a', body: 1 })).toBe(false)
    expect(accepts('ContributionRequest', { ...contribution, kind: 'question' })).toBe(false)
    expect(
      accepts('ContributionRequest', {
        ...contribution,
        links: [{ message_id: '7', relation: 'extends' }],
      }),
    ).toBe(false)
  })

  it('a correction and a reuse need their links', () => {
    for (const [kind, relation, other] of [
      ['correction', 'corrects', 'supports'],
      ['reuse', 'reuses', 'corrects'],
    ] as const) {
      const request = { ...contribution, kind }
      expect(accepts('ContributionRequest', request)).toBe(false)
      expect(accepts('ContributionRequest', { ...request, links: [link(other)] })).toBe(false)
      const links = [link(other), link(relation)]
      expect(accepts('ContributionRequest', { ...request, links })).toBe(true)
    }
  })

  it('duplicate links and more than eight links are rejected', () => {
    const links = [link('extends'), link('extends')]
    expect(accepts('ContributionRequest', { ...contribution, links })).toBe(false)
    const many = Array.from({ length: 9 }, (_, i) => ({ message_id: i + 1, relation: 'extends' }))
    expect(accepts('ContributionRequest', { ...contribution, links: many })).toBe(false)
  })
})

describe('checking a response against the document', () => {
  const seen = (status: number, body: unknown, headers: Record<string, string> = {}) => ({
    status,
    text: body === undefined ? '' : JSON.stringify(body),
    headers: new Headers({
      'content-type': 'application/json',
      'cache-control': 'no-cache',
      etag: '"x"',
      ...headers,
    }),
  })
  const page = { messages: [], next_cursor: 0 }

  it('the check accepts a documented response', () => {
    expectDocumented('GET', '/api/v1/messages?after=0', seen(200, page))
  })

  it('the check rejects an extra property, a missing header, another status, type or code', () => {
    const check = (answer: ReturnType<typeof seen>) => () =>
      expectDocumented('GET', '/api/v1/messages?after=0', answer)
    expect(check(seen(200, page))).not.toThrow()
    expect(check(seen(200, { ...page, has_more: false }))).toThrow('additional properties')
    const bare = seen(200, page)
    bare.headers.delete('etag')
    expect(check(bare)).toThrow('ETag is missing')
    expect(check(seen(200, page, { link: '</>; rel="next"' }))).toThrow('link is not documented')
    expect(check(seen(201, page))).toThrow('is not documented')
    expect(check(seen(200, page, { 'content-type': 'text/html' }))).toThrow('text/html')
    const error = { error: { code: 'media_not_found', message: 'no' } }
    expect(check(seen(404, error))).toThrow()
  })

  it('the check rejects a body after HEAD, a success on an unknown path, a malformed error', () => {
    expect(() => expectDocumented('HEAD', '/api/v1/messages', seen(200, page))).toThrow(
      'has a body',
    )
    expect(() => expectDocumented('GET', '/api/v2/messages', seen(200, page))).toThrow()
    expect(() => expectDocumented('GET', '/nothing', seen(404, { error: 'no' }))).toThrow()
    expect(() => expectDocumented('DELETE', '/messages/1', seen(200, undefined))).toThrow()
  })
})
