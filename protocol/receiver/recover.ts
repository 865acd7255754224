// From one candidate to a frame: the exact place, the metrics, the list decoder, the checksum (SPEC.md 9.4 to 9.9).
import { CODE_LENGTH, SLOTS, TONES } from '../constants.ts'
import type { Signal } from './baseband.ts'
import { Demodulator, emptySlots, type Slots } from './demodulate.ts'
import { EnergyEstimator, estimateNoise, relativePower, whiten } from './levels.ts'
import {
  absence,
  labelMetrics,
  phasedToneRatios,
  slotNoise,
  toneRatios,
  totalEvidence,
} from './metrics.ts'
import { type Outcome, readPaths } from './outcome.ts'
import { agreement, lockPhase, NARROW, type PhaseGrid, polishPhase, WIDE, WIDEST } from './phase.ts'
import type { Place } from './place.ts'
import { ListDecoder } from './polar-list.ts'
import { DAY_PRIOR, type FramePrior } from './prior.ts'
import { Refiner } from './refine.ts'

/** One try at decoding: lengths of the list on each level of the code, and what is taken for known of the frame. */
interface Try {
  lists: readonly number[]
  prior: FramePrior | null
}

/** The first reads clean recordings, and tells frames that break the rules from noise. */
const PLAIN: Try = { lists: [8, 8, 8, 8, 8, 8, 8], prior: null }
/** With the phase. Nearly all losses are on the first two levels, whose tones are the hardest to tell apart. */
export const TRIES: readonly Try[] = [
  PLAIN,
  { lists: [32, 32, 32, 32, 32, 32, 32], prior: null },
  { lists: [32, 32, 32, 32, 32, 32, 32], prior: DAY_PRIOR },
  { lists: [128, 128, 64, 32, 32, 32, 32], prior: DAY_PRIOR },
  { lists: [1024, 1024, 128, 32, 32, 32, 32], prior: DAY_PRIOR },
  { lists: [8192, 8192, 512, 64, 32, 32, 32], prior: DAY_PRIOR },
]

/** The longest lists cost most, and only a weak signal at the right place is worth them. */
const AT_A_DOUBTFUL_PLACE = TRIES.slice(0, 2)
const WHEN_STRONG = TRIES.slice(0, 4)
/** Long enough for nearly all recordings; the room for longer lists is made when one is needed. */
const SHORT_LIST = 128
/** Places with less evidence (ln) hold nothing: noise alone reaches 17. */
export const LEAST_EVIDENCE = 20
/** How firmly the phase may be known, from slots that hardly agree to perfect ones; the likeliest is taken. */
export const FIRMNESSES = [2, 6, 20, 80]
/** How often the phase is searched for, and how much likelier (ln) the slots are when it has been found. */
const LOCK_ROUNDS = 2
export const LOCKED = 40
/** How often the place is then improved and the slots are cut again. */
export const POLISH_ROUNDS = 2
/** A phase that this part of the amplitudes share is one. */
const COHERENT = 0.5
/** The ratio (ln) of tones that were not sent, once it is known which were. */
const NOT_SENT = -50
/** With more of the slots absent no prior is used: it may help against noise, and must not replace what is missing. */
const MOST_ABSENT = 1 / 3
/** Evidence that no wrong place gives. */
export const SETTLED = 250
/** Noise of 1 in all tones. */
const EVEN = new Float64Array(2 * TONES).fill(1)

/** What the slots at a place say. */
export interface Reception {
  place: Place
  /** Tone amplitudes in units of the noise. */
  tones: Slots
  /** ln of the likelihood ratio of each tone against noise, at [slot * 128 + tone]. */
  ratios: Float32Array
  /** The probability of each slot that it holds nothing of the transmission. */
  absent: Float64Array
  /** ln of the likelihood ratio of all slots against noise, the data being unknown. */
  evidence: number
}

/** A candidate as far as it was followed. */
export interface Recovery {
  outcome: Outcome
  reception: Reception
  /** Whether the place is beyond doubt, so that another one near it would do no better. */
  settled: boolean
}

/** Tries candidates one after the other in the same working space; not to be shared between threads. */
export class Recoverer {
  readonly #refiner = new Refiner()
  readonly #demodulator = new Demodulator()
  readonly #energy = new EnergyEstimator()
  #decoder = new ListDecoder(SHORT_LIST)
  readonly #power = new Float32Array(SLOTS * TONES)
  readonly #phasedRatios = new Float32Array(SLOTS * TONES)
  readonly #metrics = new Float32Array(CODE_LENGTH * TONES)

