// The place of a transmission by exact slots: time, frequency and speed that make them likeliest (SPEC.md 9.4).
import { SLOTS, SYNC_PERIOD, TONES } from '../constants.ts'
import type { Signal } from './baseband.ts'
import { Demodulator, emptySlots } from './demodulate.ts'
import { EnergyEstimator, estimateNoise, relativePower, slotsScore } from './levels.ts'
import { AXES, type Place } from './place.ts'
import { parabolaTop } from './slots.ts'

/** Widths of the parabolas through three scores of the sync slots, round by round; all slots cost 16 times as much. */
export const SYNC_WIDTHS: readonly Place[] = [
  { time: 32, speed: 5e-4, offset: 2.4 },
  { time: 32, speed: 5e-4, offset: 1.2 },
  { time: 16, speed: 2.5e-4, offset: 1.2 },
]
/** The same for all slots. */
export const WIDTHS: readonly Place[] = [{ time: 16, speed: 2.5e-4, offset: 1.2 }]
/** A parabola's top is trusted this many widths away. */
const FARTHEST = 1.5

/** A place with ln of the likelihood ratio of the slots looked at against noise, the data being unknown. */
interface Scored {
  place: Place
  score: number
}

/** Climbs to the likeliest place near one; holds its working space. */
export class Refiner {
  readonly #demodulator = new Demodulator()
  readonly #energy = new EnergyEstimator()
  readonly #slots = emptySlots()
  readonly #power = new Float32Array(SLOTS * TONES)

  /** The likeliest place near `from` by the sync slots alone. */
  bySyncSlots(signal: Signal, from: Place): Place {
    return this.#refine(signal, from, SYNC_PERIOD, SYNC_WIDTHS)
  }

  /** The likeliest place near `from` by all slots. */
  byAllSlots(signal: Signal, from: Place): Place {
    return this.#refine(signal, from, 1, WIDTHS)
  }

  #refine(signal: Signal, from: Place, every: number, rounds: readonly Place[]): Place {
    this.#demodulator.demodulate(signal, from, this.#slots)
    // Held while the place moves: a floor estimated at each place would follow the signal and flatten the score.
    const noise = estimateNoise(this.#slots)
    relativePower(this.#slots, noise, this.#power)
    const model = this.#energy.estimate(this.#slots, this.#power)
    const scored = (place: Place): Scored => {
      this.#demodulator.demodulate(signal, place, this.#slots, every)
      relativePower(this.#slots, noise, this.#power, every)
      return { place, score: slotsScore(this.#slots, this.#power, model, every) }
    }
    let best = scored(from)
    for (const widths of rounds) {
      for (const axis of AXES) best = climb(best, axis, widths[axis], scored)
    }
    return best.place
  }
}

/** One step along one axis: to the top of the parabola through three points, if that is higher. */
function climb(
  from: Scored,
  axis: keyof Place,
  width: number,
  scored: (place: Place) => Scored,
): Scored {
  const moved = (by: number) => scored({ ...from.place, [axis]: from.place[axis] + by * width })
  const below = moved(-1)
  const above = moved(1)
  const top = parabolaTop(below.score, from.score, above.score)
  const within = moved(Math.max(-FARTHEST, Math.min(FARTHEST, top)))
  return [from, below, above, within].reduce((best, next) =>
    next.score > best.score ? next : best,
  )
}
