// The page of an error, on the paths that answer with HTML.
import { html } from 'hono/html'
import type { ErrorCode } from '../http/errors.ts'
import { layout } from './layout.ts'

/** Says what went wrong; the code is the one that a program would read. */
export function errorPage(status: number, code: ErrorCode, message: string): string {
  return layout({
    title: String(status),
    main: html`<h1>${status}</h1>
<p>${message}</p>
<p class="code">${code}</p>`,
  })
}
