// The axes around the spectrogram: seconds below it, Hz to its left, the two bands of the tones to its right.
import { slotFrequency, TONES } from '../../protocol/index.ts'
import { FREQUENCY_RANGE, MARGIN, PICTURE, PLOT, xOfTime, yOfFrequency } from './layout.ts'
import { COLOUR } from './palette.ts'
import { TRANSMISSION_SECONDS } from './sound.ts'
import { element, text } from './svg.ts'

const SECONDS_STEP = 5
const HERTZ_STEP = 500

/** Axis labels and band brackets around the plot. */
export function axes(): string {
  const below = PLOT.y + PLOT.height
  const seconds = steps(0, TRANSMISSION_SECONDS - SECONDS_STEP / 2, SECONDS_STEP).map((t) =>
    text(xOfTime(t), below + 30, String(t), LABEL_STYLE),
  )
  const last = text(PLOT.x + PLOT.width, below + 30, `${TRANSMISSION_SECONDS.toFixed(2)} s`, {
    ...LABEL_STYLE,
    anchor: 'end',
  })
  const hertz = steps(HERTZ_STEP, FREQUENCY_RANGE.high, HERTZ_STEP).map((f) =>
    text(PLOT.x - 14, yOfFrequency(f) + 7, String(f), { ...LABEL_STYLE, anchor: 'end' }),
  )
  const unit = text(PLOT.x - 14, PLOT.y + 18, 'Hz', { ...LABEL_STYLE, anchor: 'end' })
  return [...seconds, last, ...hertz, unit, band(0, 'even slots'), band(1, 'odd slots')].join('')
}

const LABEL_STYLE = { size: 20, fill: COLOUR.secondary, anchor: 'middle' } as const

/** Faint lines over the spectrogram, with the plot's upper left as origin. */
export function gridLines(): string {
  const upright = steps(SECONDS_STEP, TRANSMISSION_SECONDS, SECONDS_STEP).map((t) => {
    const x = xOfTime(t) - PLOT.x
    return element('line', { x1: x, x2: x, y1: 0, y2: PLOT.height })
  })
  const level = steps(HERTZ_STEP, FREQUENCY_RANGE.high, HERTZ_STEP).map((f) => {
    const y = yOfFrequency(f) - PLOT.y
    return element('line', { x1: 0, x2: PLOT.width, y1: y, y2: y })
  })
  const style = { stroke: '#ffffff', 'stroke-opacity': 0.11, 'stroke-width': 1 }
  return element('g', style, [...upright, ...level].join(''))
}

/** A bracket right of the plot over the frequencies that slots of one parity use. */
function band(parity: 0 | 1, label: string): string {
  const low = yOfFrequency(slotFrequency(0, parity))
  const high = yOfFrequency(slotFrequency(TONES - 1, parity))
  const x = PLOT.x + PLOT.width + 14 + parity * 10
  return (
    element('path', {
      d: `M${x - 5} ${high}H${x}V${low}H${x - 5}`,
      fill: 'none',
      stroke: COLOUR.faint,
      'stroke-width': 2,
    }) +
    text(PICTURE.width - MARGIN - 12, (low + high) / 2, label, {
      size: 18,
      fill: COLOUR.secondary,
      anchor: 'middle',
      rotate: 90,
    })
  )
}

function steps(first: number, last: number, step: number): number[] {
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, i) => first + i * step)
}
