// Draws the 24 hours of the day as a ribbon that shows when the service was available.
import { NIGHT } from '../../archive/drawing/colours.ts'
import type { Snapshot } from '../../archive/format/snapshot.ts'
import { RIBBON } from './layout.ts'
import { element, FAINT } from './svg.ts'

/** Minimum width of a gap [pixels], so that short ones are visible too. */
const LEAST_GAP = 6
const HOURS = [6, 12, 18]

/** Draws the 24 hours from left to right: filled while a server was observed, outlined while none was. */
export function ribbon({ from, to, coverage }: Snapshot): string {
  const { x, y, width, height } = RIBBON
  const start = Date.parse(from)
  const scale = width / (Date.parse(to) - start)
  const gaps = coverage.reasons
    .filter((reason) => reason.code === 'service_not_running')
    .map((gap) => {
      const length = (Date.parse(gap.to) - Date.parse(gap.from)) * scale
      const left = x + (Date.parse(gap.from) - start) * scale
      const box = { x: Math.min(left, x + width - LEAST_GAP) + 1.5, y: y - 0.5, height: height + 1 }
      const style = { fill: NIGHT.ground, stroke: NIGHT.warning, 'stroke-width': 3 }
      return element('rect', { ...box, width: Math.max(length, LEAST_GAP) - 3, ...style })
    })
  return element('rect', { ...RIBBON, fill: NIGHT.good }) + gaps.join('') + hours()
}

/** Marks every six hours, without numbers, which would be too small to read. */
const hours = (): string =>
  HOURS.map((hour) => {
    const { x, y, width, height } = RIBBON
    const style = { width: 3, height: 8, fill: FAINT }
    return element('rect', { x: x + (width * hour) / 24 - 1.5, y: y + height + 4, ...style })
  }).join('')
