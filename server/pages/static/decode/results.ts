// Renders the decoder's results. Text is never parsed as HTML.
import {
  blockDashes,
  type Chord,
  chordSize,
  gridPath,
  rowsFor,
  slashPath,
  smallChordOf,
} from '../../../../archive/drawing/chord.ts'
import { COUNTER_LABELS } from '../../../../archive/drawing/counter-labels.ts'
import {
  COUNTER_NAMES,
  type CounterName,
  perCounter,
  SLOTS,
  SYNC_COUNT,
  toHex,
} from '../../../../protocol/index.ts'
import {
  type Decoding,
  type Diagnostics,
  GOOD_DB,
  NOISELESS_DB,
  rateReception,
  type Transmission,
  VERY_CLEAR_DB,
} from '../../../../protocol/receiver/index.ts'
import { BASE, chartGrid, columnPaths } from '../chart-grid.ts'
import { COUNTER_INITIALS, formatCount } from '../counters.ts'
import { element, svg } from '../element.ts'
import {
  drawRecording,
  drawTransmission,
  markTransmissions,
  type Recording,
} from './spectrogram.ts'

/**
 * Shows the transmissions in order, or the reason why none was decoded.
 * @param isSample whether the days are made up, so that no archived day can be linked for comparison
 */
export function showDecoding(
  { transmissions, error }: Decoding,
  recording: Recording,
  isSample: boolean,
): HTMLElement[] {
  if (error) return failure(error.message)
  const shown = transmissions.map((transmission) =>
    showTransmission(transmission, recording, { isSample }),
  )
  return transmissions.length === 1 ? shown : [timeLine(transmissions, recording), ...shown]
}

/** Shows where the transmissions lie in the recording. */
function timeLine(transmissions: readonly Transmission[], recording: Recording): HTMLElement {
  const canvas = element('canvas', { className: 'recording' })
  drawRecording(canvas, recording, 1)
  markTransmissions(canvas, recording, transmissions)
  const starts = transmissions.map(({ diagnostics: { start } }) => `${rounded(start, 1)} s`)
  return figure(canvas, `${transmissions.length} transmissions, at ${starts.join(', ')}`)
}

const figure = (canvas: HTMLCanvasElement, caption: string): HTMLElement =>
  element('figure', { className: 'night' }, canvas, element('figcaption', {}, caption))

/** @param why a clause without an initial capital and a full stop */
export function failure(why: string): HTMLElement[] {
  return [element('p', { className: 'failure' }, `Nothing was decoded: ${why}.`)]
}

/**
 * @param isSample whether the day is made up, so that no archived day can be linked for comparison
 * @param soFar what is known of a transmission that is still being sent, in place of what was repaired in it
 */
export function showTransmission(
  transmission: Transmission,
  recording: Recording,
  { isSample = false, soFar }: { isSample?: boolean; soFar?: string },
): HTMLElement {
  const { fields, frame, diagnostics } = transmission
  const { day, counters, coverage, clock, conclusion } = fields
  // Relative: the page of the day is a sibling of this page, and compares the frame (compare-frame.ts).
  const href = `${day}#frame=${toHex(frame)}`
  const link = element('a', { href }, 'Compare with the archive')
  // Only a day that is over can be in the archive.
  const isComparable = !isSample && day < new Date().toISOString().slice(0, 10)
  return element(
    'article',
    { className: 'transmission' },
    element('h3', {}, day),
    verdict(diagnostics, soFar),
    tones(transmission, recording),
    flags({ Conclusion: conclusion, Coverage: coverage, Clock: clock }),
    element(
      'div',
      { className: 'counted' },
      table(COUNTER_NAMES.map((name) => [COUNTER_LABELS[name], formatCount(counters[name])])),
      chord(counters),
    ),
    ...(isComparable ? [element('p', {}, link)] : []),
    folded('How it was received', reception(diagnostics)),
    folded('For engineers', measures(diagnostics)),
  )
}

const folded = (summary: string, rows: [string, string][]): HTMLElement =>
  element('details', {}, element('summary', {}, summary), table(rows))

/** Rates the reception in words and with a meter. */
function verdict(diagnostics: Diagnostics, soFar?: string): HTMLElement {
  const { word, margin, level } = rateReception(diagnostics.ebN0)
  return element(
    'div',
    { className: 'verdict' },
    element(
      'p',
      {},
      element('strong', {}, `${word}.`),
      ` ${level}${margin > NOISELESS_DB ? '.' : ` before it is lost.${noiseIn(diagnostics)}`}${soFar === undefined ? repairsIn(diagnostics) : ` ${soFar}`}`,
    ),
    element('meter', {
      min: 0,
      max: VERY_CLEAR_DB,
      low: GOOD_DB,
      high: VERY_CLEAR_DB,
      optimum: VERY_CLEAR_DB,
      value: Math.max(0, Math.min(margin, VERY_CLEAR_DB)),
      ariaLabel: 'Decibels to spare',
    }),
  )
}

