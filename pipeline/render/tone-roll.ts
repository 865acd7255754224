// Draws the tones in the large area in which the film shows them while it listens: the ones that were heard, and the
// sounding one with its frequency.
import { NIGHT } from '../../archive/drawing/colours.ts'
import { markAt, STRIP, type ToneRow } from '../../archive/drawing/tone-strip.ts'
import { BASE_BINS, SLOTS, TONE_SPACING } from '../../protocol/index.ts'
import { FREQUENCY, ROLL, SLOT_WIDTH, xAfter } from './layout.ts'
import { element, text } from './svg.ts'

/** Width and height of a mark, six pixels where the film is shown 640 wide. It is wider than its slot [pixels]. */
const MARK = 18
const SOUNDING_RADIUS = 17

/** The middle of a tone in the area. */
export function middleOf(tone: number, slot: number): { x: number; y: number } {
  const { y } = markAt(tone, slot)
  const inside = 2 * SOUNDING_RADIUS
  const scale = (ROLL.height - 2 * inside) / (STRIP.height - 1)
  return { x: xAfter(slot) + SLOT_WIDTH / 2, y: ROLL.y + inside + y * scale }
}

/** Draws the area with the tones of the first `slots` slots. */
export function toneRoll(tones: ToneRow, slots: number): string {
  const marks = tones.slice(0, slots).map((tone, slot) => {
    if (tone === null) return ''
    const { x, y } = middleOf(tone, slot)
    const corner = { x: x - MARK / 2, y: y - MARK / 2 }
    return element('rect', { ...corner, width: MARK, height: MARK, fill: NIGHT.secondary })
  })
  return element('rect', { ...ROLL, fill: NIGHT.sunken }) + marks.join('')
}

/**
 * A tile for each slot, side by side: what the area shows around the sounding tone, without the left halves of the marks
 * that come next. Its width is even.
 */
export const SOUNDING_TILE = { width: 40, height: ROLL.height } as const
/** The distance from the left edge of a tile to that of its slot. */
export const SLOT_IN_TILE = 16

/** The left edge of a slot's tile in the area, at an even pixel. It may be outside of it. */
const tileLeft = (slot: number): number => 2 * Math.round((slot * SLOT_WIDTH - SLOT_IN_TILE) / 2)

/** A tile for each slot with the frequency of its tone, in rows below the tiles above. */
export const FREQUENCIES = { ...FREQUENCY, perRow: 36 } as const

const ROWS = Math.ceil(SLOTS / FREQUENCIES.perRow)
export const TILES = {
  width: SLOTS * SOUNDING_TILE.width,
  height: SOUNDING_TILE.height + ROWS * FREQUENCIES.height,
} as const

/** Draws both kinds of tiles. */
export const toneTiles = (tones: ToneRow): string =>
  element('rect', { ...TILES, fill: NIGHT.ground }) +
  tones.map((tone, slot) => soundingTile(tones, tone, slot) + frequency(tone, slot)).join('')

function soundingTile(tones: ToneRow, tone: number | null, slot: number): string {
  const first = Math.max(0, slot - Math.ceil((SOUNDING_TILE.width + MARK) / SLOT_WIDTH))
  const near = tones.map((other, i) => (i < first ? null : other))
  const content = toneRoll(near, slot) + (tone === null ? '' : sounding(tone, slot))
  const viewBox = `${ROLL.x + tileLeft(slot)} ${ROLL.y} ${SOUNDING_TILE.width} ${SOUNDING_TILE.height}`
  return element('svg', { x: slot * SOUNDING_TILE.width, y: 0, ...SOUNDING_TILE, viewBox }, content)
}

function sounding(tone: number, slot: number): string {
  const { x, y } = middleOf(tone, slot)
  const line = { x: x - 1, y: ROLL.y, width: 2, height: ROLL.height, fill: NIGHT.secondary }
  const mark = { cx: x, cy: y, r: SOUNDING_RADIUS, fill: NIGHT.ink }
  return element('rect', line) + element('circle', mark)
}

function frequency(tone: number | null, slot: number): string {
  if (tone === null) return ''
  const { width, height, perRow } = FREQUENCIES
  const x = (slot % perRow) * width
  const y = SOUNDING_TILE.height + Math.floor(slot / perRow) * height
  const hertz = Math.round((BASE_BINS[slot & 1]! + tone) * TONE_SPACING)
  return text(x, y + height - 8, `${hertz} Hz`, { size: height })
}
