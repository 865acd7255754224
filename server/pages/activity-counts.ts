// What an investigation holds, counted, in one line.
import { html } from 'hono/html'
import type { Activity } from '../investigations/activity.ts'
import type { EntryKind } from '../store/schema.ts'
import type { Html } from './layout.ts'

const PLURALS: Record<EntryKind, string> = {
  question: 'questions',
  observation: 'observations',
  attempt: 'attempts',
  correction: 'corrections',
  result: 'results',
  reuse: 'reuses',
}

const KINDS = ['observation', 'attempt', 'correction', 'result', 'reuse'] as const

/** What an investigation holds: its entries by kind, its sources, and the outcomes of its reviews. */
export function countsOf({ kinds, sources, outcomes }: Activity): Html {
  const entries = KINDS.filter((kind) => kinds[kind]).map((kind) => {
    const count = kinds[kind] ?? 0
    return html`<span class="kind ${kind}">${count} ${count === 1 ? kind : PLURALS[kind]}</span> `
  })
  const reviewed = (['substantiated', 'unsupported', 'withdrawn'] as const)
    .filter((outcome) => outcomes[outcome])
    .map(
      (outcome) =>
        html`<span class="status outcome ${outcome}">${outcomes[outcome]} ${outcome}</span> `,
    )
  return html`${entries.length === 0 ? html`<span>no contributions yet</span> ` : entries}${sources === 0 ? '' : html`<span>${sources} source${sources === 1 ? '' : 's'}</span> `}${reviewed.length === 0 ? html`<span>no review</span>` : reviewed}`
}