/** Compares noise and tones in the band of a voice. */
function noiseIn({ snr2500 }: Diagnostics): string {
  const times = 10 ** (Math.abs(snr2500) / 10)
  const ratio =
    times < 1.05
      ? 'as strong as'
      : `about ${times < 10 ? times.toFixed(1) : Math.round(times)} times as strong as`
  return snr2500 < 0 ? ` The noise was ${ratio} the tones.` : ` The tones were ${ratio} the noise.`
}

/** What the code repaired; empty if nothing. */
function repairsIn({ correctedTones, absentPart }: Diagnostics): string {
  const missing = Math.round(absentPart * SLOTS)
  const repairs = [
    ...(correctedTones > 0 ? [`${correctedTones} of ${SLOTS} tones were wrong and repaired`] : []),
    ...(missing > 0 ? [`${missing} were missing and filled in`] : []),
  ]
  return repairs.length > 0 ? ` ${repairs.join(', ')}.` : ''
}

/** Shows the tones over the spectrogram, with the state of each. */
function tones(transmission: Transmission, recording: Recording): HTMLElement {
  const canvas = element('canvas', { className: 'tones' })
  drawTransmission(canvas, recording, transmission)
  const { slots } = transmission.diagnostics
  const count = (state: string) => slots.filter((slot) => slot === state).length
  return figure(
    canvas,
    `${SLOTS} tones: ● heard ${count('heard')}, ○ corrected ${count('corrected')}, ◌ missing ${count('absent')}; ■ ${SYNC_COUNT} of them the same on every day`,
  )
}

/** Draws the day's chord next to the table with its numbers. */
function chord(counters: Record<CounterName, bigint | null>): HTMLElement {
  const blocks = smallChordOf(perCounter((name) => counters[name]?.toString() ?? null))
  const initials = Object.values(COUNTER_INITIALS).map((letters) => element('span', {}, letters))
  return element(
    'div',
    { className: 'with-initials' },
    drawn(blocks),
    element('p', { className: 'initials', ariaHidden: 'true' }, ...initials),
  )
}

/** As the pages of the days draw it (parts/charts.ts). */
function drawn(chord: Chord): SVGElement {
  const grid = chartGrid(rowsFor([chord]))
  const { width, height } = chordSize(grid)
  const stroke = { 'stroke-width': String(grid.block.width), 'stroke-dasharray': blockDashes(grid) }
  const columns = columnPaths(grid, chord).map((column) => svg('path', column))
  const slashes = chord.map((blocks, i) => (blocks === null ? slashPath(grid, i) : ''))
  return svg(
    'svg',
    { class: 'chord', viewBox: `0 0 ${width} ${height + BASE}`, 'aria-hidden': 'true' },
    svg('path', { class: 'unlit', d: gridPath(grid), ...stroke }),
    svg('path', { class: 'base', d: `M0 ${height + BASE - 1}h${width}` }),
    svg('g', { class: 'lit', ...stroke }, ...columns),
    svg('path', { class: 'absent', d: slashes.join('') }),
  )
}

function flags(words: Record<string, string>): HTMLElement {
  const shown = Object.entries(words).map(([name, word]) =>
    element('span', {}, `${name} `, element('span', { className: `status ${word}` }, word)),
  )
  return element('p', { className: 'meta' }, ...shown)
}

function reception(diagnostics: Diagnostics): [string, string][] {
  const { start, speed, translation, correctedTones, absentPart } = diagnostics
  return [
    ['Starts at', `${rounded(start, 2)} s`],
    ['Speed', rounded(speed, 4)],
    ['Frequency offset', `${rounded(translation, 1)} Hz`],
    ['Tones corrected', `${correctedTones} of ${SLOTS}`],
    ['Tones missing', `${(absentPart * 100).toFixed(0)} %`],
  ]
}

const measures = ({ ebN0, snr2500, list }: Diagnostics): [string, string][] => [
  ['Energy per bit to noise density (Eb/N0)', `${rounded(ebN0, 1)} dB`],
  ['Signal-to-noise ratio in 2500 Hz', `${rounded(snr2500, 1)} dB`],
  ['List length of the decoder', String(list)],
]

/** Formats a number without a minus sign on zero. */
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
