// Draws the stills that ffmpeg combines with the picture to the film: while it listens, when the day has just been read,
// and the parts that light up or move.
import { NIGHT } from '../../archive/drawing/colours.ts'
import { secondsAfter } from '../../archive/drawing/enough.ts'
import { tonesOf } from '../../archive/drawing/tone-strip.ts'
import type { Snapshot } from '../../archive/format/snapshot.ts'
import { SLOTS } from '../../protocol/index.ts'
import { counterNames, emptyChord } from './chord-figure.ts'
import { drawnWords, wordsOf } from './film-words.ts'
import { announcement, heading } from './header.ts'
import {
  BAND,
  FREQUENCY,
  LISTENING,
  PICTURE,
  type Rectangle,
  RIGHT,
  ROLL,
  ROLL_BAR,
  SMALLEST_TEXT,
  WORDS,
} from './layout.ts'
import { foot, ground } from './picture.ts'
import { drawPng } from './png.ts'
import { element, text } from './svg.ts'
import { bandLabels, toneBand } from './tone-band.ts'
import { TILES, toneRoll, toneTiles } from './tone-roll.ts'

/** Draws what is known before anything has been heard: only which day it is. */
export const listeningStill = (snapshot: Snapshot): Promise<Buffer> =>
  still(
    PICTURE.width,
    PICTURE.height,
    ground() +
      heading(snapshot) +
      announcement('listening', 'numbers not decoded yet', NIGHT.ink) +
      toneRoll([], 0) +
      element('rect', { ...ROLL_BAR, fill: NIGHT.unlit }) +
      text(RIGHT, CAPTION, `${SLOTS} tones carry the numbers of a day`, {
        size: SMALLEST_TEXT,
        fill: NIGHT.secondary,
        anchor: 'end',
      }),
  )

/** The baseline of the frequency. */
const CAPTION = FREQUENCY.y + FREQUENCY.height - 8

/** Draws the picture without its content, at the moment from which that is known. */
export const turnStill = (snapshot: Snapshot, enough: number): Promise<Buffer> =>
  still(
    PICTURE.width,
    PICTURE.height,
    ground() +
      heading(snapshot) +
      announcement('checksum holds', `read in ${secondsAfter(enough).toFixed(1)} s`, NIGHT.good) +
      emptyChord(snapshot.counters) +
      counterNames() +
      toneBand(tonesOf(snapshot), enough, 'unheard') +
      bandLabels(enough) +
      foot(snapshot),
  )

/**
 * The rectangles of the parts in their still. The first three begin with plain ground as wide as the tones: a window of
 * that width that moves from the ground to the part shows as much of it as has been heard.
 */
export const PARTS = {
  roll: { x: 0, y: 0, width: 2 * BAND.width, height: LISTENING.height },
  heard: { x: 0, y: LISTENING.height, width: 2 * BAND.width, height: BAND.height },
  full: { x: 0, y: LISTENING.height + BAND.height, width: 2 * BAND.width, height: BAND.height },
  sounding: {
    x: 0,
    y: LISTENING.height + 2 * BAND.height,
    width: BAND.width,
    height: BAND.height,
  },
  fall: {
    x: BAND.width,
    y: LISTENING.height + 2 * BAND.height,
    width: BAND.width,
    height: ROLL.height,
  },
} as const satisfies Record<string, Rectangle>

/** Draws all parts in one still, so that ffmpeg reads one file instead of five. */
export function partsStill(snapshot: Snapshot, enough: number): Promise<Buffer> {
  const { roll, heard, full, sounding, fall } = PARTS
  const tones = tonesOf(snapshot)
  const { width } = roll
  const height = fall.y + fall.height
  const second = BAND.width
  const heardBar = element('rect', { ...ROLL_BAR, fill: NIGHT.secondary })
  return still(
    width,
    height,
    element('rect', { width, height, fill: NIGHT.ground }) +
      moved(toneRoll(tones, SLOTS) + heardBar, LISTENING, second, roll.y) +
      moved(toneBand(tones, enough, 'half'), BAND, second, heard.y) +
      moved(toneBand(tones, enough, 'full'), BAND, second, full.y) +
      moved(toneBand(tones, enough, 'sounding'), BAND, sounding.x, sounding.y) +
      moved(toneRoll(tones, enough), ROLL, fall.x, fall.y),
  )
}

/** Draws a tile for each slot: the sounding tone, and its frequency. */
export const tilesStill = (snapshot: Snapshot): Promise<Buffer> =>
  still(TILES.width, TILES.height, toneTiles(tonesOf(snapshot)))

export function wordsStill(snapshot: Snapshot): Promise<Buffer> {
  const size = { width: WORDS.width, height: wordsOf(snapshot).length * WORDS.height }
  const behind = element('rect', { ...size, fill: NIGHT.ground })
  return still(size.width, size.height, behind + drawnWords(snapshot))
}

/** Moves a drawing of the picture's rectangle `from` so that its upper left corner is at x, y. */
const moved = (content: string, from: Rectangle, x: number, y: number): string =>
  element('g', { transform: `translate(${x - from.x} ${y - from.y})` }, content)

/** Draws a still. Only ffmpeg reads it, so it is compressed fast rather than well. */
const still = (width: number, height: number, content: string): Promise<Buffer> =>
  drawPng(width, height, content, 1)
