// Where a transmission lies in a recording: in time, in speed and in frequency (SPEC.md 9.3 and 9.4).
import { SLOTS } from '../constants.ts'
import { CENTRE_FREQUENCY, SLOT_LENGTH } from './baseband.ts'

/**
 * A place by the middle of the transmission: there an error in one of the three hardly moves the best value of the
 * others. Counted from the beginning it would, and every search would zigzag.
 */
export interface Place {
  /** From the beginning of the recording to the middle of the transmission [baseband samples, with a fraction]. */
  time: number
  /** 1.01 is 1 % faster and higher than sent. */
  speed: number
  /** From where the middle of the band was sent to where it is heard [Hz]; speed and translation both move it. */
  offset: number
}

/** The order in which a search goes along the axes of a place. */
export const AXES = ['time', 'offset', 'speed'] as const

/** The place of a transmission whose slot 0 begins at `start` [baseband samples], by its translation [Hz]. */
export function placeOf(start: number, speed: number, translation: number): Place {
  return {
    time: start + lengthOf({ speed }) / 2,
    speed,
    offset: CENTRE_FREQUENCY * (speed - 1) + translation,
  }
}

/** From the beginning of the recording to the beginning of slot 0 [baseband samples]. */
export function startOf(place: Place): number {
  return place.time - lengthOf(place) / 2
}

/** From the beginning of slot 0 to the end of the last slot [baseband samples]. */
export function lengthOf({ speed }: Pick<Place, 'speed'>): number {
  return (SLOTS * SLOT_LENGTH) / speed
}

/** By how much all frequencies are moved, on top of what the speed does [Hz]. */
export function translationOf({ speed, offset }: Place): number {
  return offset - CENTRE_FREQUENCY * (speed - 1)
}
