// Finds and decodes all transmissions in one window of a recording (SPEC.md 9.2 to 9.9).
import { SLOTS } from '../constants.ts'
import { encodeTones } from '../encode.ts'
import type { DayFields } from '../frame.ts'
import { type Alignment, lengthOf, startOf } from './alignment.ts'
import { type Signal, SLOT_LENGTH } from './baseband.ts'
import { alignmentsNear, type Candidate, scoreSlots } from './candidate.ts'
import { channelMixes } from './channels.ts'
import { type Diagnostics, diagnose } from './diagnostics.ts'
import type { Read } from './outcome.ts'
import { CERTAIN_EVIDENCE, Recoverer, type Recovery } from './recover.ts'
import {
  FASTEST,
  FULL_RANGE,
  type Hit,
  MISTUNED_RANGE,
  NOMINAL_RANGE,
  OVERHANG,
  search,
  syncEvidence,
} from './search.ts'
import { COARSE, FINE, mirroredCells, type Spectrogram, spectrogram } from './spectrogram.ts'

/** A decoded transmission. */
export interface Transmission {
  fields: DayFields
  frame: Uint8Array
  diagnostics: Diagnostics
}

/** An alignment at which a transmission was found that could not be decoded. */
export interface Failure {
  alignment: Alignment
  /** Fraction of the transmission that lies within the recording. */
  inside: number
  /** Log-likelihood ratio of its slots against noise. */
  evidence: number
  /** The rule that the frame breaks, if its checksum held. */
  invalid: string | null
}

export interface Findings {
  transmissions: Transmission[]
  failures: Failure[]
}

/** Hits that are ranked by all slots. */
export const MAX_HITS = 32
/** Hits with less sync evidence [ln] are not followed; a transmission at the decoding limit has 11. */
export const MIN_SYNC = 6
/** Maximum number of candidates of a pass that are followed without decoding a frame. */
export const MAX_FAILED = 3
/** Sync evidence that noise and ghosts do not reach: above it there is a transmission, decodable or not. */
export const CERTAIN_SYNC = 20
/** Sync evidence that justifies trying several alignments nearby. */
export const POSSIBLE_SYNC = 11

/** One pass over a signal: its spectrogram and the hits in it. */
interface Pass {
  signal: Signal
  cells: Spectrogram
  hits: Hit[]
  /** Whether to follow the best hit thoroughly. */
  isThorough: boolean
}

/** Searches windows, reusing its scratch space. */
export class WindowSearch {
  readonly #recoverer = new Recoverer()

  /**
   * Searches one window.
   * @param channels of equal length
   * @param accepts whether an alignment belongs to this window, rather than to the previous or next one
   */
  search(channels: readonly Signal[], accepts: (alignment: Alignment) => boolean): Findings {
    const findings: Findings = { transmissions: [], failures: [] }
    for (const signal of channelMixes(channels)) {
      const found = this.#quickPass(signal, accepts, findings)
      if (found.length > 0 && !hasRoom(signal, found)) return findings
      const earlier = findings.failures.length
      for (const pass of passesOver(signal)) {
        this.#follow(pass, accepts, found, findings)
        if (findings.transmissions.length > 0) return findings
        if (findings.failures.length > earlier) break
      }
    }
    this.#readEchoing(channels, findings)
    return findings
  }

  /** Tries once more what is strong and was not read. */
  #readEchoing(channels: readonly Signal[], { transmissions, failures }: Findings): void {
    for (const { alignment, evidence } of failures) {
      if (evidence <= CERTAIN_EVIDENCE) continue
      for (const signal of channelMixes(channels)) {
        const recovery = this.#recoverer.recoverEchoing(signal, alignment)
        if (recovery.outcome.kind !== 'frame') continue
        transmissions.push(this.#transmissionOf(signal, recovery, recovery.outcome))
        break
      }
    }
  }

  /** Tries to decode the transmission at an alignment, whole or not. @returns null if it cannot be decoded */
  attempt(signal: Signal, alignment: Alignment): Transmission | null {
    const recovery = this.#recoverer.recover(signal, alignment, false)
    if (recovery.outcome.kind !== 'frame') return null
    return this.#transmissionOf(signal, recovery, recovery.outcome)
  }

