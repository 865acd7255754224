// Rates how well a transmission was received, in words.

/** Eb/N0 at which 99 of 100 recordings in white noise are decoded (SPEC.md 11) [dB]. */
const LIMIT_DB = 0.3
/** Above this margin the noise is not measurable, as in a file that was never played [dB]. */
export const NOISELESS_DB = 40
export const VERY_CLEAR_DB = 15
export const GOOD_DB = 5

export interface Quality {
  word: 'Very clear' | 'Good' | 'Buried in noise'
  /** Eb/N0 above the decoding limit [dB]. */
  margin: number
  /** The margin in words, without a full stop. */
  level: string
}

/** @param ebN0 [dB] */
export function rateReception(ebN0: number): Quality {
  const margin = ebN0 - LIMIT_DB
  // Adding 0 turns the -0 of a small negative number into 0.
  const decibels = (Math.round(margin * 10) / 10 + 0).toFixed(1)
  return {
    word: margin >= VERY_CLEAR_DB ? 'Very clear' : margin >= GOOD_DB ? 'Good' : 'Buried in noise',
    margin,
    level: margin > NOISELESS_DB ? 'No measurable noise' : `${decibels} dB to spare`,
  }
}
