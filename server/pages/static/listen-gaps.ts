// Notices that samples of a microphone were lost, by comparing their number with the time that has passed.

/** Each period, the smallest delay counts: samples that only arrived late come in a burst within it [s]. */
const PERIOD = 2
/** A smaller loss is not told from the jitter of the clocks [s]. */
const LEAST = 0.1

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
    this.#usual = delay
    if (usual === null || delay - usual < LEAST) return 0
    const lost = Math.round((delay - usual) * this.#rate)
    this.#samples += lost
    this.#periodEnd += lost
    this.#usual = usual
    return lost
  }
}
