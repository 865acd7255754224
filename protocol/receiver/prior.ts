// What a receiver knows of a frame beforehand: which bits the rules fix, and which are mostly equal (SPEC.md 9.9).
//
// The model of a frame is a row of fields, each a run of equal bits that may end early. The rules of SPEC.md 3.2 fix most
// flags; mostly all counters are available; and a small counter begins with zeros. The model gives half of its probability
// to fields without such a run, so that a day of random counters loses next to nothing.

import { COUNTER_BYTES, FRAME_BITS, OFFSET, PROTOCOL_VERSION } from '../constants.ts'
import { COUNTER_NAMES } from '../frame.ts'

/** Cost (-ln of the likelihood ratio against an even chance) of each bit as long as its field is still a run. */
export interface FramePrior {
  /** 1 where a field begins: whatever was before, the run begins. */
  begins: Uint8Array
  /** The bit that goes on with the run. */
  run: Uint8Array
  /** Cost of going on with the run, and of ending it. */
  onRun: Float64Array
  offRun: Float64Array
}

/** Cost of a bit that the rules forbid: no noise makes up for it. */
export const FORBIDDEN = 1000
const COUNTER_BITS = 8 * COUNTER_BYTES
/** The part of its probability that the model gives to fields of any bits. */
const ANY = 0.5

/** The prior of a V1 frame. */
export const DAY_PRIOR: FramePrior = dayPrior()

function dayPrior(): FramePrior {
  const prior: FramePrior = {
    begins: new Uint8Array(FRAME_BITS).fill(1),
    run: new Uint8Array(FRAME_BITS),
    onRun: new Float64Array(FRAME_BITS),
    offRun: new Float64Array(FRAME_BITS),
  }
  // The version, and the upper bits of coverage, clock and conclusion, which have the values 0 to 2.
  for (let i = 0; i < 4; i++) fix(prior, 8 * OFFSET.flags + i, (PROTOCOL_VERSION >> (3 - i)) & 1)
  for (let i = 4; i < 6; i++) fix(prior, 8 * OFFSET.flags + i, 0)
  const clock = 8 * OFFSET.availability + COUNTER_NAMES.length
  for (let i = 0; i < 2; i++) fix(prior, clock + i, 0)
  for (let i = 0; i < 6; i++) fix(prior, 8 * OFFSET.conclusion + i, 0)
  expectRun(prior, 8 * OFFSET.availability, COUNTER_NAMES.length, 1, () => 1)
  for (const i of COUNTER_NAMES.keys()) {
    const first = 8 * OFFSET.counters + i * COUNTER_BITS
    expectRun(prior, first, COUNTER_BITS, 0, (left) => (left + 1) / (COUNTER_BITS + 1))
  }
  return prior
}

function fix(prior: FramePrior, bit: number, value: number): void {
  prior.run[bit] = value
  prior.offRun[bit] = FORBIDDEN
}

/**
 * Expects the field of `length` bits from bit `first` on to begin with a run of `value`. Of the fields that do, the part
 * `continuing(left)` has no other bit before the last `left`.
 */
function expectRun(
  prior: FramePrior,
  first: number,
  length: number,
  value: number,
  continuing: (left: number) => number,
): void {
  const reaching = (bits: number) => ANY * 2 ** -bits + (1 - ANY) * continuing(length - bits)
  for (let i = 0; i < length; i++) {
    const onward = reaching(i + 1) / reaching(i)
    prior.begins[first + i] = i === 0 ? 1 : 0
    prior.run[first + i] = value
    prior.onRun[first + i] = -Math.log(2 * onward)
    prior.offRun[first + i] = -Math.log(2 * (1 - onward))
  }
}
