// Renders the counts of an investigation in one line.

import type { Activity } from '../../investigations/activity.ts'
import { CONTRIBUTION_KINDS } from '../../investigations/rules.ts'
import { OUTCOMES } from '../../reviews/rules.ts'
import { type Html, html } from '../parts/html.ts'
import { kindName } from '../parts/kinds.ts'
import { quantity } from '../static/counters.ts'

/** Renders the number of entries by kind, of sources, and of reviews by outcome. */
export function countsOf({ kinds, sources, outcomes }: Activity): Html {
  const entries = CONTRIBUTION_KINDS.filter((kind) => kinds[kind]).map(
    (kind) =>
      html`<span class="kind ${kind}">${quantity(kinds[kind] ?? 0, kindName(kind))}</span> `,
  )
  const reviewed = OUTCOMES.filter((outcome) => outcomes[outcome]).map(
    (outcome) =>
      html`<span class="status outcome ${outcome}">${outcomes[outcome]} ${outcome}</span> `,
  )
  return html`${entries.length === 0 ? html`<span>no contributions yet</span> ` : entries}${
    sources === 0 ? '' : html`<span>${quantity(sources, 'source')}</span> `
  }${reviewed.length === 0 ? html`<span>no review</span>` : reviewed}`
}