  /** Decodes strong transmissions at nominal speed, for a quarter of the work. @returns their alignments */
  #quickPass(
    signal: Signal,
    accepts: (alignment: Alignment) => boolean,
    findings: Findings,
  ): Alignment[] {
    const found: Alignment[] = []
    const hits = search(syncEvidence(spectrogram(signal, COARSE)), NOMINAL_RANGE, MAX_HITS)
    for (const { alignment, sync } of hits) {
      if (sync < POSSIBLE_SYNC) break
      if (found.some((other) => overlap(alignment, other)) || !accepts(alignment)) continue
      const recovery = this.#recoverer.recover(signal, alignment, false)
      if (recovery.outcome.kind !== 'frame') break
      findings.transmissions.push(this.#transmissionOf(signal, recovery, recovery.outcome))
      found.push(recovery.reception.alignment)
    }
    return found
  }

  #follow(
    { signal, cells, hits, isThorough }: Pass,
    accepts: (alignment: Alignment) => boolean,
    found: Alignment[],
    findings: Findings,
  ): void {
    let failed = 0
    for (const candidate of ranked(cells, hits)) {
      const isFound = found.some((other) => overlap(candidate.alignment, other))
      if (isFound || candidate.sync < MIN_SYNC || !accepts(candidate.alignment)) continue
      if (failed === MAX_FAILED) return
      const tryHard = isThorough && failed === 0 && candidate.sync >= POSSIBLE_SYNC
      const recovery = this.#recoverFrom(signal, cells, candidate.alignment, tryHard)
      const { outcome, reception } = recovery
      const { alignment, evidence } = reception
      if (outcome.kind === 'frame') {
        findings.transmissions.push(this.#transmissionOf(signal, recovery, outcome))
        found.push(alignment)
        continue
      }
      failed++
      const invalid = outcome.kind === 'invalid' ? outcome.message : null
      if (outcome.kind === 'nothing' || (candidate.sync < CERTAIN_SYNC && invalid === null))
        continue
      findings.failures.push({
        alignment,
        inside: insidePart(alignment, signal),
        evidence,
        invalid,
      })
      found.push(alignment)
    }
  }

  /** Follows a candidate; if thorough and it fails, also tries alignments nearby. */
  #recoverFrom(
    signal: Signal,
    cells: Spectrogram,
    alignment: Alignment,
    isThorough: boolean,
  ): Recovery {
    let best = this.#recoverer.recover(signal, alignment, isThorough)
    if (best.isCertain || !isThorough) return best
    for (const near of alignmentsNear(cells, alignment)) {
      const next = this.#recoverer.recover(signal, near, true)
      if (next.isCertain || next.reception.evidence > best.reception.evidence) best = next
      if (best.isCertain) break
    }
    return best
  }

  #transmissionOf(signal: Signal, { reception }: Recovery, read: Read): Transmission {
    const { fields, frame, list } = read
    const sent = encodeTones(frame)
    const { alignment, tones, absent } = this.#recoverer.remeasure(signal, reception, sent)
    return { fields, frame, diagnostics: { ...diagnose(alignment, tones, absent, sent), list } }
  }
}

/** Yields the passes over a signal, the most likely to succeed first. */
function* passesOver(signal: Signal): Generator<Pass> {
  const cells = spectrogram(signal, FINE)
  const evidence = syncEvidence(cells)
  yield { signal, cells, hits: search(evidence, FULL_RANGE, MAX_HITS), isThorough: true }
  yield { signal, cells, hits: search(evidence, MISTUNED_RANGE, MAX_HITS), isThorough: false }
  const mirror = mirroredCells(cells)
  const hits = search(syncEvidence(mirror), MISTUNED_RANGE, MAX_HITS)
  yield { signal: mirrored(signal), cells: mirror, hits, isThorough: false }
}

/** Whether another transmission could lie sufficiently within the signal without overlapping those found. */
function hasRoom(signal: Signal, found: Alignment[]): boolean {
  const least = lengthOf({ speed: FASTEST }) * (1 - OVERHANG / SLOTS)
  let free = signal.start
  for (const alignment of found.toSorted((a, b) => a.time - b.time)) {
    if (startOf(alignment) - free > least) return true
    free = startOf(alignment) + lengthOf(alignment)
  }
  return signal.start + signal.length - free > least
}

/** Returns the signal with its spectrum reversed about the band centre, as received on the wrong sideband. */
function mirrored(signal: Signal): Signal {
  return { ...signal, imag: signal.imag.map((sample) => -sample) }
}

/** Returns the hits scored by all slots, best first. */
function ranked(cells: Spectrogram, hits: Hit[]): Candidate[] {
  return hits.map(({ alignment }) => scoreSlots(cells, alignment)).sort((a, b) => b.rank - a.rank)
}

/** Whether transmissions at these alignments would overlap by more than a slot. */
function overlap(a: Alignment, b: Alignment): boolean {
  const [earlier, later] = startOf(a) < startOf(b) ? [a, b] : [b, a]
  return startOf(later) < startOf(earlier) + lengthOf(earlier) - SLOT_LENGTH
}

function insidePart(alignment: Alignment, signal: Signal): number {
  const from = Math.max(startOf(alignment), signal.start)
  const to = Math.min(startOf(alignment) + lengthOf(alignment), signal.start + signal.length)
  return Math.max(to - from, 0) / lengthOf(alignment)
}
