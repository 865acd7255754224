// The likelihood of a tone's power when the signal has a given energy, its phase being unknown (SPEC.md 9.5).
import { tabledLogBesselI0 } from './bessel.ts'

const ENTRIES = 4096
/** The table ends at this multiple of the signal's own power. */
const REACH = 4

/** ln of the likelihood ratio of a tone's power with a signal of `energy` against none, both in units of the noise. */
export function toneRatio(energy: number, power: number): number {
  return tabledLogBesselI0(2 * Math.sqrt(energy * power)) - energy
}

/** The same by table, for one energy. */
export class ToneModel {
  /** Energy of the signal in a slot over noise density. */
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

  /** The likelihood ratio itself, by table; powers beyond the table's end count as its end. */
  likelihood(power: number): number {
    const at = (power * this.#steps) | 0
    return this.#ratios[at < ENTRIES && at >= 0 ? at : ENTRIES]!
  }
}
