// Shows with an example what becomes of a day, while no day is archived yet.

import { perCounter } from '../../../protocol/index.ts'
import { chordChart } from '../parts/charts.ts'
import { type Html, html } from '../parts/html.ts'

/** A day that is easy to read from its chord. */
const EXAMPLE = { messages: '7', directories: '1', observations: '3' }

export function exampleDay(): Html {
  const counters = perCounter((name) => EXAMPLE[name as keyof typeof EXAMPLE] ?? '0')
  return html`<div class="columns">
    <p class="hint">
      For example, a day with 7 messages, 1 new directory and 3 observations: each column counts one
      thing, and each block doubles, so that 1 makes one block, 2 or 3 make two, 4 to 7 make three.
    </p>
<div>${chordChart(counters)}</div></div>`
}
