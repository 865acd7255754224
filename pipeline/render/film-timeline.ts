// The timeline of the film: the frames at which the day becomes readable and at which it is shown.
import { secondsAfter } from '../../archive/drawing/enough.ts'
import { TRANSMISSION_SECONDS } from '../../protocol/index.ts'

/** Frames per second. */
export const FRAME_RATE = 12.5
/** Number of frames. The last one extends a little past the sound and equals the picture. */
export const FRAMES = Math.ceil(TRANSMISSION_SECONDS * FRAME_RATE)
/** Durations: the tones fall, then the chord rises where they fell; at the end all tones get their full light. */
export const FALL_FRAMES = 9
export const RISE_FRAMES = 15
export const CURTAIN_FRAMES = 10

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
export type Timeline = ReturnType<typeof timelineOf>