  /**
   * Follows one candidate: without the phase first, which reads most recordings, then with it.
   * @param isThorough whether to look farther around when the phase is not found at once
   */
  recover(signal: Signal, from: Place, isThorough: boolean): Recovery {
    const bySync = this.#receive(signal, this.#refiner.bySyncSlots(signal, from)).reception
    const read = this.#decode(bySync, [PLAIN])
    if (read.kind !== 'none') return { outcome: read, reception: bySync, settled: true }
    const locked = this.#lock(signal, bySync, WIDE)
    if (locked.settled || !isThorough) return locked
    const byAll = this.#receive(signal, this.#refiner.byAllSlots(signal, bySync.place)).reception
    const again = this.#lock(signal, byAll, WIDEST)
    return again.reception.evidence > locked.reception.evidence ? again : locked
  }

  /** The reception at the place where the tones that were sent agree in phase, if they do; else as it was. */
  remeasure(signal: Signal, reception: Reception, sent: Uint8Array): Reception {
    const ratios = new Float32Array(SLOTS * TONES).fill(NOT_SENT)
    for (const [slot, tone] of sent.entries()) ratios[slot * TONES + tone] = 0
    for (const grid of [NARROW, WIDEST]) {
      const place = lockPhase({ ...reception, ratios }, grid)
      const moved = this.#receive(signal, place).reception
      if (agreement({ ...moved, ratios }).coherence > COHERENT) return moved
    }
    return reception
  }

  /** Moves to where the phases agree, and decodes with the phase known. */
  #lock(signal: Signal, unlocked: Reception, grid: PhaseGrid): Recovery {
    if (unlocked.evidence < LEAST_EVIDENCE) {
      return { outcome: { kind: 'nothing' }, reception: unlocked, settled: false }
    }
    let best = unlocked
    const isSettled = () => best.evidence > Math.min(unlocked.evidence + LOCKED, SETTLED)
    for (let round = 0; round < LOCK_ROUNDS && !isSettled(); round++) {
      const next = this.#receiveByPhase(signal, lockPhase(best, grid))
      if (next.evidence <= best.evidence) break
      best = next
    }
    if (!isSettled()) {
      const outcome = this.#decode(best, AT_A_DOUBTFUL_PLACE)
      return { outcome, reception: best, settled: outcome.kind !== 'none' }
    }
    // Whether the slots are likelier after each of these wobbles with the noise; they are better placed.
    for (let round = 0; round < POLISH_ROUNDS; round++) {
      best = this.#receiveByPhase(signal, polishPhase(best))
    }
    const tries = best.evidence > SETTLED ? WHEN_STRONG : TRIES
    return { outcome: this.#decode(best, tries), reception: best, settled: true }
  }

  /** What the slots at `place` say, the phase unknown, with the noise of each slot and the signal's energy in one. */
  #receive(
    signal: Signal,
    place: Place,
  ): { reception: Reception; noise: Float64Array; energy: number } {
    const tones = emptySlots()
    this.#demodulator.demodulate(signal, place, tones)
    whiten(tones, estimateNoise(tones))
    relativePower(tones, EVEN, this.#power)
    const { energy } = this.#energy.estimate(tones, this.#power)
    const noise = slotNoise(this.#power)
    const ratios = new Float32Array(SLOTS * TONES)
    toneRatios(this.#power, noise, energy, ratios)
    const absent = absence(ratios, tones.heard)
    const evidence = totalEvidence(ratios, tones.heard)
    return { reception: { place, tones, ratios, absent, evidence }, noise, energy }
  }

  /** What the slots at `place` say by phase; how firmly it is known is chosen to make them likeliest. */
  #receiveByPhase(signal: Signal, place: Place): Reception {
    const { reception, noise, energy } = this.#receive(signal, place)
    const { tones } = reception
    const { phase } = agreement(reception)
    for (const firmness of FIRMNESSES) {
      phasedToneRatios(tones, noise, energy, phase, firmness, this.#phasedRatios)
      const evidence = totalEvidence(this.#phasedRatios, tones.heard)
      if (evidence <= reception.evidence) continue
      reception.evidence = evidence
      reception.ratios.set(this.#phasedRatios)
    }
    reception.absent = absence(reception.ratios, tones.heard)
    return reception
  }

  #decode({ ratios, absent }: Reception, tries: readonly Try[]): Outcome {
    labelMetrics(ratios, absent, this.#metrics)
    const missing = absent.reduce((sum, part) => sum + part, 0) / SLOTS
    for (const { lists, prior } of tries) {
      if (prior !== null && missing > MOST_ABSENT) continue
      const list = Math.max(...lists)
      if (list > this.#decoder.capacity) this.#decoder = new ListDecoder(list)
      this.#decoder.decode(this.#metrics, lists, prior)
      const outcome = readPaths(this.#decoder, list)
      if (outcome.kind !== 'none') return outcome
    }
    return { kind: 'none' }
  }
}
