// The exact place of a transmission: start, speed and translation that make all its slots likeliest (SPEC.md 9.4).
import type { Signal } from './baseband.ts'
import { demodulate, type Slots } from './demodulate.ts'
import { estimateEnergy, estimateNoise, relativePower, slotsScore } from './levels.ts'
import { type Middle, middleOf, type Placement, placementOf } from './placement.ts'

/** Widths of the parabolas that are laid through three likelihoods. */
const WIDTH: Middle = { time: 16, speed: 2.5e-4, offset: 1.2 }
const AXES = ['time', 'offset', 'speed'] as const

export interface Refined {
  placement: Placement
  /** ln of the likelihood ratio of all slots against noise, the data being unknown. */
  score: number
}

/** Improves `from`; leaves in `slots` the tones at the place found. */
export function refine(signal: Signal, from: Placement, slots: Slots): Refined {
  const power = new Float32Array(slots.real.length)
  demodulate(signal, from, slots)
  const noise = estimateNoise(slots)
  relativePower(slots, noise, power)
  const model = estimateEnergy(slots, power)
  const scoreOf = (middle: Middle): number => {
    demodulate(signal, placementOf(middle), slots)
    relativePower(slots, noise, power)
    return slotsScore(slots, power, model)
  }
  let best = { middle: middleOf(from), score: slotsScore(slots, power, model) }
  for (const axis of AXES) best = climb(best, axis, WIDTH[axis], scoreOf)
  const placement = placementOf(best.middle)
  demodulate(signal, placement, slots)
  return { placement, score: best.score }
}

/** One step along one axis: to the top of the parabola through three points, if that is higher. */
function climb(
  from: { middle: Middle; score: number },
  axis: keyof Middle,
  width: number,
  scoreOf: (middle: Middle) => number,
): { middle: Middle; score: number } {
  const tried = (by: number) => {
    const middle = { ...from.middle, [axis]: from.middle[axis] + by }
    return { middle, score: scoreOf(middle) }
  }
  const below = tried(-width)
  const above = tried(width)
  const curvature = below.score + above.score - 2 * from.score
  const slope = (below.score - above.score) / 2
  const inside = curvature < 0 ? Math.max(-1.5, Math.min(1.5, slope / curvature)) : 0
  const options = [from, below, above]
  if (inside !== 0) options.push(tried(inside * width))
  return options.reduce((best, option) => (option.score > best.score ? option : best))
}
