// What a visitor must know before they act: why nothing can be published now.
import { html } from 'hono/html'
import type { Html } from './html.ts'

/** @param closed the reason as a sentence; null when everything is open */
export const closedNotice = (closed: string | null): Html | string =>
  closed === null ? '' : html`<p class="notice" role="note">${closed} Reading goes on.</p>`
