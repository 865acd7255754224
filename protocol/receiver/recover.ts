// From one candidate to a frame: the exact place, the metrics, the list decoder, the checksum (SPEC.md 9.4 to 9.9).

import { packBits } from '../bits.ts'
import { CODE_LENGTH, FRAME_BITS, LEVELS, OFFSET, SLOTS, TONES } from '../constants.ts'
import { crc32 } from '../crc.ts'
import { ProtocolError } from '../errors.ts'
import { type DayFields, decodeFrame } from '../frame.ts'
import { INFORMATION_POSITIONS, polarTransform } from '../polar.ts'
import type { Signal } from './baseband.ts'
import { demodulate, emptySlots } from './demodulate.ts'
import { estimateEnergy, estimateNoise, relativePower, whiten } from './levels.ts'
import {
  absence,
  labelMetrics,
  phasedToneRatios,
  slotNoise,
  toneRatios,
  totalEvidence,
} from './metrics.ts'
import { commonPhase, lockPhase } from './phase.ts'
import { middleOf, type Placement, placementOf } from './placement.ts'
import { ListDecoder } from './polar-list.ts'
import { refine } from './refine.ts'

/** Lengths of the list, tried one after the other. */
const LISTS = [8, 32, 128]
/** Places whose slots together are less likely (ln) against noise hold none: noise alone reaches 17 and 10. */
const LEAST_SCORE = 20
const LEAST_EVIDENCE = 20

/** A frame that passed all checks. */
export interface Read {
  kind: 'frame'
  frame: Uint8Array
  fields: DayFields
  /** Length of the list that it took. */
  list: number
}
/** How firmly the phase may be known, from slots that hardly agree to perfect ones; the likeliest is taken. */
const FIRMNESSES = [2, 6, 20, 80]
/** How often the place is improved by phase, and by how much (ln) likelier it is when the phase has been found. */
const LOCK_ROUNDS = 3
const LOCKED = 40
/** Evidence that no wrong place gives. */
const SETTLED = 250
/** Noise of 1 in all tones. */
const EVEN = new Float64Array(2 * TONES).fill(1)

/** What became of a candidate: `none` has no checksum that holds, `nothing` is not even like a transmission. */
export type Outcome =
  | Read
  | { kind: 'invalid'; message: string }
  | { kind: 'none' }
  | { kind: 'nothing' }

/** A candidate as far as it was followed, with what was measured on the way. */
export interface Recovery {
  outcome: Outcome
  placement: Placement
  /** ln of the likelihood ratio of all slots against noise, the data being unknown. */
  evidence: number
  /** Whether the place is beyond doubt, so that another one near it would do no better. */
  settled: boolean
}

/** Tries candidates one after the other in the same working space; not to be shared between threads. */
export class Recoverer {
  /** Tone amplitudes at the place found, in units of the noise. */
  readonly tones = emptySlots()
  /** The probability of each slot that it holds nothing of the transmission. */
  absent: Float64Array = new Float64Array(SLOTS)
  readonly #decoder = new ListDecoder(LISTS.at(-1)!)
  readonly #power = new Float32Array(SLOTS * TONES)
  readonly #ratios = new Float32Array(SLOTS * TONES)
  readonly #phasedRatios = new Float32Array(SLOTS * TONES)
  readonly #bestRatios = new Float32Array(SLOTS * TONES)
  readonly #metrics = new Float32Array(CODE_LENGTH * TONES)

  /** Follows one candidate: without the phase first, which reads most recordings, then with it. */
  recover(signal: Signal, from: Placement): Recovery {
    const { placement, score } = refine(signal, from, this.tones)
    const unlocked = { placement, evidence: score, settled: false }
    if (score < LEAST_SCORE) return { outcome: { kind: 'nothing' }, ...unlocked }
    this.#weigh()
    const outcome = this.#decode(this.#ratios, LISTS.slice(0, 1))
    if (outcome.kind !== 'none') return { outcome, ...unlocked }
    return this.#recoverByPhase(signal, placement)
  }

