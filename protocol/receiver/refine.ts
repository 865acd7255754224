// Refines an alignment to the time, frequency and speed that maximize the likelihood of the slots (SPEC.md 9.4).
import { SLOTS, SYNC_PERIOD, TONES } from '../constants.ts'
import { type Alignment, AXES } from './alignment.ts'
import type { Signal } from './baseband.ts'
import { Demodulator, emptySlots } from './demodulate.ts'
import { EnergyEstimator, estimateNoise, relativePower, slotsScore } from './levels.ts'
import { parabolaPeak } from './slots.ts'

/** Steps of the parabolic interpolation by sync slots, one entry per round. All slots would cost 16 times as much. */
export const SYNC_STEPS: readonly Alignment[] = [
  { time: 32, speed: 5e-4, offset: 2.4 },
  { time: 32, speed: 5e-4, offset: 1.2 },
  { time: 16, speed: 2.5e-4, offset: 1.2 },
]
/** Steps of the parabolic interpolation by all slots. */
export const ALL_STEPS: readonly Alignment[] = [{ time: 16, speed: 2.5e-4, offset: 1.2 }]
/** A parabola is not extrapolated beyond this many steps. */
const MAX_STEPS = 1.5

/** An alignment with the log-likelihood ratio of the slots used, against noise, for unknown data. */
interface Scored {
  alignment: Alignment
  score: number
}

/** Hill-climbs to the likeliest alignment nearby; owns its scratch space. */
export class Refiner {
  readonly #demodulator = new Demodulator()
  readonly #energy = new EnergyEstimator()
  readonly #slots = emptySlots()
  readonly #power = new Float32Array(SLOTS * TONES)

  /** Refines `from` by the sync slots only. */
  bySyncSlots(signal: Signal, from: Alignment): Alignment {
    return this.#refine(signal, from, SYNC_PERIOD, SYNC_STEPS)
  }

  /** Refines `from` by all slots. */
  byAllSlots(signal: Signal, from: Alignment): Alignment {
    return this.#refine(signal, from, 1, ALL_STEPS)
  }

  #refine(signal: Signal, from: Alignment, every: number, rounds: readonly Alignment[]): Alignment {
    this.#demodulator.demodulate(signal, from, this.#slots)
    // Held while the alignment moves: a floor estimated at each one would follow the signal and flatten the score.
    const noise = estimateNoise(this.#slots)
    relativePower(this.#slots, noise, this.#power)
    const model = this.#energy.estimate(this.#slots, this.#power)
    const scored = (alignment: Alignment): Scored => {
      this.#demodulator.demodulate(signal, alignment, this.#slots, every)
      relativePower(this.#slots, noise, this.#power, every)
      return { alignment, score: slotsScore(this.#slots, this.#power, model, every) }
    }
    let best = scored(from)
    for (const steps of rounds) {
      for (const axis of AXES) best = climb(best, axis, steps[axis], scored)
    }
    return best.alignment
  }
}

/** Moves along one axis to the peak of the parabola through three points, or to the best of these points. */
function climb(
  from: Scored,
  axis: keyof Alignment,
  step: number,
  scored: (alignment: Alignment) => Scored,
): Scored {
  const moved = (by: number) =>
    scored({ ...from.alignment, [axis]: from.alignment[axis] + by * step })
  const below = moved(-1)
  const above = moved(1)
  const peak = parabolaPeak(below.score, from.score, above.score)
  const within = moved(Math.max(-MAX_STEPS, Math.min(MAX_STEPS, peak)))
  return [from, below, above, within].reduce((best, next) =>
    next.score > best.score ? next : best,
  )
}
