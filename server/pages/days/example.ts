// Shows with an example what becomes of a day, while no day is archived yet.

import type { Audible, Snapshot } from '../../../archive/format/snapshot.ts'
import { perCounter } from '../../../protocol/index.ts'
import { chordChart } from '../parts/charts.ts'
import { type Html, html } from '../parts/html.ts'

/** A day that is easy to read from its chord. */
const COUNTS = { messages: '7', directories: '1', observations: '3' }

const counters = perCounter((name) => COUNTS[name as keyof typeof COUNTS] ?? '0')

/** What pages draw of a day. */
export type DrawnDay = Audible & Pick<Snapshot, 'from' | 'to'>

export const EXAMPLE: DrawnDay = {
  day: '2026-01-01',
  from: '2026-01-01T00:00:00.000Z',
  to: '2026-01-02T00:00:00.000Z',
  counters,
  coverage: { status: 'complete', observed_seconds: 86_400, reasons: [] },
  clock: { status: 'ok' },
  conclusion: 'active',
}

export function exampleDay(): Html {
  return html`<div class="columns">
    <p class="hint">
      For example, a day with 7 messages, 1 new directory and 3 observations: each column counts one
      thing, and each block doubles, so that 1 makes one block, 2 or 3 make two, 4 to 7 make three.
    </p>
<div>${chordChart(counters)}</div></div>`
}
