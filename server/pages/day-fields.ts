// A flag of a day as HTML.
import { html } from 'hono/html'
import type { Html } from './html.ts'

/** A flag's word with its mark. */
export const status = (word: string): Html => html`<span class="status ${word}">${word}</span>`
