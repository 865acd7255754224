// The timeline of the film, and its ffmpeg filter graph: stills, and opaque windows that move over them.
import type { ChordGrid } from '../../archive/drawing/chord.ts'
import { secondsAfter } from '../../archive/drawing/enough.ts'
import {
  RAMP_SAMPLES,
  SAMPLE_RATE,
  SLOTS,
  SYMBOL_SAMPLES,
  TRANSMISSION_SECONDS,
} from '../../protocol/index.ts'
import { PARTS } from './film-stills.ts'
import {
  BAND,
  blockBoxes,
  FREQUENCY,
  LISTENING,
  type Rectangle,
  ROLL,
  SLOT_WIDTH,
  WORDS,
  xAfter,
} from './layout.ts'
import { FREQUENCIES, SLOT_IN_TILE, SOUNDING_TILE } from './tone-roll.ts'

/** Frames per second. */
export const FRAME_RATE = 12.5
/** Number of frames. The last one extends a little past the sound and equals the picture. */
export const FRAMES = Math.ceil(TRANSMISSION_SECONDS * FRAME_RATE)
/** Durations: the tones fall, then the chord rises where they fell; at the end all tones get their full light. */
const FALL_FRAMES = 9
const RISE_FRAMES = 15
const CURTAIN_FRAMES = 10

/** @param enough number of slots from which the day can be read */
export function timelineOf(enough: number) {
  const readable = Math.ceil(secondsAfter(enough) * FRAME_RATE)
  return {
    enough,
    /** From here on the first `enough` slots have been heard, and the checksum holds. */
    readable,
    /** From here on the numbers and the conclusion are shown. */
    read: readable + FALL_FRAMES + RISE_FRAMES,
  }
}

/** The first frame of each part of the film. */
type Timeline = ReturnType<typeof timelineOf>

/** Width of the window on the sounding tone: even, as 4:2:0 requires, and at most a slot, which is 6.4 pixels. */
const SOUNDING_WIDTH = 6

/**
 * Inputs: 0 the picture, 1 the still while it listens, 2 the one when the day has been read, 3 the parts, 4 the tiles, 5
 * the `cards` of words.
 * Output: `[video]`. Each still is decoded and converted to BT.709 once, then looped for exactly the frames that show
 * it. Endless stills would need `-shortest`, which cuts off the end of the sound.
 */
export function filmFilter(timeline: Timeline, grid: ChordGrid, cards: number): string {
  const { readable, read } = timeline
  return [
    `[0:v]${TO_YUV},split=3[picture][full0][full1]`,
    `[1:v]${TO_YUV},split[waiting][silent]`,
    `[2:v]${TO_YUV},split=5[turn][empty][empty0][empty1][band]`,
    `[3:v]${TO_YUV},split=5[roll_part][heard_part][full_part][sounding_part][fall_part]`,
    `[4:v]${TO_YUV},split[tile_part][frequency_part]`,

    `[waiting]${repeated(readable)}[listening]`,
    `[turn]${repeated(read - readable)}[read]`,
    `[picture]${repeated(FRAMES - read)}[after]`,
    `[listening][read][after]concat=n=3,setpts=N/${FRAME_RATE}/TB[main]`,

    ...listening(timeline),
    ...turn(timeline, grid),
    ...band(timeline),
    ...words(timeline, cards),
  ].join(';')
}

/** While it listens, the tones that were heard are lit, and the sounding one is large. Input `[main]`, output `[heard]`. */
const listening = ({ readable }: Timeline): string[] => [
  `[roll_part]${cropped(PARTS.roll)},${repeated(readable)},${windowAt(HEARD, LISTENING)}[roll]`,
  `[tile_part]${repeated(readable)},crop=${SOUNDING_TILE.width}:${SOUNDING_TILE.height}:'${SOUNDING_TILE.width}*${SLOT}':0[tile]`,
  `[frequency_part]${repeated(readable)},crop=${FREQUENCIES.width}:${FREQUENCIES.height}:'${FREQUENCIES.width}*mod(${SLOT},${FREQUENCIES.perRow})':'${SOUNDING_TILE.height}+${FREQUENCIES.height}*floor(${SLOT}/${FREQUENCIES.perRow})'[frequency]`,
  `[main][roll]${overlay(`${LISTENING.x - LISTENING.width}+${HEARD}`, LISTENING.y)}[with_roll]`,
  `[with_roll][tile]${overlay(`${ROLL.x}+${TILE_LEFT}`, ROLL.y)}[with_tile]`,
  `[with_tile][frequency]${overlay(FREQUENCY.x, FREQUENCY.y)}[heard_all]`,
]

/** The tones fall behind the band, then the empty chord is there, and a cover of unlit blocks moves off each half of the chord, block by block. */
function turn({ readable, read }: Timeline, grid: ChordGrid): string[] {
  const between = repeated(read - readable)
  return [
    `[empty]${cropped(ROLL)},${between}[chord0]`,
    ...blockBoxes().flatMap((box, half) => [
      `[full${half}]${cropped(box)},${between}[lit${half}]`,
      `[empty${half}]${cropped(box)},${between}[cover${half}]`,
      `[lit${half}][cover${half}]${overlay(riseOf(grid), 0)}[rising${half}]`,
      `[chord${half}][rising${half}]${overlay(box.x - ROLL.x, box.y - ROLL.y)}[chord${half + 1}]`,
    ]),
    `[silent]${cropped(ROLL)},${repeated(FALL_FRAMES)}[empty_roll]`,
    `[fall_part]${cropped(PARTS.fall)},${repeated(FALL_FRAMES)}[falling]`,
    `[empty_roll][falling]${overlay(0, FALLEN)}[fall]`,
    `[chord2][fall]${overlay(0, 0)},${from(readable)}[risen]`,
    `[heard_all][risen]${overlay(ROLL.x, ROLL.y)}[with_chord]`,
  ]
}

