// A day's counters and flags as HTML.
import { html } from 'hono/html'
import type { Snapshot } from '../../archive/format/snapshot.ts'
import type { Html } from './layout.ts'
import { COUNTER_LABELS, COUNTERS, countInWords } from './static/counter-labels.ts'

/** A flag's word with its mark. */
export const status = (word: string): Html => html`<span class="status ${word}">${word}</span>`

export function countersTable(counters: Snapshot['counters']): Html {
  const rows = COUNTERS.map((name) => {
    const count = counters[name]
    return html`<tr><th scope="row">${COUNTER_LABELS[name]}</th><td class="count">${countInWords(count === null ? null : BigInt(count))}</td></tr>\n`
  })
  return html`<table class="counters"><tbody>
${rows}</tbody></table>`
}
