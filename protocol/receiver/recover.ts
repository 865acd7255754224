// Decodes one candidate: refinement, phase, metrics, list decoder, checksum (SPEC.md 9.4 to 9.9).
import { CODE_LENGTH, SLOTS, TONES } from '../constants.ts'
import type { Alignment } from './alignment.ts'
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
import { ListDecoder } from './polar-list.ts'
import { DAY_PRIOR, type FramePrior } from './prior.ts'
import { Refiner } from './refine.ts'

/** Parameters of one decoding attempt: the list size at each level and the prior. */
interface Try {
  lists: readonly number[]
  prior: FramePrior | null
}

/** Suffices for clean recordings, and detects frames that break the rules, which the prior would exclude. */
const PLAIN: Try = { lists: [8, 8, 8, 8, 8, 8, 8], prior: null }
/** Attempts once the phase is known. The long lists are for levels 0 and 1, where nearly all failures occur. */
export const TRIES: readonly Try[] = [
  PLAIN,
  { lists: [32, 32, 32, 32, 32, 32, 32], prior: null },
  { lists: [32, 32, 32, 32, 32, 32, 32], prior: DAY_PRIOR },
  { lists: [128, 128, 64, 32, 32, 32, 32], prior: DAY_PRIOR },
  { lists: [1024, 1024, 128, 32, 32, 32, 32], prior: DAY_PRIOR },
  { lists: [8192, 8192, 512, 64, 32, 32, 32], prior: DAY_PRIOR },
]

/** The longest lists are expensive and pay off only for a weak signal at the right alignment. */
const UNLOCKED_TRIES = TRIES.slice(0, 2)
const STRONG_SIGNAL_TRIES = TRIES.slice(0, 4)
/** Long enough for nearly all recordings; a decoder for longer lists is allocated when needed. */
const INITIAL_CAPACITY = 128
/** Alignments with less evidence [ln] are rejected: noise alone reaches 17. */
export const MIN_EVIDENCE = 20
/** Concentrations of the phase to try, from slots that hardly agree to perfect ones. */
export const CONCENTRATIONS = [2, 6, 20, 80]
/** Maximum number of phase searches. */
const LOCK_ROUNDS = 2
/** Increase of the evidence [ln] that shows that the phase has been found. */
export const LOCK_GAIN = 40
/** Number of refinements of the alignment once the phase has been found. */
export const POLISH_ROUNDS = 2
/** Minimum coherence of the known tones to accept an alignment. */
const MIN_COHERENCE = 0.5
/** Log-likelihood ratio assigned to the tones that were not sent, once the frame is known. */
const UNSENT_RATIO = -50
/** With more of the slots absent no prior is used: it may help against noise but must not replace missing slots. */
const MAX_ABSENT = 1 / 3
/** Evidence [ln] that no wrong alignment reaches. */
export const CERTAIN_EVIDENCE = 250
/** Starts of a slot whose likelihoods are averaged in a room that echoes: steps, from -1 to 3 [baseband samples]. */
export const ECHO_STEP = 96
const ECHO_STEPS = [-1, 0, 1, 2, 3]
/** Unit noise in all tones, for amplitudes that are already whitened. */
const UNIT_NOISE = new Float64Array(2 * TONES).fill(1)

/** The slots received at an alignment. */
export interface Reception {
  alignment: Alignment
  /** Tone amplitudes in units of the noise. */
  tones: Slots
  /** Log-likelihood ratio of each tone against noise, at [slot * 128 + tone]. */
  ratios: Float32Array
  /** Probability that the signal is absent, per slot. */
  absent: Float64Array
  /** Log-likelihood ratio of all slots against noise, for unknown data. */
  evidence: number
}

/** The result of following a candidate. */
export interface Recovery {
  outcome: Outcome
  reception: Reception
  /** Whether the alignment is certain, so that no other one nearby would do better. */
  isCertain: boolean
}

/** Decodes candidates, reusing its scratch space; not thread-safe. */
export class Recoverer {
  readonly #refiner = new Refiner()
  readonly #demodulator = new Demodulator()
  readonly #energy = new EnergyEstimator()
  #decoder = new ListDecoder(INITIAL_CAPACITY)
  readonly #power = new Float32Array(SLOTS * TONES)
  readonly #phasedRatios = new Float32Array(SLOTS * TONES)
  readonly #metrics = new Float32Array(CODE_LENGTH * TONES)

