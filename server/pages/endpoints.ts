// Every address of the service with what it takes and answers, for people: openapi.json as a page.
import { html } from 'hono/html'
import { type Endpoint, pathTemplate, type Tag } from '../wire/endpoint.ts'
import type { Parameter } from '../wire/parameters.ts'
import { ERROR_STATUS } from '../wire/problem.ts'
import { GUIDE_URL } from './api.ts'
import type { Html } from './html.ts'
import { layout } from './layout.ts'

/**
 * @param tags what an operation is about, in the order of the page, with a description of each
 * @param isClosed whether no message can be published now
 */
export function endpointsPage(
  endpoints: readonly Endpoint[],
  tags: readonly { name: Tag; description: string }[],
  isClosed: boolean,
): string {
  const byTag = Map.groupBy(endpoints, ({ tag }) => tag)
  const sections = tags.map(
    ({ name, description }) => html`<section aria-labelledby="${idOf(name)}">
<h2 id="${idOf(name)}">${name}</h2>
<p>${description}</p>
${(byTag.get(name) ?? []).map(operation)}</section>
`,
  )
  return layout({
    title: 'API',
    description: 'Every address of the service, with what it takes and what it answers.',
    isClosed,
    main: html`<h1>API</h1>
<p class="lead">Every address, with what it takes and what it answers. A read with <code>GET</code> answers <code>HEAD</code> too. Ids are 64-bit integers.</p>
<p class="meta"><a href="/openapi.json">The same as OpenAPI 3.1</a> <a href="${GUIDE_URL}">Guide with examples</a></p>
<nav aria-label="On this page"><ul class="plain">${tags.map(({ name }) => html`<li><a href="#${idOf(name)}">${name}</a></li>`)}</ul></nav>
${sections}`,
  })
}

const idOf = (tag: Tag): string => tag.toLowerCase()

const operation = ({
  id,
  method,
  path,
  summary,
  description,
  parameters,
  answers,
  errors,
}: Endpoint): Html =>
  html`<article class="operation" id="${id}">
<h3><code>${method} ${pathTemplate(path)}</code></h3>
<p>${summary}.${description ? html` ${withCode(description)}` : ''}</p>
${parameterList(parameters)}<p class="meta">Answers ${answerList(answers)}. Errors: ${errors.map(
    (code, i) => html`${i === 0 ? '' : ', '}<code>${code}</code> ${ERROR_STATUS[code]}`,
  )}</p>
</article>
`

/** Text between backquotes is code. */
const withCode = (text: string): (string | Html)[] =>
  text.split('`').map((part, i) => (i % 2 === 0 ? part : html`<code>${part}</code>`))

function parameterList(parameters: readonly Parameter[]): Html | '' {
  const own = parameters.filter(({ name }) => name !== 'If-None-Match')
  if (own.length === 0) return ''
  return html`<dl>
${own.map(
  ({ name, in: place, required, description }) =>
    html`<dt><code>${name}</code> <span class="meta">${place}${required ? '' : ', optional'}</span></dt><dd>${withCode(description)}</dd>\n`,
)}</dl>
`
}

const answerList = (answers: Endpoint['answers']): Html[] =>
  Object.entries(answers).map(([status, { content = {} }], i) => {
    const types = Object.keys(content)
    return html`${i === 0 ? '' : ', '}${status}${types.length === 0 ? '' : ` (${types.join(', ')})`}`
  })
