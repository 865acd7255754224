// Draws three figures of the protocol: how a day becomes a transmission, the parts of a frame, the two bands of tones.

import { COUNTER_LABELS } from '../../../archive/drawing/counter-labels.ts'
import { STRIP, stripPath } from '../../../archive/drawing/tone-strip.ts'
import {
  COUNTER_BYTES,
  COUNTER_NAMES,
  encodeFrame,
  encodeTones,
  FRAME_BITS,
  FRAME_BYTES,
  LEVELS,
  OFFSET,
  perCounter,
  SLOTS,
  SYNC_PERIOD,
  slotFrequency,
  TONES,
  TRANSMISSION_SECONDS,
} from '../../../protocol/index.ts'
import { counterKey } from '../parts/counts.ts'
import { type Html, html } from '../parts/html.ts'

export const protocolFigures = (): Html => html`<section aria-labelledby="at-a-glance">
<h2 id="at-a-glance">At a glance</h2>
${steps()}
${frame()}
${bands()}
</section>`

const STEPS: [what: string, how: string][] = [
  ['A day', 'its date, twelve counters, coverage, clock, conclusion'],
  ['Frame', `${FRAME_BYTES} bytes, the last four a checksum`],
  ['Code', `${FRAME_BITS} bits in ${LEVELS} polar codes of increasing rate`],
  ['Labels', `256 numbers of ${LEVELS} bits, masked and shuffled`],
  ['Tones', `${SLOTS} slots, every ${SYNC_PERIOD}th one known in advance`],
  ['Sound', `${TRANSMISSION_SECONDS.toFixed(2)} s, 500 to 2700 Hz`],
]

const steps = (): Html => html`<figure>
<ol class="steps">${STEPS.map(([what, how], i) => html`<li><b>${i + 1} ${what}</b> ${how}</li>`)}</ol>
<figcaption>How a day becomes a transmission. A decoder reverses the steps.</figcaption>
</figure>
`

/** The parts of a frame before its counters, as half-open byte ranges. */
const HEAD: [from: number, to: number, what: string][] = [
  [OFFSET.flags, OFFSET.day, 'version and coverage'],
  [OFFSET.day, OFFSET.availability, 'day'],
  [OFFSET.availability, OFFSET.conclusion, 'which counters are available, clock'],
  [OFFSET.conclusion, OFFSET.counters, 'conclusion'],
]
const CRC: (typeof HEAD)[number] = [OFFSET.crc, FRAME_BYTES, 'CRC-32']
const RULER_HEIGHT = 40
const GAP = 2

function frame(): Html {
  const bar = (from: number, to: number, name: string) =>
    html`<path class="${name}" stroke-width="${RULER_HEIGHT}"
      d="M${from * 8 + GAP / 2} ${RULER_HEIGHT / 2}h${(to - from) * 8 - GAP}"/>`
  const counters = COUNTER_NAMES.map((_, i) => {
    const from = OFFSET.counters + i * COUNTER_BYTES
    return bar(from, from + COUNTER_BYTES, `tone-${i}`)
  })
  const bytes = (from: number, to: number) =>
    to - from === 1 ? `byte ${from}` : `bytes ${from} to ${to - 1}`
  return html`<figure>
<svg class="bars ruler" viewBox="0 0 ${FRAME_BITS} ${RULER_HEIGHT}" preserveAspectRatio="none"
    aria-hidden="true">
  ${HEAD.map(([from, to]) => bar(from, to, 'part'))}${counters}${bar(CRC[0], CRC[1], 'check')}
</svg>
<ul class="plain parts">
  ${[...HEAD, CRC].map(([from, to, what]) => html`<li>${bytes(from, to)}: ${what}</li>`)}${COUNTER_NAMES.map(
    (name, i) => html`<li>${counterKey(i)}${COUNTER_LABELS[name]}</li>`,
  )}
</ul>
<figcaption>A frame, to scale: ${FRAME_BITS} bits. Twelve counters of 64 bits take up nearly all of it.</figcaption>
</figure>
`
}

/** Slots in the figure: four periods from one sync tone to the next. */
const SHOWN = 4 * SYNC_PERIOD + 1

/** An arbitrary day: the tones of any day look random. */
const EXAMPLE = encodeTones(
  encodeFrame({
    day: '2026-11-19',
    counters: perCounter(() => 7n),
    coverage: 'complete',
    clock: 'ok',
    conclusion: 'active',
  }),
)

function bands(): Html {
  const width = (STRIP.width * SHOWN) / SLOTS
  const tones = [...EXAMPLE].slice(0, SHOWN)
  const isSync = (slot: number) => slot % SYNC_PERIOD === 0
  const marks = (which: (slot: number) => boolean) =>
    stripPath(tones.map((tone, slot) => (which(slot) ? tone : null)))
  const band = (top: number, name: string) =>
    html`<path class="${name}" stroke-width="${TONES}" d="M0 ${top + TONES / 2}h${width}"/>`
  const hertz = (slot: number) =>
    [0, TONES - 1].map((tone) => Math.round(slotFrequency(tone, slot))).join(' to ')
  return html`<figure>
<svg class="bars bands" viewBox="0 0 ${width} ${STRIP.height}" preserveAspectRatio="none"
    aria-hidden="true">
  ${band(0, 'odd')}${band(STRIP.height - TONES, 'even')}<path class="data" stroke-width="5"
    d="${marks((slot) => !isSync(slot))}"/>
  <path class="sync" stroke-width="9" d="${marks(isSync)}"/>
</svg>
<figcaption>
  The first ${SHOWN} slots of a transmission, with time running to the right. Even slots lie in the
  lower band, ${hertz(0)} Hz, odd slots in the upper band, ${hertz(1)} Hz. The bands share only 22 of
  128 tones, so most of an echo falls outside the band of the next slot. The large marks are sync
  tones.
</figcaption>
</figure>
`
}
