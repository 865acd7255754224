// Notices that samples of a microphone were lost, by comparing their number with the time that has passed.

/** Each period, the smallest delay counts: samples that only arrived late come in a burst within it [s]. */
const PERIOD = 2
/** A smaller loss is not told from jitter; it is half a slot [s]. */
const LEAST = 0.05
/** What the clocks of the sound and of the device may differ by in a period, 500 ppm [s]. */
const DRIFT = PERIOD * 5e-4

/**
 * @param rate of the samples [Hz]
 * @returns a function that counts samples, of which the last arrived at that time [ms], and returns how many were lost
 * before them
 */
export function gapFinder(rate: number): (length: number, at: number) => number {
  let samples = 0
  let periodEnd = PERIOD * rate
  /** The smallest delay of the samples behind the clock, in this period and in the one before [s]. */
  let delay = Number.POSITIVE_INFINITY
  let usual: number | null = null
  return (length, at) => {
    samples += length
    delay = Math.min(delay, at / 1000 - samples / rate)
    if (samples < periodEnd) return 0
    periodEnd = samples + PERIOD * rate
    const smallest = delay
    delay = Number.POSITIVE_INFINITY
    if (usual === null || smallest - usual < LEAST) {
      // Rises slowly, so that several small losses add up until they are noticed.
      usual = usual === null ? smallest : Math.min(smallest, usual + DRIFT)
      return 0
    }
    const lost = Math.round((smallest - usual) * rate)
    samples += lost
    periodEnd += lost
    return lost
  }
}
