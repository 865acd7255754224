// Renders the API page: openapi.json for people.

import { z } from 'zod'
import { type Endpoint, pathTemplate, type Tag } from '../../wire/endpoint.ts'
import type { Parameter } from '../../wire/parameters.ts'
import { ERROR_STATUS, type ErrorCode } from '../../wire/problem.ts'
import { GUIDE_URL } from '../api.ts'
import { layout, type Site } from '../frame/layout.ts'
import { type Html, html } from '../parts/html.ts'

/** @param tags the groups of operations, in the order of the page */
export function endpointsPage(
  endpoints: readonly Endpoint[],
  tags: readonly { name: Tag; description: string }[],
  schemas: Schemas,
  site: Site,
): string {
  const byTag = Map.groupBy(endpoints, ({ tag }) => tag)
  const common = commonErrors(endpoints)
  const sections = tags.map(
    ({ name, description }) => html`<section aria-labelledby="${idOf(name)}">
<h2 id="${idOf(name)}">${name}</h2>
<p>${description}</p>
${(byTag.get(name) ?? []).map((endpoint) => operation(endpoint, schemas, common))}</section>
`,
  )
  return layout(site, {
    title: 'API',
    description: 'Every endpoint of the service, with its parameters and responses.',
    main: html`<h1>API</h1>
<p class="lead">
  Every endpoint, with its parameters and responses. Every <code>GET</code> endpoint also answers
  <code>HEAD</code>. Ids are 64-bit integers. Any endpoint may answer ${errorList(common)}. The guide
  says <a href="${GUIDE_URL}#errors">what the errors mean</a>.
</p>
<p class="meta"><a href="/openapi.json">The same as OpenAPI 3.1</a> <a href="${GUIDE_URL}">Guide with examples</a></p>
<nav aria-label="On this page">
  <ul class="plain">${tags.map(({ name }) => html`<li><a href="#${idOf(name)}">${name}</a></li>`)}</ul>
</nav>
${sections}`,
  })
}

const idOf = (tag: Tag): string => tag.toLowerCase()

/** Returns the errors that every endpoint may return. */
function commonErrors(endpoints: readonly Endpoint[]): ErrorCode[] {
  const [first, ...others] = endpoints
  return (first?.errors ?? []).filter((code) => others.every(({ errors }) => errors.includes(code)))
}

function operation(endpoint: Endpoint, schemas: Schemas, common: readonly ErrorCode[]): Html {
  const { id, method, path, summary, description, request, answers, errors } = endpoint
  const own = errors.filter((code) => !common.includes(code))
  const { id: name = '' } = (request && z.globalRegistry.get(request)) ?? {}
  return html`<details class="operation">
<summary><code>${method} ${pathTemplate(path)}</code> <span>${summary}</span></summary>
<div id="${id}">
${description && html`<p>${withCode(description.replaceAll(REFERENCE, ''))}</p>\n`}${fieldList(endpoint, schemas[name], schemas)}<p class="hint">Answers ${answerList(answers)}.</p>
${own.length === 0 ? '' : html`<details class="hint"><summary>Errors</summary>${errorList(own)}</details>`}
</div></details>
`
}

/** To a document of the project, which a page does not have. */
const REFERENCE = / \((?:API|FORMAT|SPEC|COMMANDS|OPERATING)\.md [^)]*\)/g

const answerList = (answers: Endpoint['answers']): Html[] =>
  Object.entries(answers).map(([status, { content = {} }], i) => {
    const types = Object.keys(content)
    return html`${i === 0 ? '' : ', '}${status}${types.length === 0 ? '' : ` (${types.join(', ')})`}`
  })

/** Sorted by status, so that errors that the client causes come first. */
const errorList = (codes: readonly ErrorCode[]): Html[] =>
  [...codes]
    .sort((a, b) => ERROR_STATUS[a] - ERROR_STATUS[b])
    .map((code, i) => html`${i === 0 ? '' : ', '}<code>${code}</code> ${ERROR_STATUS[code]}`)

/** The subset of JSON Schema that our request schemas use. */
interface Schema {
  $ref?: string
  format?: string
  description?: string
  default?: unknown
  enum?: readonly string[]
  minimum?: number | bigint
  maximum?: number | bigint
  minLength?: number
  maxLength?: number
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: readonly string[]
}

/** The schemas of openapi.json, by name. */
type Schemas = Record<string, object>

/** A parameter, or a field of the body: `limit`, or `sources[].url` for a field of each item. */
type ListedField = Pick<Parameter, 'name' | 'description'> & {
  in: Parameter['in'] | 'JSON'
  required?: boolean
  schema: Schema
}

/** @param body the schema of the request body, if there is one */
function fieldList(
  { parameters }: Endpoint,
  body: Schema | undefined,
  schemas: Schemas,
): Html | '' {
  const own = parameters.filter(({ name }) => name !== 'If-None-Match')
  const fields: ListedField[] = [...own, ...(body ? fieldsOf(body, schemas, '') : [])]
  if (fields.length === 0) return ''
  return html`<dl>
${fields.map(
  ({ name, in: location, required, description, schema }) =>
    html`<dt>
      <code>${name}</code> <span class="hint">${location}${required ? '' : ', optional'}</span>
    </dt>
    <dd>${withCode(sentences(description, boundsOf(schema)))}</dd>\n`,
)}</dl>
${body?.description ? html`<p>${withCode(body.description)}</p>\n` : ''}`
}

const withCode = (text: string): (string | Html)[] =>
  text.split('`').map((part, i) => (i % 2 === 0 ? part : html`<code>${part}</code>`))

function fieldsOf(body: Schema, schemas: Schemas, prefix: string): ListedField[] {
  return Object.entries(body.properties ?? {}).flatMap(([key, given]) => {
    const schema = resolved(given, schemas)
    const name = `${prefix}${key}`
    const required = body.required?.includes(key) ?? false
    const { description = '' } = schema
    const field: ListedField = { name, in: 'JSON', required, description, schema }
    if (!schema.items) return [field]
    return [field, ...fieldsOf(resolved(schema.items, schemas), schemas, `${name}[].`)]
  })
}

function resolved(schema: Schema, schemas: Schemas): Schema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : { ...schemas[name], ...schema }
}

/** `1 to 100, 50 by default`; empty if the schema has no bounds to show. */
function boundsOf(schema: Schema): string {
  const { default: byDefault } = schema
  const hasDefault = typeof byDefault === 'number' && byDefault !== 0
  return [rangeOf(schema), hasDefault ? `${byDefault} by default` : ''].filter(Boolean).join(', ')
}

function rangeOf(schema: Schema): string {
  const { format, enum: values, minimum, maximum, minLength, maxLength, maxItems } = schema
  if (values)
    return `${values.length === 1 ? 'Only' : 'One of'} ${values.map((value) => `\`${value}\``).join(', ')}`
  if (format === 'date') return 'As in `2026-11-19`'
  if (maxItems !== undefined) return `At most ${maxItems}`
  if (minimum !== undefined && typeof maximum === 'number') return `${minimum} to ${maximum}`
  if (maxLength === undefined) return ''
  return minLength ? `${minLength} to ${maxLength} characters` : `At most ${maxLength} characters`
}

const sentences = (...parts: string[]): string =>
  parts
    .filter(Boolean)
    .map((part) => (part.endsWith('.') ? part : `${part}.`))
    .join(' ')
