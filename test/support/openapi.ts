// Checks real responses against the OpenAPI document that the service serves.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { stringifyJson } from '../../archive/base/json.ts'
import { openApiDocument } from '../../server/openapi/document.ts'

/** A response as a client received it. */
export interface SeenAnswer {
  status: number
  headers: Headers
  text: string
}

interface Response {
  headers?: Record<string, { $ref?: string; required?: boolean; schema?: { type: string } }>
  content?: Record<string, { schema?: object }>
}

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, Response & { $ref?: string }> }>>
  components: Record<string, Record<string, object>>
}

const document = JSON.parse(stringifyJson(openApiDocument('/'))) as Document

const ROOT = 'https://daysignal.example/openapi.json'
const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)
ajv.addSchema(document, ROOT)

/** Header fields that a response may have only if its documentation names them. */
const DOCUMENTED_ONLY = [
  'accept-ranges',
  'allow',
  'content-encoding',
  'content-range',
  'etag',
  'link',
  'location',
  'ratelimit',
  'ratelimit-policy',
  'repr-digest',
  'retry-after',
  'vary',
]

/** Statuses of the HTTP server itself, which belong to no operation. */
const EDGE = [400, 408, 417, 431, 501]

/** Files of the pages, which are not part of the interface. */
const FILES = /^\/(?:static|transmissions\/protocol)\//

/**
 * Checks a response against the document.
 * @param path with the query, as requested
 * @throws Error that states where the response and the document differ
 */
export function expectDocumented(method: string, path: string, answer: SeenAnswer): void {
  const pathname = path.split('?', 1)[0] as string
  const template = templateOf(pathname)
  const where = `${method} ${path} -> ${answer.status}`
  const operation = document.paths[template ?? '']?.[method.toLowerCase()]
  const response = operation?.responses[answer.status]
  if (template !== undefined && response !== undefined) {
    const pointer =
      response.$ref ??
      pointerTo('paths', template, method.toLowerCase(), 'responses', answer.status)
    expectResponse(where, answer, pointer, method === 'HEAD')
  } else if (template !== undefined || answer.status >= 400 || !FILES.test(pathname)) {
    const unknown = FILES.test(pathname) ? [404, 405] : [404]
    const statuses = template === undefined ? unknown : operation === undefined ? [405] : []
    expectError(where, answer, [...statuses, ...EDGE])
  }
}

function expectError(where: string, answer: SeenAnswer, statuses: number[]): void {
  if (!statuses.includes(answer.status)) throw new Error(`${where}: is not documented`)
  if (answer.text === '' || mediaType(answer) === 'text/html') return
  expectSchema(where, pointerTo('components', 'schemas', 'Error'), answer.text)
}

function expectResponse(where: string, answer: SeenAnswer, pointer: string, isHead: boolean): void {
  const { headers = {}, content } = at(pointer) as Response
  expectHeaders(where, answer.headers, headers)
  const type = mediaType(answer)
  if (isHead || content === undefined) {
    if (answer.text !== '') throw new Error(`${where}: has a body`)
    if (content === undefined || type === undefined) return
  }
  const medium = content[type ?? '']
  if (!medium) throw new Error(`${where}: ${type} is not documented`)
  if (medium.schema && !isHead)
    expectSchema(where, `${pointer}/content/${escaped(type ?? '')}/schema`, answer.text)
}

function expectHeaders(
  where: string,
  headers: Headers,
  documented: NonNullable<Response['headers']>,
): void {
  const names = Object.keys(documented).map((name) => name.toLowerCase())
  const surplus = DOCUMENTED_ONLY.find((name) => headers.has(name) && !names.includes(name))
  if (surplus) throw new Error(`${where}: ${surplus} is not documented`)
  for (const [name, given] of Object.entries(documented)) {
    const header = (given.$ref ? at(given.$ref) : given) as typeof given
    const value = headers.get(name)
    if (value === null && header.required) throw new Error(`${where}: ${name} is missing`)
    if (value === null || !header.schema) continue
    const typed = header.schema.type === 'integer' ? Number(value) : value
    if (!ajv.validate(header.schema, typed))
      throw new Error(`${where}: ${name}: ${value}: ${ajv.errorsText()}`)
  }
}

const validators = new Map<string, ValidateFunction>()

function expectSchema(where: string, pointer: string, text: string): void {
  const validate = validators.get(pointer) ?? ajv.compile({ $ref: `${ROOT}${encodeURI(pointer)}` })
  validators.set(pointer, validate)
  if (!validate(JSON.parse(text)))
    throw new Error(`${where}: ${ajv.errorsText(validate.errors, { dataVar: 'body' })}: ${text}`)
  const order = otherOrder(JSON.parse(text), at(pointer) as Schema)
  if (order) throw new Error(`${where}: the properties are in another order: ${order}`)
}

interface Schema {
  $ref?: string
  items?: Schema
  anyOf?: Schema[]
  properties?: Record<string, Schema>
}

/** Returns the properties of the first object that has them in another order than its schema. */
function otherOrder(value: unknown, schema: Schema | undefined): string | undefined {
  if (schema?.$ref) return otherOrder(value, at(schema.$ref) as Schema)
  if (typeof value !== 'object' || value === null || schema === undefined) return undefined
  const objects = schema.anyOf?.filter(({ $ref, properties }) => $ref || properties)
  if (objects) return objects.length === 1 ? otherOrder(value, objects[0]) : undefined
  if (Array.isArray(value)) return value.map((one) => otherOrder(one, schema.items)).find(Boolean)
  if (schema.properties === undefined) return undefined
  const expected = Object.keys(schema.properties).filter((name) => name in value)
  const found = Object.keys(value).filter((name) => expected.includes(name))
  if (found.join() !== expected.join()) return `${found}, not ${expected}`
  return Object.entries(value)
    .map(([name, one]) => otherOrder(one, schema.properties?.[name]))
    .find(Boolean)
}

const escaped = (step: string) => step.replaceAll('~', '~0').replaceAll('/', '~1')

const pointerTo = (...steps: (string | number)[]) =>
  `#/${steps.map((step) => escaped(String(step))).join('/')}`

function at(pointer: string): unknown {
  return pointer
    .slice(2)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], document)
}

const mediaType = (answer: SeenAnswer) => answer.headers.get('content-type')?.split(';', 1)[0]

/** Returns the documented path that an address matches; of several, the one with the most literal characters. */
function templateOf(pathname: string): string | undefined {
  return TEMPLATES.find(({ pattern }) => pattern.test(pathname))?.path
}

const TEMPLATES = Object.keys(document.paths)
  .map((path) => {
    const literal = path.replace(/\{[^}]*\}/g, '')
    const text = path
      .replace(/[.]/g, '\\$&')
      .replace('/d/{path}', '/d/.+')
      .replace(/\{[^}]*\}/g, '[^/]+')
    return { path, letters: literal.length, pattern: new RegExp(`^${text}$`) }
  })
  .sort((a, b) => b.letters - a.letters)
