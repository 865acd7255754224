// Renders an endpoint's parameters and body fields, with their bounds, for the API page.

import type { Endpoint } from '../../wire/endpoint.ts'
import type { Parameter } from '../../wire/parameters.ts'
import { type Html, html } from '../parts/html.ts'

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
export type Schemas = Record<string, object>

/** A parameter, or a field of the body: `limit`, or `sources[].url` for a field of each item. */
type Field = Pick<Parameter, 'name' | 'description'> & {
  in: Parameter['in'] | 'JSON'
  required?: boolean
  schema: Schema
}

/** @param body the schema of the request body, if there is one */
export function fieldList(
  { parameters }: Endpoint,
  body: Schema | undefined,
  schemas: Schemas,
): Html | '' {
  const own = parameters.filter(({ name }) => name !== 'If-None-Match')
  const fields: Field[] = [...own, ...(body ? fieldsOf(body, schemas, '') : [])]
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

export const withCode = (text: string): (string | Html)[] =>
  text.split('`').map((part, i) => (i % 2 === 0 ? part : html`<code>${part}</code>`))

function fieldsOf(body: Schema, schemas: Schemas, prefix: string): Field[] {
  return Object.entries(body.properties ?? {}).flatMap(([key, given]) => {
    const schema = resolved(given, schemas)
    const name = `${prefix}${key}`
    const required = body.required?.includes(key) ?? false
    const { description = '' } = schema
    const field: Field = { name, in: 'JSON', required, description, schema }
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
