// Renders the picture of a day: date and flags, the counters as a chord, the tones as a strip.
import { NIGHT } from '../../archive/drawing/colours.ts'
import { slotsNeeded } from '../../archive/drawing/enough.ts'
import { tonesOf } from '../../archive/drawing/tone-strip.ts'
import { fieldsOf, type Snapshot } from '../../archive/format/snapshot.ts'
import { encodeFrame, SLOTS } from '../../protocol/index.ts'
import { litChord } from './chord-figure.ts'
import { longNumbers, shortNumbers } from './chord-numbers.ts'
import { columnNames } from './column-names.ts'
import { brand, date, verdict, weekday } from './header.ts'
import { LEFT, PICTURE, RIGHT, SMALLEST_TEXT } from './layout.ts'
import { drawPng } from './png.ts'
import type { Rendering } from './rendering.ts'
import { ribbon } from './ribbon.ts'
import { element, FAINT, text } from './svg.ts'
import { bandLabels, toneBand } from './tone-band.ts'

/** Renders a PNG whose bytes depend only on the snapshot without `generated_at` (WRITING.md 2). @throws FontError */
export async function renderPicture(snapshot: Snapshot): Promise<Rendering> {
  const bytes = await drawPng({ ...PICTURE, content: drawing(snapshot) }, 9)
  return { bytes, properties: { ...PICTURE } }
}

/** Draws the whole picture as the content of an SVG. */
export function drawing(snapshot: Snapshot): string {
  const { counters } = snapshot
  const enough = slotsNeeded(encodeFrame(fieldsOf(snapshot)))
  return (
    ground() +
    brand() +
    weekday(snapshot) +
    date(snapshot) +
    verdict(snapshot) +
    ribbon(snapshot) +
    litChord(counters) +
    longNumbers(counters) +
    shortNumbers(counters) +
    columnNames(counters) +
    toneBand(tonesOf(snapshot), enough, 'full') +
    bandLabels(enough) +
    foot(snapshot)
  )
}

export const ground = (): string => element('rect', { ...PICTURE, fill: NIGHT.ground })

const FOOT = 1058

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
