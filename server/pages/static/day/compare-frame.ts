// Compares a transmission that was received with the numbers of the day's page: the address has its frame after #.
import { COUNTER_LABELS } from '../../../../archive/drawing/counter-labels.ts'
import { COUNTER_NAMES, type DayFields, decodeFrame } from '../../../../protocol/index.ts'
import { formatCount } from '../counters.ts'
import { element } from '../element.ts'

const FRAME = /^#frame=((?:[0-9a-f]{2})+)$/

/** Shows whether the two agree, at the top of the page. */
export function compareFrame(): void {
  const [, hex] = FRAME.exec(location.hash) ?? []
  const day = document.querySelector<HTMLTimeElement>('.day-head time')?.dateTime
  if (hex === undefined || day === undefined) return
  document.querySelector('.compared')?.remove()
  const [className, sentence] = verdictOn(hex, day)
  const shown = element('p', { className: `compared ${className}`, role: 'status' }, sentence)
  document.querySelector('main')?.prepend(shown)
}

function verdictOn(hex: string, day: string): ['agrees' | 'differs', string] {
  const fields = fieldsOf(hex)
  if (fields === null)
    return ['differs', 'The frame in the address is not valid, so there is nothing to compare.']
  if (fields.day !== day)
    return ['differs', `The transmission that you received is of ${fields.day}, not of this day.`]
  const table = document.querySelector('table.counters')
  if (table === null)
    return ['differs', 'You received this day, but this archive has no numbers of it to compare.']
  const differences = differencesIn(fields, table)
  if (differences.length === 0)
    return [
      'agrees',
      'What you received is this day: all twelve numbers, coverage, clock and conclusion agree.',
    ]
  return ['differs', `What you received differs from this page: ${differences.join('; ')}.`]
}

function fieldsOf(hex: string): DayFields | null {
  const bytes = hex.match(/../g) ?? []
  try {
    return decodeFrame(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16)))
  } catch {
    return null
  }
}

function differencesIn(fields: DayFields, table: Element): string[] {
  const words = (where: string) =>
    [...document.querySelectorAll(`${where} .status`)].map((one) => one.textContent)
  const [coverage, clock] = words('#observed + .meta')
  const [conclusion] = words('.verdict')
  const counts = [...table.querySelectorAll('tbody tr')].map((row) => row.querySelector('.count'))
  const compared = [
    ...COUNTER_NAMES.map((name, i) => [
      COUNTER_LABELS[name],
      formatCount(fields.counters[name]),
      counts[i]?.textContent,
    ]),
    ['coverage', fields.coverage, coverage],
    ['clock', fields.clock, clock],
    ['conclusion', fields.conclusion, conclusion],
  ]
  return compared
    .filter(([, received, here]) => received !== here)
    .map(([name, received, here]) => `${name} ${received}, here ${here ?? 'missing'}`)
}
