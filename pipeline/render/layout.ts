// Where things are in the picture, in pixels: the card, and the plot whose axes the video's playhead shares.

import { SAMPLE_RATE } from '../../protocol/index.ts'
import { TRANSMISSION_SECONDS } from './sound.ts'

export interface Rectangle {
  x: number
  y: number
  width: number
  height: number
}

/** Full HD; even numbers, as 4:2:0 video wants them. */
export const PICTURE = { width: 1920, height: 1080 } as const
export const MARGIN = 80

/** The spectrogram: the transmission's time from its left edge to its right, FREQUENCY_RANGE from its lower edge to its upper. */
export const PLOT: Rectangle = { x: 152, y: 568, width: 1632, height: 432 }

/** A row of pixels is a bin of the spectrogram's transform, 5.86 Hz wide; the lowest row is bin 57. */
export const ROW_HERTZ = SAMPLE_RATE / 8192
export const LOWEST_ROW = 57
/** Hz, 331 to 2862: every tone and a little around them. */
export const FREQUENCY_RANGE = {
  low: (LOWEST_ROW - 0.5) * ROW_HERTZ,
  high: (LOWEST_ROW - 0.5 + PLOT.height) * ROW_HERTZ,
}

/** The x of an instant of the transmission, in seconds from its first sample. */
export function xOfTime(seconds: number): number {
  return PLOT.x + (PLOT.width * seconds) / TRANSMISSION_SECONDS
}

/** The y of a frequency in Hz. */
export function yOfFrequency(hertz: number): number {
  const { low, high } = FREQUENCY_RANGE
  return PLOT.y + (PLOT.height * (high - hertz)) / (high - low)
}
