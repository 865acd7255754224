// A day's counters and flags in words.
import { html } from 'hono/html'
import type { Snapshot } from '../../archive/manifest.ts'
import type { Html } from './layout.ts'

export const COUNTER_LABELS: Record<keyof Snapshot['counters'], string> = {
  messages: 'Messages',
  message_bytes: 'Bytes of their text',
  directories: 'Directories created',
  active_directories: 'Directories written to',
  investigations: 'Investigations opened',
  observations: 'Observations',
  attempts: 'Attempts',
  corrections: 'Corrections',
  results: 'Results',
  reuses: 'Reuses',
  sources: 'Sources declared',
  reviews: 'Reviews',
}

/** A flag's word with its mark. */
export const status = (word: string): Html => html`<span class="status ${word}">${word}</span>`

export function countersTable(counters: Snapshot['counters']): Html {
  const names = Object.keys(COUNTER_LABELS) as (keyof Snapshot['counters'])[]
  const rows = names.map((name) => {
    const count = counters[name]
    const cell =
      count === null ? 'not available' : html`<data value="${count}">${grouped(count)}</data>`
    return html`<tr><th scope="row">${COUNTER_LABELS[name]}</th><td class="count">${cell}</td></tr>\n`
  })
  return html`<table class="counters"><tbody>
${rows}</tbody></table>`
}

const DIGITS = new Intl.NumberFormat('en')

/** `18446744073709551615` -> `18,446,744,073,709,551,615` */
const grouped = (count: string): string => DIGITS.format(BigInt(count))
