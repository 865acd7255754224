// Renders the API page: openapi.json for people.

import { z } from 'zod'
import { type Endpoint, pathTemplate, type Tag } from '../../wire/endpoint.ts'
import { ERROR_STATUS, type ErrorCode } from '../../wire/problem.ts'
import { GUIDE_URL } from '../api.ts'
import { layout, type Site } from '../frame/layout.ts'
import { type Html, html } from '../parts/html.ts'
import { fieldList, type Schemas, withCode } from './endpoint-fields.ts'

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
  return html`<article class="operation" id="${id}">
<h3><code>${method} ${pathTemplate(path)}</code></h3>
<p>${summary}.${description ? html` ${withCode(description)}` : ''}</p>
${fieldList(endpoint, schemas[name], schemas)}<p class="hint">Answers ${answerList(answers)}.</p>
${own.length === 0 ? '' : html`<details class="hint"><summary>Errors</summary>${errorList(own)}</details>`}
</article>
`
}

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
