// The layout of the picture and the film [pixels].
import { type ChordGrid, chordSize } from '../../archive/drawing/chord.ts'
import { COUNTER_NAMES, SLOTS } from '../../protocol/index.ts'

export interface Rectangle {
  x: number
  y: number
  width: number
  height: number
}

/** The smallest text: 7 pixels high where the picture is shown 320 wide. */
export const SMALLEST_TEXT = 44

/** Full HD. Whatever the film moves begins and ends at even pixels, as 4:2:0 video requires. */
export const PICTURE = { width: 1920, height: 1080 } as const
export const LEFT = 88
export const RIGHT = PICTURE.width - LEFT
const WIDTH = RIGHT - LEFT

/** The large date above everything. */
export const DATE = { baseline: 236, size: 184 } as const
/** The conclusion, right of the date. */
export const VERDICT: Rectangle = { x: 1232, y: 60, width: RIGHT - 1232, height: 188 }

/** The 24 hours of the day. */
export const RIBBON: Rectangle = { x: LEFT, y: 266, width: WIDTH, height: 14 }

/** The chord's columns, with their base at the lower edge. */
export const CHORD: Rectangle = { x: LEFT, y: 304, width: WIDTH, height: 416 }
const COLUMN_GAP = 20
/** The gap between two blocks as a fraction of a row. */
const ROW_GAP = 0.22

/** The tone strip. */
export const TONES_AREA: Rectangle = { x: LEFT, y: 806, width: WIDTH, height: 112 }
/** The bar that shows how much of the sound has been heard. */
export const BAR: Rectangle = { x: LEFT, y: 930, width: WIDTH, height: 6 }
/** The tone strip and the bar, which light up as the film plays. */
export const BAND: Rectangle = { x: LEFT, y: 802, width: WIDTH, height: 142 }

/** The area of the tones while the film listens: that of the chord, into which they fall. */
export const ROLL: Rectangle = CHORD
/** The bar below it, and both together. */
export const ROLL_BAR: Rectangle = { x: LEFT, y: 736, width: WIDTH, height: 10 }
export const LISTENING: Rectangle = { x: LEFT, y: ROLL.y, width: WIDTH, height: 442 }
/** The frequency of the sounding tone. */
export const FREQUENCY: Rectangle = { x: LEFT, y: 780, width: 330, height: 76 }

/** Width of a slot in the tone strip. */
export const SLOT_WIDTH = WIDTH / SLOTS

/** Returns the grid of a chord with this many rows. Heights are even, as the film raises it row by row. */
export function gridFor(rows: number): ChordGrid {
  const pitch = 2 * Math.floor((CHORD.height + 2) / rows / 2)
  const gap = 2 * Math.max(1, Math.round((pitch * ROW_GAP) / 2))
  const columns = COUNTER_NAMES.length
  const width = (WIDTH - (columns - 1) * COLUMN_GAP) / columns
  return { block: { width, height: pitch - gap }, gap: { x: COLUMN_GAP, y: gap }, rows, columns }
}

/** Returns the part of its rectangle that a chord fills, from the base upwards. */
export function chordBox(grid: ChordGrid): Rectangle {
  const { height } = chordSize(grid)
  return { ...CHORD, y: CHORD.y + CHORD.height - height, height }
}

/** Returns the x at which `slots` of the 273 slots have ended. */
export const xAfter = (slots: number): number => LEFT + slots * SLOT_WIDTH
