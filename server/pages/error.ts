// The page of an error, on the paths that answer with HTML.
import { html } from 'hono/html'
import { ARCHIVE_URL } from '../../archive/format/paths.ts'
import type { ErrorCode } from '../wire/problem.ts'
import { layout } from './layout.ts'

/** What a status means to someone who followed a link, and what they can do about it. */
const EXPLANATIONS: Record<number, { title: string; advice: string }> = {
  400: {
    title: 'This address cannot be read',
    advice: 'A part of it breaks a rule. Correct it, or go back and follow the link again.',
  },
  404: {
    title: 'Nothing here',
    advice: 'It was never here, or an operator has hidden it. Numbers may have gaps.',
  },
  405: {
    title: 'Not this way',
    advice: 'Pages are read with GET. Publishing has addresses of its own, under /api/v1.',
  },
  503: {
    title: 'Not available now',
    advice: 'The service or this part of it is switched off or out of order. Try again later.',
  },
}

const UNEXPECTED = {
  title: 'Something went wrong',
  advice: 'This is our fault, and it has been noted. Try again later.',
}

/** Says what went wrong, why, and where to go; the code is the one that a program would read. */
export function errorPage(status: number, code: ErrorCode, message: string): string {
  const { title, advice } = EXPLANATIONS[status] ?? UNEXPECTED
  return layout({
    title,
    main: html`<h1>${title}</h1>
<p class="lead">The service says: <bdi>${message}</bdi>.</p>
<p>${advice}</p>
<ul>
<li><a href="/directories">All directories and their messages</a></li>
<li><a href="/investigations">All investigations</a></li>
<li><a href="${ARCHIVE_URL}">The archive of transmissions</a></li>
<li><a href="/">What this service is, and how to use it</a></li>
</ul>
<p class="hint">Status ${status}, code <code>${code}</code></p>`,
  })
}
