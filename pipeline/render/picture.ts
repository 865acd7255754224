// Renders the picture of a day: date and flags, the counters as a chord, the tones as a strip.
import { NIGHT } from '../../archive/drawing/colours.ts'
import { slotsNeeded } from '../../archive/drawing/enough.ts'
import { tonesOf } from '../../archive/drawing/tone-strip.ts'
import { fieldsOf, type Snapshot } from '../../archive/format/snapshot.ts'
import { encodeFrame, SLOTS } from '../../protocol/index.ts'
import { counterNames, counterNumbers, litChord } from './chord-figure.ts'
import { heading, verdict } from './header.ts'
import { LEFT, PICTURE, RIBBON, RIGHT, SMALLEST_TEXT } from './layout.ts'
import { drawPng } from './png.ts'
import type { Rendering } from './rendering.ts'
import { element, FAINT, text } from './svg.ts'
import { bandLabels, toneBand } from './tone-band.ts'

/** Renders a PNG whose bytes depend only on the snapshot without `generated_at` (WRITING.md 2). @throws FontError */
export async function renderPicture(snapshot: Snapshot): Promise<Rendering> {
  const bytes = await drawPng(PICTURE.width, PICTURE.height, drawing(snapshot), 9)
  return { bytes, properties: { ...PICTURE } }
}

/** Draws the whole picture as the content of an SVG. */
export function drawing(snapshot: Snapshot): string {
  const { counters } = snapshot
  const enough = slotsNeeded(encodeFrame(fieldsOf(snapshot)))
  return (
    ground() +
    heading(snapshot) +
    verdict(snapshot) +
    ribbon(snapshot) +
    litChord(counters) +
    counterNames() +
    counterNumbers(counters) +
    toneBand(tonesOf(snapshot), enough, 'full') +
    bandLabels(enough) +
    foot(snapshot)
  )
}

export const ground = (): string => element('rect', { ...PICTURE, fill: NIGHT.ground })

const FOOT = 1044

/** Draws the footer: the link to the previous snapshot, and what the sound is. */
export function foot({ previous, protocol_version }: Snapshot): string {
  const link =
    previous === null
      ? 'first day of its archive'
      : `previous ${previous.day}, sha256 ${previous.sha256.slice(0, 12)}…`
  const style = { size: SMALLEST_TEXT, fill: FAINT, condensed: true }
  const sound = `${SLOTS} tones, protocol V${protocol_version}`
  return text(LEFT, FOOT, link, style) + text(RIGHT, FOOT, sound, { ...style, anchor: 'end' })
}

/** Minimum width of a gap [pixels], so that short ones are visible too. */
const LEAST_GAP = 6
const HOURS = [6, 12, 18]

/** Draws the 24 hours from left to right: filled while a server was observed, outlined while none was. */
function ribbon({ from, to, coverage }: Snapshot): string {
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
