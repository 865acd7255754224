// What the decoder found, as elements of the page; every text goes in as text.
import type { DayFields } from '../../../protocol/index.ts'
import { COUNTER_LABELS, COUNTERS, countInWords } from './counter-labels.ts'
import type { Decoding } from './decode-report.ts'

export interface Transmission {
  fields: DayFields
}

/** A decoding's transmissions in their order, or the reason why there is none. */
export function showDecoding({ transmissions, error }: Decoding): HTMLElement[] {
  if (transmissions.length === 0) return failure(error?.message ?? 'no transmission was found')
  return transmissions.map(showTransmission)
}

/** @param why a sentence without its capital and its stop */
export function failure(why: string): HTMLElement[] {
  return [element('p', { className: 'empty' }, `Nothing was decoded: ${why}.`)]
}

function showTransmission({ fields }: Transmission): HTMLElement {
  const { day, coverage, clock, conclusion } = fields
  const flags = [
    ['Conclusion', conclusion],
    ['Coverage', coverage],
    ['Clock', clock],
  ].map(([label, word]) =>
    element('span', {}, `${label} `, element('span', { className: `status ${word}` }, word)),
  )
  return element(
    'article',
    { className: 'transmission' },
    element('h3', {}, element('a', { href: `/transmissions/${day}` }, day)),
    element('p', { className: 'meta' }, ...flags),
    element('table', { className: 'counters' }, element('tbody', {}, ...COUNTERS.map(row))),
  )

  function row(name: (typeof COUNTERS)[number]): HTMLElement {
    const count = countInWords(fields.counters[name])
    return element(
      'tr',
      {},
      element('th', { scope: 'row' }, COUNTER_LABELS[name]),
      element('td', { className: 'count' }, count),
    )
  }
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
  ...children: (Node | string | undefined)[]
): HTMLElementTagNameMap[Name] {
  const created = Object.assign(document.createElement(name), properties)
  created.append(...children.filter((child) => child !== undefined))
  return created
}