  /** Noise, signal and absence at the present place, the phase unknown; returns what the next step needs. */
  #weigh(): { noise: Float64Array; energy: number } {
    whiten(this.tones, estimateNoise(this.tones))
    relativePower(this.tones, EVEN, this.#power)
    const { energy } = estimateEnergy(this.tones, this.#power)
    const noise = slotNoise(this.#power)
    toneRatios(this.#power, noise, energy, this.#ratios)
    this.absent = absence(this.#ratios, this.tones.heard)
    return { noise, energy }
  }

  /** Moves to where the phases agree as long as that makes the slots likelier, and decodes at the likeliest place. */
  #recoverByPhase(signal: Signal, from: Placement): Recovery {
    let placement = from
    const unlocked = totalEvidence(this.#ratios, this.tones.heard)
    let best = { placement, evidence: unlocked, settled: unlocked > SETTLED }
    this.#bestRatios.set(this.#ratios)
    for (let round = 0; round < LOCK_ROUNDS; round++) {
      placement = placementOf(lockPhase(this.tones, this.#ratios, this.absent, middleOf(placement)))
      demodulate(signal, placement, this.tones)
      const before = best.evidence
      const evidence = this.#weighByPhase(before)
      const settled = best.settled || evidence > before + LOCKED || evidence > SETTLED
      if (evidence > before) best = { placement, evidence, settled }
      if (settled) break
    }
    if (best.evidence < LEAST_EVIDENCE) return { outcome: { kind: 'nothing' }, ...best }
    if (best.placement !== placement) {
      demodulate(signal, best.placement, this.tones)
      whiten(this.tones, estimateNoise(this.tones))
    }
    this.absent = absence(this.#bestRatios, this.tones.heard)
    return { outcome: this.#decode(this.#bestRatios, LISTS), ...best }
  }

  /** The evidence for a signal at the present place, how firmly the phase is known being chosen to make it largest. */
  #weighByPhase(toBeat: number): number {
    const { noise, energy } = this.#weigh()
    const phase = commonPhase(this.tones, this.#ratios, this.absent)
    let best = Number.NEGATIVE_INFINITY
    for (const firmness of FIRMNESSES) {
      phasedToneRatios(this.tones, noise, energy, phase, firmness, this.#phasedRatios)
      const evidence = totalEvidence(this.#phasedRatios, this.tones.heard)
      if (evidence > Math.max(best, toBeat)) this.#bestRatios.set(this.#phasedRatios)
      best = Math.max(best, evidence)
    }
    return best
  }

  #decode(ratios: Float32Array, lists: readonly number[]): Outcome {
    labelMetrics(ratios, this.absent, this.#metrics)
    for (const list of lists) {
      this.#decoder.decode(this.#metrics, list)
      const outcome = readPaths(this.#decoder, list)
      if (outcome.kind !== 'none') return outcome
    }
    return { kind: 'none' }
  }
}

/** The first path in order of cost whose checksum holds decides; `list` is for the record. */
export function readPaths(decoder: ListDecoder, list: number): Outcome {
  for (const path of decoder.ranking()) {
    const start = path * CODE_LENGTH
    const frame = frameOfLabels(decoder.labels.slice(start, start + CODE_LENGTH))
    const outcome = checked(frame, list)
    if (outcome !== null) return outcome
  }
  return { kind: 'none' }
}

/** Code position and place within the label of each bit of a frame. */
const BIT_POSITION = Uint8Array.from(
  INFORMATION_POSITIONS.flatMap((positions) => Array.from(positions)),
)
const BIT_SHIFT = Uint8Array.from(
  INFORMATION_POSITIONS.flatMap((positions, level) =>
    Array(positions.length).fill(LEVELS - 1 - level),
  ),
)

/** The frame whose code words are the columns of bits in `labels`, which are used up: all levels are undone at once. */
function frameOfLabels(labels: Uint8Array): Uint8Array {
  polarTransform(labels)
  const bits = new Uint8Array(FRAME_BITS)
  for (let i = 0; i < FRAME_BITS; i++) bits[i] = (labels[BIT_POSITION[i]!]! >> BIT_SHIFT[i]!) & 1
  return packBits(bits)
}

/** null when the checksum does not hold. */
function checked(frame: Uint8Array, list: number): Outcome | null {
  const checksum = new DataView(frame.buffer).getUint32(OFFSET.crc)
  if (crc32(frame.subarray(0, OFFSET.crc)) !== checksum) return null
  try {
    return { kind: 'frame', frame, fields: decodeFrame(frame), list }
  } catch (error) {
    if (error instanceof ProtocolError) return { kind: 'invalid', message: error.message }
    throw error
  }
}
