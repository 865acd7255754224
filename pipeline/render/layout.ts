// The layout of the picture and the film [pixels].
import type { ChordGrid } from '../../archive/drawing/chord.ts'
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

/**
 * The chord, lying on its side: two halves of six lanes, each with the name of its counter, its blocks from left to
 * right, and its number at the right.
 */
export const CHORD: Rectangle = { x: LEFT, y: 312, width: WIDTH, height: 458 }
const LANES = COUNTER_NAMES.length / 2
const LANE = { width: 836, height: 58, gap: 22 } as const
/** The blocks of a lane, from its left end. */
const BLOCKS = { x: 414, width: 214 } as const
/** The gap between two blocks as a fraction of a row. */
const ROW_GAP = 0.22

export const TONES_AREA: Rectangle = { x: LEFT, y: 806, width: WIDTH, height: 112 }
/** The bar that shows how much of the sound has been heard. */
export const BAR: Rectangle = { x: LEFT, y: 930, width: WIDTH, height: 6 }
/** The tone strip and the bar, which light up as the film plays. */
export const BAND: Rectangle = { x: LEFT, y: 802, width: WIDTH, height: 142 }

/** The area of the tones while the film listens. They fall from it into the band below the chord. */
export const ROLL: Rectangle = { x: LEFT, y: 304, width: WIDTH, height: 536 }
/** The bar below it, and both together. */
export const ROLL_BAR: Rectangle = { x: LEFT, y: 856, width: WIDTH, height: 12 }
export const LISTENING: Rectangle = { x: LEFT, y: ROLL.y, width: WIDTH, height: 564 }
/** The frequency of the sounding tone. */
export const FREQUENCY: Rectangle = { x: LEFT, y: 926, width: 330, height: 76 }
/** Where the film puts the numbers in words, below the band. */
export const WORDS: Rectangle = { x: LEFT, y: BAND.y + BAND.height, width: WIDTH, height: 134 }

/** Width of a slot in the tone strip. */
export const SLOT_WIDTH = WIDTH / SLOTS

/** Returns the grid of half a chord with this many rows: its columns are the lanes, its heights run to the right. */
export function gridFor(rows: number): ChordGrid {
  const pitch = Math.floor((BLOCKS.width + 1) / rows)
  const gap = Math.max(1, Math.round(pitch * ROW_GAP))
  return {
    block: { width: LANE.height, height: pitch - gap },
    gap: { x: LANE.gap, y: gap },
    rows,
    columns: LANES,
  }
}

/** Returns the lane of a counter, given its place in the frame. */
export function laneOf(counter: number): Rectangle {
  const [half, lane] = [Math.floor(counter / LANES), counter % LANES]
  const x = half === 0 ? LEFT : RIGHT - LANE.width
  const y = CHORD.y + lane * (LANE.height + LANE.gap)
  return { x, y, width: LANE.width, height: LANE.height }
}

/** Returns the part of each half in which its blocks are. */
export const blockBoxes = (): Rectangle[] =>
  [0, LANES].map((first) => {
    const { x, y } = laneOf(first)
    return { x: x + BLOCKS.x, y, width: BLOCKS.width, height: CHORD.height }
  })

/** The room for the number of a lane, right of the blocks or across them [pixels]. */
export const NUMBER_ROOM = {
  beside: LANE.width - BLOCKS.x - BLOCKS.width - 16,
  across: LANE.width - BLOCKS.x,
} as const

/** Returns the x at which `slots` of the 273 slots have ended. */
export const xAfter = (slots: number): number => LEFT + slots * SLOT_WIDTH
