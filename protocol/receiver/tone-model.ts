// The noncoherent likelihood of a tone's power for a given signal energy (SPEC.md 9.5).
import { tabulatedLogBesselI0 } from './bessel.ts'

const ENTRIES = 4096
/** The table reaches to about this multiple of the signal energy. */
const REACH = 4

/** Returns the log-likelihood ratio of a tone's power, with a signal of `energy` against without, in units of N0. */
export function toneRatio(energy: number, power: number): number {
  return tabulatedLogBesselI0(2 * Math.sqrt(energy * power)) - energy
}

/** A table of likelihood ratios for one energy. */
export class ToneModel {
  /** Es/N0, the energy of the signal in a slot over the noise density. */
  readonly energy: number
  readonly #ratios: Float64Array
  readonly #steps: number

  constructor(energy: number) {
    this.energy = energy
    this.#steps = ENTRIES / (REACH * energy + 20)
    this.#ratios = Float64Array.from({ length: ENTRIES + 1 }, (_, i) =>
      Math.exp(toneRatio(energy, i / this.#steps)),
    )
  }

  /** Returns the likelihood ratio (not its logarithm); powers beyond the table count as its last entry. */
  likelihood(power: number): number {
    const at = (power * this.#steps) | 0
    return this.#ratios[at < ENTRIES && at >= 0 ? at : ENTRIES]!
  }
}
