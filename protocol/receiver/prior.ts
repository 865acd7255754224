// The prior of a frame: which bits are fixed by the rules, and which are probably equal (SPEC.md 9.9).
//
// A frame is modelled as a sequence of fields, each a run of equal bits that may end early. The rules of SPEC.md 3.2
// fix most flags, usually all counters are available, and small counters begin with zeros. The model gives half of its
// probability to fields of uniformly random bits, so that a day of random counters loses next to nothing.
import { COUNTER_BYTES, FRAME_BITS, OFFSET, PROTOCOL_VERSION } from '../constants.ts'
import { COUNTER_NAMES } from '../frame.ts'

/** The cost of each bit, -ln 2P, while its field is still a run. After the run both values cost 0. */
export interface FramePrior {
  /** 1 at the first bit of a field, where a new run begins. */
  begins: Uint8Array
  /** The value of the bit that continues the run. */
  run: Uint8Array
  /** Costs of continuing the run and of ending it. */
  onRun: Float64Array
  offRun: Float64Array
}

/** Cost of a bit that the rules forbid, more than any noise can outweigh. */
export const FORBIDDEN = 1000
const COUNTER_BITS = 8 * COUNTER_BYTES
/** Probability that the bits of a field are uniformly random. */
const RANDOM = 0.5

/** The prior of a V1 frame. */
export const DAY_PRIOR: FramePrior = dayPrior()

function dayPrior(): FramePrior {
  const prior: FramePrior = {
    begins: new Uint8Array(FRAME_BITS).fill(1),
    run: new Uint8Array(FRAME_BITS),
    onRun: new Float64Array(FRAME_BITS),
    offRun: new Float64Array(FRAME_BITS),
  }
  // Fixed bits: the version, and the upper bits of coverage, clock and conclusion, whose values are 0 to 2.
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
 * Models the field of `length` bits from bit `first` on as a mixture of random bits and a run of `value`; given a run,
 * `continuing(left)` is the probability that it covers at least all but the last `left` bits.
 */
function expectRun(
  prior: FramePrior,
  first: number,
  length: number,
  value: number,
  continuing: (left: number) => number,
): void {
  const reaching = (bits: number) => RANDOM * 2 ** -bits + (1 - RANDOM) * continuing(length - bits)
  for (let i = 0; i < length; i++) {
    const continues = reaching(i + 1) / reaching(i)
    prior.begins[first + i] = i === 0 ? 1 : 0
    prior.run[first + i] = value
    prior.onRun[first + i] = -Math.log(2 * continues)
    prior.offRun[first + i] = -Math.log(2 * (1 - continues))
  }
}
