// Notices that samples of a microphone were lost, by comparing their number with the time that has passed.

/** Each period, the smallest delay counts: samples that only arrived late come in a burst within it [s]. */
const PERIOD = 2
/** A smaller loss is not told from jitter; it is half a slot [s]. */
const LEAST = 0.05
/** What the clocks of the sound and of the device may differ by in a period, 500 ppm [s]. */
const DRIFT = PERIOD * 5e-4

export class GapFinder {
  readonly #rate: number
  #samples = 0
  #periodEnd: number
  /** The smallest delay of the samples behind the clock, in this period and in the one before [s]. */
  #delay = Number.POSITIVE_INFINITY
  #usual: number | null = null

  /** @param rate of the samples [Hz] */
  constructor(rate: number) {
    this.#rate = rate
    this.#periodEnd = PERIOD * rate
  }

  /**
   * Counts samples that have arrived.
   * @param at when the last of them did [ms]
   * @returns how many samples were lost before them
   */
  push(length: number, at: number): number {
    this.#samples += length
    this.#delay = Math.min(this.#delay, at / 1000 - this.#samples / this.#rate)
    if (this.#samples < this.#periodEnd) return 0
    this.#periodEnd = this.#samples + PERIOD * this.#rate
    const [delay, usual] = [this.#delay, this.#usual]
    this.#delay = Number.POSITIVE_INFINITY
    if (usual === null || delay - usual < LEAST) {
      // Rises slowly, so that several small losses add up until they are noticed.
      this.#usual = usual === null ? delay : Math.min(delay, usual + DRIFT)
      return 0
    }
    const lost = Math.round((delay - usual) * this.#rate)
    this.#samples += lost
    this.#periodEnd += lost
    return lost
  }
}
