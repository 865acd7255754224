// The alignment of a transmission in a recording: time, speed and frequency offset (SPEC.md 9.3 and 9.4).
import { SLOTS } from '../constants.ts'
import { CENTRE_FREQUENCY, SLOT_LENGTH } from './baseband.ts'

/**
 * Refers to the middle of the transmission, where an error in one component hardly moves the optimum of the others.
 * Relative to the beginning it would, and every search would zigzag.
 */
export interface Alignment {
  /** From the beginning of the recording to the middle of the transmission [baseband samples, with a fraction]. */
  time: number
  /** 1.01 is 1 % faster and higher than sent. */
  speed: number
  /** Frequency of the middle of the band as received minus as sent [Hz]; speed and translation both shift it. */
  offset: number
}

/** The order in which a search visits the axes. */
export const AXES = ['time', 'offset', 'speed'] as const

/** Returns the alignment with slot 0 at `start` [baseband samples] and a `translation` [Hz]. */
export function alignmentOf(start: number, speed: number, translation: number): Alignment {
  return {
    time: start + lengthOf({ speed }) / 2,
    speed,
    offset: CENTRE_FREQUENCY * (speed - 1) + translation,
  }
}

/** Returns the start of slot 0, from the beginning of the recording [baseband samples]. */
export function startOf(alignment: Alignment): number {
  return alignment.time - lengthOf(alignment) / 2
}

/** Returns the length from the start of slot 0 to the end of the last slot [baseband samples]. */
export function lengthOf({ speed }: Pick<Alignment, 'speed'>): number {
  return (SLOTS * SLOT_LENGTH) / speed
}

/** Returns the shift of all frequencies in addition to the effect of the speed [Hz]. */
export function translationOf({ speed, offset }: Alignment): number {
  return offset - CENTRE_FREQUENCY * (speed - 1)
}
