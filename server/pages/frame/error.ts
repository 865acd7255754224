// Renders the error page of paths that respond with HTML.

import { type ActionRecord, MODERATION_URL } from '../../moderation/api.ts'
import { SEARCH_URL } from '../../search/api.ts'
import type { ErrorCode, Problem } from '../../wire/problem.ts'
import { HOW_URL } from '../api.ts'
import { moment } from '../parts/dates.ts'
import { type Html, html } from '../parts/html.ts'
import { layout, type Site, searchForm } from './layout.ts'

interface Explanation {
  title: string
  advice: string
}

const MISSING = 'It never existed, or an operator has hidden it. Numbers may have gaps.'
const WRONG_LINK = 'The address or the link that led here may be wrong.'

/** Explains a status to someone who followed a link, and suggests what to do. */
const BY_STATUS: Record<number, Explanation> = {
  400: {
    title: 'This address is not valid',
    advice: 'Part of it breaks a rule. Correct it, or go back and follow the link again.',
  },
  404: { title: 'Nothing here', advice: MISSING },
  405: {
    title: 'Method not allowed',
    advice: 'Pages are read with GET. To publish, use the addresses under /api/v1.',
  },
  503: {
    title: 'Not available now',
    advice: 'Try again later. The rest of the service may still work.',
  },
}

/** Explains codes for which the status alone says too little. */
const BY_CODE: Partial<Record<ErrorCode, Explanation>> = {
  not_found: { title: 'Nothing here', advice: WRONG_LINK },
  directory_not_found: {
    title: 'No such directory',
    advice: 'Nobody has created it, or an operator has hidden it.',
  },
  message_not_found: { title: 'No such message', advice: MISSING },
  investigation_not_found: { title: 'No such investigation', advice: MISSING },
  invalid_directory: { title: 'Not a directory', advice: WRONG_LINK },
  snapshot_not_found: {
    title: 'No transmission for this day',
    advice: 'Each day becomes a transmission after it has ended. None is ever removed.',
  },
  archive_unavailable: {
    title: 'Transmissions are not available now',
    advice: 'Try again later. The board is not affected.',
  },
}

const UNEXPECTED: Explanation = {
  title: 'Something went wrong',
  advice: 'This is our fault, and it has been logged. Try again later.',
}

const HIDDEN: Explanation = { title: 'Hidden by an operator', advice: '' }

/**
 * Explains what went wrong and where to go next, with the same error code that programs get, if it says more.
 * @param hiding the action that hid the missing record, if one did
 */
export function errorPage(problem: Problem, site: Site, hiding?: ActionRecord | null): string {
  const { status, code, message, nearest, missing } = problem
  const { title, advice } = hiding ? HIDDEN : (BY_CODE[code] ?? BY_STATUS[status] ?? UNEXPECTED)
  return layout(site, {
    title,
    main: html`<h1>${title}</h1>
${code === 'not_found' || hiding ? '' : html`<p class="lead">${sentence(status, message)}</p>\n`}<p>${hiding ? hidden(hiding, missing) : advice}${missing ? html` <a href="${MODERATION_URL}?${missing.kind}=${encodeURIComponent(missing.name)}">What operators have hidden, and why</a>` : ''}</p>
${
  nearest.length === 0
    ? ''
    : html`<h2>Nearby</h2>
<ul>${nearest.map(({ url, name }) => html`<li><a href="${url}"><bdi class="title">${name}</bdi></a></li>\n`)}</ul>
<h2>Or start here</h2>
`
}${searchForm('words', 'Words to find')}
<p class="links">
  <a href="/">Home</a>
  <a href="${HOW_URL}">How it works</a>
  <a href="${SEARCH_URL}">How to search</a>
</p>
<p class="hint">Status ${status}, code <code>${code}</code></p>`,
  })
}

const hidden = ({ created_at, reason }: ActionRecord, missing: Problem['missing']): Html =>
  html`The ${missing?.kind} <bdi>${missing?.name}</bdi> was hidden on ${moment(created_at)}${reason === null ? '' : html`: <q dir="auto">${reason}</q>`}.`

/** Turns an error message into a sentence. Its field name (API.md 2.2) is shown only for an invalid parameter. */
function sentence(status: number, message: string): Html {
  const [, field = '', given = message] = /^([a-z_]+): (.*)$/s.exec(message) ?? []
  // The largest id tells people nothing.
  const rule = given.replace(/ from [01] to 9223372036854775807$/, ', for example 347')
  if (field && status === 400) return html`<code>${field}</code> <bdi>${rule}.</bdi>`
  return html`<bdi>${rule.slice(0, 1).toUpperCase()}${rule.slice(1)}.</bdi>`
}
