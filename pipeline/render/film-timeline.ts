// What the film shows when: the frames at which the day becomes readable, is read, and has been heard.
import { TRANSMISSION_SECONDS } from '../../protocol/index.ts'
import { secondsAfter } from './enough.ts'

/** Frames a second. */
export const FRAME_RATE = 12.5
/** Frames until the sound has ended: the last one reaches a little past it, and is the picture. */
export const FRAMES = Math.ceil(TRANSMISSION_SECONDS * FRAME_RATE)
/** A line runs across the empty chord, then the chord rises, and at the end all tones get their full light. */
export const LINE_FRAMES = 6
export const RISE_FRAMES = 15
export const CURTAIN_FRAMES = 10

/** The first frames of the film's parts. */
export interface Timeline {
  /** The slots from which the day can be read. */
  enough: number
  /** The first `enough` slots have been heard: the checksum holds. */
  readable: number
  /** The numbers and the conclusion are shown. */
  read: number
}

/** @param enough slots from which the day can be read */
export function timelineOf(enough: number): Timeline {
  const readable = Math.ceil(secondsAfter(enough) * FRAME_RATE)
  return { enough, readable, read: readable + LINE_FRAMES + RISE_FRAMES }
}
