// Draws the stills that ffmpeg combines with the picture to the film: the picture before the day is read, and the parts
// that light up or appear.
import { NIGHT } from '../../archive/drawing/colours.ts'
import { secondsAfter } from '../../archive/drawing/enough.ts'
import { tonesOf } from '../../archive/drawing/tone-strip.ts'
import type { Snapshot } from '../../archive/format/snapshot.ts'
import { columnNames, emptyChord } from './chord-figure.ts'
import { announcement, brand, date } from './header.ts'
import { BAND, CHORD, PICTURE, type Rectangle, VERDICT } from './layout.ts'
import { foot, ground } from './picture.ts'
import { drawPng } from './png.ts'
import { emptyRibbon } from './ribbon.ts'
import { element, FAINT } from './svg.ts'
import { bandLabels, toneBand } from './tone-band.ts'

/** Draws the picture before anything has been heard. */
export function listeningStill(snapshot: Snapshot, enough: number): Promise<Buffer> {
  const { counters } = snapshot
  return still(
    PICTURE.width,
    PICTURE.height,
    ground() +
      brand(snapshot) +
      date(snapshot, DIM) +
      announcement('listening', 'nothing is known of the day yet', FAINT) +
      emptyRibbon() +
      emptyChord(counters) +
      columnNames(counters) +
      toneBand(tonesOf(snapshot), enough, 'unheard') +
      bandLabels(enough, false) +
      foot(snapshot),
  )
}

/** Colour of the date while it has not been heard. */
const DIM = '#2b3446'

/**
 * The rectangles of the parts in their still. The first two begin with plain ground as wide as the band: a band-wide
 * window that moves from the ground to the part shows as much of it as has been heard.
 */
export const PARTS = {
  heard: { x: 0, y: 0, width: 2 * BAND.width, height: BAND.height },
  full: { x: 0, y: BAND.height, width: 2 * BAND.width, height: BAND.height },
  sounding: { x: 0, y: 2 * BAND.height, width: BAND.width, height: BAND.height },
  holds: { x: BAND.width, y: 2 * BAND.height, width: VERDICT.width, height: VERDICT.height },
  line: { x: 2 * BAND.width, y: 0, width: 6, height: CHORD.height },
} as const satisfies Record<string, Rectangle>

/** Draws all parts in one still, so that ffmpeg reads one file instead of five. */
export function partsStill(snapshot: Snapshot, enough: number): Promise<Buffer> {
  const { heard, full, sounding, holds, line } = PARTS
  const tones = tonesOf(snapshot)
  const second = { heard: heard.x + BAND.width, full: full.x + BAND.width }
  const width = line.x + line.width
  const height = line.height
  const detail = `the day is read after ${secondsAfter(enough).toFixed(2)} s`
  return still(
    width,
    height,
    element('rect', { width, height, fill: NIGHT.ground }) +
      moved(toneBand(tones, enough, 'half'), BAND, second.heard, heard.y) +
      moved(toneBand(tones, enough, 'full'), BAND, second.full, full.y) +
      moved(toneBand(tones, enough, 'sounding'), BAND, sounding.x, sounding.y) +
      moved(announcement('checksum holds', detail, NIGHT.good), VERDICT, holds.x, holds.y) +
      element('rect', { ...line, fill: NIGHT.good }),
  )
}

/** Moves a drawing of the picture's rectangle `from` so that its upper left corner is at x, y. */
const moved = (content: string, from: Rectangle, x: number, y: number): string =>
  element('g', { transform: `translate(${x - from.x} ${y - from.y})` }, content)

/** Draws a still. Only ffmpeg reads it, so it is compressed fast rather than well. */
const still = (width: number, height: number, content: string): Promise<Buffer> =>
  drawPng({ width, height, content }, 1)