/** Then the tones go on below the chord. The last frame shows all of them and equals the picture. */
function band({ enough, readable }: Timeline): string[] {
  const shown = repeated(FRAMES - 1 - readable, readable)
  return [
    `[band]${cropped(BAND)},${shown}[unheard]`,
    `[heard_part]${cropped(PARTS.heard)},${shown},${windowAt(HEARD, BAND)}[heard]`,
    `[sounding_part]${cropped(PARTS.sounding)},${shown},${windowAt(SOUNDING, { ...BAND, width: SOUNDING_WIDTH })}[sounding]`,
    `[full_part]${cropped(PARTS.full)},${shown},${windowAt(curtain(enough), BAND)}[full]`,
    `[unheard][heard]${overlay(`${HEARD}-${BAND.width}`, 0)}[lit_heard]`,
    `[lit_heard][sounding]${overlay(SOUNDING, 0)}[lit_sounding]`,
    `[lit_sounding][full]${overlay(`${curtain(enough)}-${BAND.width}`, 0)}[lit]`,
    `[with_chord][lit]${overlay(BAND.x, BAND.y)}[with_band]`,
  ]
}

/** Once the numbers are shown, they are there in words as well, for the same time each, until the last frame. */
function words({ read }: Timeline, cards: number): string[] {
  const { width, height } = WORDS
  const frames = FRAMES - 1 - read
  const y = `${height}*floor((${FRAME}-${read})*${cards}/${frames})`
  return [
    `[5:v]${TO_YUV},${repeated(frames, read)},crop=${width}:${height}:0:'${y}'[words]`,
    `[with_band][words]${overlay(WORDS.x, WORDS.y)}[video]`,
  ]
}

const TO_YUV = 'scale=out_color_matrix=bt709:out_range=tv,format=yuv420p'

/** Loops a still for `frames` frames, starting at frame `first`. */
const repeated = (frames: number, first = 0): string =>
  `loop=loop=${frames - 1}:size=1,${from(first)}`

const from = (frame: number): string => `setpts=(N+${frame})/${FRAME_RATE}/TB`

const cropped = ({ x, y, width, height }: Rectangle): string => `crop=${width}:${height}:${x}:${y}`

/** Overlays a part; once its stream has ended it is no longer shown. */
const overlay = (x: number | string, y: number | string): string =>
  `overlay=x='${x}':y='${y}':format=yuv420:eof_action=pass`

/** Crops the window of a part that starts at x. */
const windowAt = (x: string, { width, height }: Pick<Rectangle, 'width' | 'height'>): string =>
  `crop=${width}:${height}:'${x}':0`

/** The frame number in an expression; ffmpeg's own `n` starts at 1 in some filters and at 0 in others. */
const FRAME = `round(t*${FRAME_RATE})`

/** The slot that sounds at the middle of a frame. */
const SLOT = `min(${SLOTS - 1},floor(((${FRAME}+0.5)/${FRAME_RATE}-${RAMP_SAMPLES / SAMPLE_RATE})*${SAMPLE_RATE / SYMBOL_SAMPLES}))`

/** An even x close to the gap after this many slots. */
const evenAfter = (slots: string): string => `2*round((${slots})*${SLOT_WIDTH / 2}-0.4)`

const HEARD = evenAfter(`1+${SLOT}`)
const SOUNDING = evenAfter(SLOT)
/** The left edge of the tile of the sounding slot, as tileLeft computes it. */
const TILE_LEFT = `2*round((${SLOT}*${SLOT_WIDTH}-${SLOT_IN_TILE})/2)`
/** How far the tones have fallen [pixels], accelerating. */
const FALLEN = `2*floor(${ROLL.height / 2}*pow((${FRAME}+1)/${FALL_FRAMES},2))`

/** The x up to which the tones have their full light: 0, then moving from `enough` to the last slot at the end. */
function curtain(enough: number): string {
  const first = FRAMES - 1 - CURTAIN_FRAMES
  const left = xAfter(enough) - BAND.x
  const moving = `2*round((${left}+${BAND.width - left}*(${FRAME}-${first})/${CURTAIN_FRAMES})/2)`
  return `if(lt(${FRAME},${first}),0,${moving})`
}

/** How far the cover has moved off the chord [pixels]: in whole rows, decelerating, to an even pixel. */
function riseOf(grid: ChordGrid): string {
  const pitch = grid.block.height + grid.gap.y
  const left = `(1-clip((${FRAME}+1-${FALL_FRAMES})/${RISE_FRAMES},0,1))`
  return `if(lt(${FRAME},${FALL_FRAMES}),0,2*ceil(${pitch / 2}*ceil(${grid.rows}*(1-pow(${left},2)))))`
}
