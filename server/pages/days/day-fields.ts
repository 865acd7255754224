// Renders a flag of a day.
import { type Html, html } from '../parts/html.ts'

/** The word of a flag; the style sheet adds its mark. */
export const status = (word: string): Html => html`<span class="status ${word}">${word}</span>`