  /**
   * Follows one candidate: noncoherently first, which suffices for most recordings, then coherently.
   * @param isThorough whether to widen the search if the phase is not found at once
   */
  recover(signal: Signal, from: Alignment, isThorough: boolean): Recovery {
    const bySync = this.#receive(signal, this.#refiner.bySyncSlots(signal, from)).reception
    const read = this.decode(bySync, [PLAIN])
    if (read.kind !== 'none') return { outcome: read, reception: bySync, isCertain: true }
    const locked = this.#lock(signal, bySync, WIDE)
    if (locked.isCertain || !isThorough) return locked
    const byAll = this.#receive(
      signal,
      this.#refiner.byAllSlots(signal, bySync.alignment),
    ).reception
    const again = this.#lock(signal, byAll, WIDEST)
    return again.reception.evidence > locked.reception.evidence ? again : locked
  }

  /**
   * Decodes a strong signal in a room that echoes. Early in a slot the echoes of earlier ones disturb, late the next one: no
   * start suits all slots, but the tone that was sent is likely at each.
   */
  recoverEchoing(signal: Signal, from: Alignment): Recovery {
    const receptions = ECHO_STEPS.map(
      (step) => this.#receive(signal, { ...from, time: from.time + step * ECHO_STEP }).reception,
    )
    const mean = receptions[0]!.ratios.map(
      (_, at) => receptions.reduce((sum, { ratios }) => sum + ratios[at]!, 0) / receptions.length,
    )
    const reception = receptions[ECHO_STEPS.indexOf(0)]!
    const outcome = this.decode({ ...reception, ratios: mean }, UNLOCKED_TRIES)
    return { outcome, reception, isCertain: outcome.kind !== 'none' }
  }

  /** Returns the reception realigned by the phase of the tones sent, or as it was if they are not coherent. */
  remeasure(signal: Signal, reception: Reception, sent: Uint8Array): Reception {
    const ratios = new Float32Array(SLOTS * TONES).fill(UNSENT_RATIO)
    for (const [slot, tone] of sent.entries()) ratios[slot * TONES + tone] = 0
    for (const grid of [NARROW, WIDEST]) {
      const alignment = lockPhase({ ...reception, ratios }, grid)
      const moved = this.#receive(signal, alignment).reception
      if (agreement({ ...moved, ratios }).coherence > MIN_COHERENCE) return moved
    }
    return reception
  }

  /** Finds the alignment at which the phases agree and decodes coherently. */
  #lock(signal: Signal, unlocked: Reception, grid: PhaseGrid): Recovery {
    if (unlocked.evidence < MIN_EVIDENCE) {
      return { outcome: { kind: 'nothing' }, reception: unlocked, isCertain: false }
    }
    let best = unlocked
    const isLocked = () => best.evidence > Math.min(unlocked.evidence + LOCK_GAIN, CERTAIN_EVIDENCE)
    // Also if the evidence is certain already: a strong signal that could not be decoded needs its phase all the more.
    for (let round = 0; round < LOCK_ROUNDS; round++) {
      const next = this.#receiveByPhase(signal, lockPhase(best, grid))
      if (next.evidence <= best.evidence) break
      best = next
      if (isLocked()) break
    }
    if (!isLocked()) {
      const outcome = this.decode(best, UNLOCKED_TRIES)
      return { outcome, reception: best, isCertain: outcome.kind !== 'none' }
    }
    const recovery = this.#polish(signal, best)
    const isFinal = recovery.outcome.kind !== 'none' || unlocked.evidence <= CERTAIN_EVIDENCE
    if (isFinal || best === unlocked) return recovery
    // A strong signal may have no common phase, as in wow: then the first alignment was the better one.
    return this.#polish(signal, unlocked)
  }

  /** Refines an alignment by the phase and decodes coherently. */
  #polish(signal: Signal, locked: Reception): Recovery {
    let best = locked
    // Accepted even if the evidence falls, as it fluctuates with the noise: the alignment improves.
    for (let round = 0; round < POLISH_ROUNDS; round++) {
      best = this.#receiveByPhase(signal, polishPhase(best))
    }
    const tries = best.evidence > CERTAIN_EVIDENCE ? STRONG_SIGNAL_TRIES : TRIES
    return { outcome: this.decode(best, tries), reception: best, isCertain: true }
  }

  /** Receives the slots at `alignment` noncoherently; also returns the noise of each slot and the signal energy. */
  #receive(
    signal: Signal,
    alignment: Alignment,
  ): { reception: Reception; noise: Float64Array; energy: number } {
    const tones = emptySlots()
    this.#demodulator.demodulate(signal, alignment, tones)
    whiten(tones, estimateNoise(tones))
    relativePower(tones, UNIT_NOISE, this.#power)
    const { energy } = this.#energy.estimate(tones, this.#power)
    const noise = slotNoise(this.#power)
    const ratios = new Float32Array(SLOTS * TONES)
    toneRatios(this.#power, noise, energy, ratios)
    const absent = absence(ratios, tones.recorded)
    const evidence = totalEvidence(ratios, tones.recorded)
    return { reception: { alignment, tones, ratios, absent, evidence }, noise, energy }
  }

  /** Receives the slots at `alignment` coherently, with the phase concentration that maximizes their likelihood. */
  #receiveByPhase(signal: Signal, alignment: Alignment): Reception {
    const { reception, noise, energy } = this.#receive(signal, alignment)
    const { tones } = reception
    const { phase } = agreement(reception)
    for (const concentration of CONCENTRATIONS) {
      phasedToneRatios(tones, noise, energy, phase, concentration, this.#phasedRatios)
      const evidence = totalEvidence(this.#phasedRatios, tones.recorded)
      if (evidence <= reception.evidence) continue
      reception.evidence = evidence
      reception.ratios.set(this.#phasedRatios)
    }
    reception.absent = absence(reception.ratios, tones.recorded)
    return reception
  }

  /** Decodes tones by the tries in turn, until a path has a checksum that holds. */
  decode({ ratios, absent }: Pick<Reception, 'ratios' | 'absent'>, tries: readonly Try[]): Outcome {
    labelMetrics(ratios, absent, this.#metrics)
    const missing = absent.reduce((sum, part) => sum + part, 0) / SLOTS
    for (const { lists, prior } of tries) {
      if (prior !== null && missing > MAX_ABSENT) continue
      const list = Math.max(...lists)
      if (list > this.#decoder.capacity) this.#decoder = new ListDecoder(list)
      this.#decoder.decode(this.#metrics, lists, prior)
      const outcome = readPaths(this.#decoder, list)
      if (outcome.kind !== 'none') return outcome
    }
    return { kind: 'none' }
  }
}
