// Builds the ffmpeg filter graph of the film: stills, and opaque windows that move over them.
import type { ChordGrid } from '../../archive/drawing/chord.ts'
import { RAMP_SAMPLES, SAMPLE_RATE, SLOTS, SYMBOL_SAMPLES } from '../../protocol/index.ts'
import { PARTS } from './film-stills.ts'
import {
  CURTAIN_FRAMES,
  FRAME_RATE,
  FRAMES,
  LINE_FRAMES,
  RISE_FRAMES,
  type Timeline,
} from './film-timeline.ts'
import { BAND, chordBox, type Rectangle, SLOT_WIDTH, VERDICT, xAfter } from './layout.ts'

/** Width of the window on the sounding tone: even, as 4:2:0 requires, and at most a slot, which is 6.4 pixels. */
const SOUNDING_WIDTH = 6

/**
 * Inputs: 0 the picture, 1 the still before anything is heard, 2 the parts. Output: `[video]`. Each still is decoded
 * and converted to BT.709 once, then looped for exactly the frames that show it. Endless stills would need `-shortest`,
 * which cuts off the end of the sound.
 */
export function filmFilter({ enough, readable, read }: Timeline, grid: ChordGrid): string {
  const between = read - readable
  const box = chordBox(grid)
  return [
    `[0:v]${TO_YUV},split[picture][full_chord]`,
    `[1:v]${TO_YUV},split=3[listening][empty_chord][band]`,
    `[2:v]${TO_YUV},split=5[line_part][holds_part][heard_part][sounding_part][full_part]`,

    `[listening]${repeated(read)}[before]`,
    `[picture]${repeated(FRAMES - read)}[after]`,
    `[before][after]concat,setpts=N/${FRAME_RATE}/TB[main]`,

    // First the line crosses the chord, then the cover of unlit blocks moves up row by row.
    `[full_chord]${cropped(box)},${repeated(between)}[chord]`,
    `[empty_chord]${cropped(box)},${repeated(between)}[cover]`,
    `[line_part]${cropped(PARTS.line)},${repeated(LINE_FRAMES)}[line]`,
    `[chord][cover]${overlay(0, `-${riseOf(grid)}`)}[rising]`,
    `[rising][line]${overlay(`${box.width}*(${FRAME}+1)/${LINE_FRAMES + 1}`, 0)},${from(readable)}[risen]`,
    `[holds_part]${cropped(PARTS.holds)},${repeated(between, readable)}[holds]`,

    // The tones light up as they are heard. The last frame shows all of them and equals the picture.
    `[band]${cropped(BAND)},${repeated(FRAMES - 1)}[unheard]`,
    `[heard_part]${cropped(PARTS.heard)},${repeated(FRAMES - 1)},${windowAt(HEARD)}[heard]`,
    `[sounding_part]${cropped(PARTS.sounding)},${repeated(FRAMES - 1)},${windowAt(SOUNDING, SOUNDING_WIDTH)}[sounding]`,
    `[full_part]${cropped(PARTS.full)},${repeated(FRAMES - 1)},${windowAt(curtain(enough))}[full]`,
    `[unheard][heard]${overlay(`${HEARD}-${BAND.width}`, 0)}[lit_heard]`,
    `[lit_heard][sounding]${overlay(SOUNDING, 0)}[lit_sounding]`,
    `[lit_sounding][full]${overlay(`${curtain(enough)}-${BAND.width}`, 0)}[lit]`,

    `[main][risen]${overlay(box.x, box.y)}[with_chord]`,
    `[with_chord][holds]${overlay(VERDICT.x, VERDICT.y)}[with_words]`,
    `[with_words][lit]${overlay(BAND.x, BAND.y)}[video]`,
  ].join(';')
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

/** Crops the window of a part that starts at x, by default as wide as the band. */
const windowAt = (x: string, width: number = BAND.width): string =>
  `crop=${width}:${BAND.height}:'${x}':0`

/** The frame number in an expression; ffmpeg's own `n` starts at 1 in some filters and at 0 in others. */
const FRAME = `round(t*${FRAME_RATE})`

/** The slot that sounds at the middle of a frame. */
const SLOT = `min(${SLOTS - 1},floor(((${FRAME}+0.5)/${FRAME_RATE}-${RAMP_SAMPLES / SAMPLE_RATE})*${SAMPLE_RATE / SYMBOL_SAMPLES}))`

/** An even x close to the gap after this many slots. */
const evenAfter = (slots: string): string => `2*round((${slots})*${SLOT_WIDTH / 2}-0.4)`

const HEARD = evenAfter(`1+${SLOT}`)
const SOUNDING = evenAfter(SLOT)

/** The x up to which the tones have their full light: 0, then moving from `enough` to the last slot at the end. */
function curtain(enough: number): string {
  const first = FRAMES - 1 - CURTAIN_FRAMES
  const left = xAfter(enough) - BAND.x
  const moving = `2*round((${left}+${BAND.width - left}*(${FRAME}-${first})/${CURTAIN_FRAMES})/2)`
  return `if(lt(${FRAME},${first}),0,${moving})`
}

/** How far the chord has risen [pixels]: in whole rows, decelerating. */
function riseOf(grid: ChordGrid): string {
  const pitch = grid.block.height + grid.gap.y
  const left = `(1-clip((${FRAME}+1-${LINE_FRAMES})/${RISE_FRAMES},0,1))`
  return `if(lt(${FRAME},${LINE_FRAMES}),0,${pitch}*ceil(${grid.rows}*(1-pow(${left},2))))`
}
