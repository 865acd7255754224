// Where a transmission lies in a recording, told by its beginning or by its middle.

import { SLOTS } from '../constants.ts'
import { BASEBAND_RATE, CENTRE_FREQUENCY } from './baseband.ts'
import { SLOT_LENGTH } from './spectrogram.ts'

/** A place in time, speed and frequency. */
export interface Placement {
  /** The beginning of slot 0 in baseband samples from the beginning of the recording, with a fraction. */
  start: number
  /** 1.01 is 1 % faster and higher than sent. */
  speed: number
  /** Translation in Hz on top of the speed's. */
  shift: number
}

/** The same by the middle of the transmission: an error in one of these hardly moves the best value of the others. */
export interface Middle {
  /** Baseband samples from the beginning of the recording to the middle of the transmission. */
  time: number
  speed: number
  /** Hz between where the middle of the band is and where it was sent. */
  offset: number
}

/** Baseband samples from the beginning of slot 0 to the end of the last one. */
export function lengthOf({ speed }: { speed: number }): number {
  return (SLOTS * SLOT_LENGTH) / speed
}

export function middleOf({ start, speed, shift }: Placement): Middle {
  return {
    time: start + lengthOf({ speed }) / 2,
    speed,
    offset: CENTRE_FREQUENCY * (speed - 1) + shift,
  }
}

/** The inverse of `middleOf`. */
export function placementOf({ time, speed, offset }: Middle): Placement {
  return {
    start: time - lengthOf({ speed }) / 2,
    speed,
    shift: offset - CENTRE_FREQUENCY * (speed - 1),
  }
}

/** Seconds from the beginning of the recording to the beginning of slot 0. */
export function startSeconds({ start }: Placement): number {
  return start / BASEBAND_RATE
}
