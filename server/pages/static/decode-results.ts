// The decoder's results as elements of the page; texts are never parsed as HTML.
import {
  type Decoding,
  type Diagnostics,
  SLOTS,
  type Transmission,
} from '../../../protocol/index.ts'
import { COUNTER_LABELS, COUNTERS, countInWords } from './counter-labels.ts'
import { element } from './element.ts'

/** A decoding's transmissions in their order, or the reason why there is none. */
export function showDecoding({ transmissions, error }: Decoding): HTMLElement[] {
  return error ? failure(error.message) : transmissions.map(showTransmission)
}

/** @param why a sentence without capital letter and full stop */
export function failure(why: string): HTMLElement[] {
  return [element('p', { className: 'failure' }, `Nothing was decoded: ${why}.`)]
}

function showTransmission({ fields, diagnostics }: Transmission): HTMLElement {
  const { day, counters, coverage, clock, conclusion } = fields
  // The day's page lies next to this one.
  const link = element('a', { href: day }, day)
  return element(
    'article',
    { className: 'transmission' },
    element('h3', {}, link),
    element(
      'p',
      { className: 'meta' },
      ...flags({ Conclusion: conclusion, Coverage: coverage, Clock: clock }),
    ),
    table(COUNTERS.map((name) => [COUNTER_LABELS[name], countInWords(counters[name])])),
    element(
      'details',
      {},
      element('summary', {}, 'How it was received'),
      table(reception(diagnostics)),
    ),
  )
}

function flags(words: Record<string, string>): HTMLElement[] {
  return Object.entries(words).map(([name, word]) =>
    element('span', {}, `${name} `, element('span', { className: `status ${word}` }, word)),
  )
}

function reception(diagnostics: Diagnostics): [string, string][] {
  const { start, speed, frequencyOffset, ebN0, snr2500, correctedTones, erased, list } = diagnostics
  return [
    ['Starts at', `${rounded(start, 2)} s`],
    ['Speed', rounded(speed, 4)],
    ['Frequency offset', `${rounded(frequencyOffset, 1)} Hz`],
    ['Energy a bit over noise (Eb/N0)', `${rounded(ebN0, 1)} dB`],
    ['Signal over noise in 2500 Hz', `${rounded(snr2500, 1)} dB`],
    ['Tones corrected', `${correctedTones} of ${SLOTS}`],
    ['Missing', `${(erased * 100).toFixed(0)} %`],
    ['Length of the decoder’s list', String(list)],
  ]
}

/** A number that rounds to zero gets no minus sign. */
export function rounded(value: number, digits: number): string {
  const text = value.toFixed(digits)
  return Number(text) === 0 ? text.replace('-', '') : text
}

function table(rows: [string, string][]): HTMLElement {
  const body = rows.map(([label, value]) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, label),
      element('td', { className: 'count' }, value),
    ),
  )
  return element('table', { className: 'counters' }, element('tbody', {}, ...body))
}
