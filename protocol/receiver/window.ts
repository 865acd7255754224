// All transmissions in one window of a recording (SPEC.md 9.2 to 9.9).
import { SLOTS } from '../constants.ts'
import { encodeTones } from '../encode.ts'
import type { DayFields } from '../frame.ts'
import { type Candidate, placesNear, scoreSlots } from './align.ts'
import { type Signal, SLOT_LENGTH } from './baseband.ts'
import { mixtures } from './channels.ts'
import { type Diagnostics, diagnose } from './diagnostics.ts'
import type { Read } from './outcome.ts'
import { lengthOf, type Place, startOf } from './place.ts'
import { Recoverer, type Recovery } from './recover.ts'
import {
  FASTEST,
  FULL_RANGE,
  type Hit,
  MISTUNED_RANGE,
  OVERHANG,
  PLAIN_RANGE,
  search,
  syncEvidence,
} from './search.ts'
import { COARSE, FINE, mirroredCells, type Spectrogram, spectrogram } from './spectrogram.ts'

/** A transmission that was read. */
export interface Transmission {
  fields: DayFields
  /** The 106 bytes. */
  frame: Uint8Array
  diagnostics: Diagnostics
}

/** A place at which something like a transmission was found that could not be read. */
export interface Failure {
  place: Place
  /** Part of the transmission that lies within the recording. */
  inside: number
  /** ln of the likelihood ratio of its slots against noise. */
  evidence: number
  /** Which rule the frame breaks, when its checksum held. */
  invalid: string | null
}

export interface Findings {
  transmissions: Transmission[]
  failures: Failure[]
}

/** Sync hits that are looked at with all slots. */
export const HITS = 32
/** Hits with less sync evidence (ln) are not followed; a transmission at its limit has 11. */
export const LEAST_SYNC = 6
/** Candidates of a view that may be followed without reading a frame. */
export const MOST_UNREAD = 3
/** Sync evidence that noise and ghosts do not reach: what is found there is a transmission, readable or not. */
export const CERTAIN_SYNC = 20
/** Sync evidence that makes it worth looking at several places near it. */
export const POSSIBLE_SYNC = 11

/** A signal as it is looked at: its spectrogram, and the hits in it. */
interface View {
  signal: Signal
  cells: Spectrogram
  hits: Hit[]
  /** Whether the best hit is worth a thorough look. */
  tryHard: boolean
}

/** Searches windows one after the other in the same working space. */
export class WindowSearch {
  readonly #recoverer = new Recoverer()

  /**
   * What lies in `channels`, which are of equal length.
   * @param accepts whether a place belongs to this window, and not to the one before or after it
   */
  search(channels: readonly Signal[], accepts: (place: Place) => boolean): Findings {
    const findings: Findings = { transmissions: [], failures: [] }
    for (const signal of mixtures(channels)) {
      const taken = this.#glance(signal, accepts, findings)
      if (taken.length > 0 && !hasRoom(signal, taken)) return findings
      for (const view of viewsOf(signal)) {
        this.#follow(view, accepts, taken, findings)
        if (findings.transmissions.length > 0) return findings
        if (findings.failures.length > 0) break
      }
    }
    return findings
  }

  /** Reads what lies plainly in the signal, for a quarter of the work; returns where it lies. */
  #glance(signal: Signal, accepts: (place: Place) => boolean, findings: Findings): Place[] {
    const taken: Place[] = []
    const hits = search(syncEvidence(spectrogram(signal, COARSE)), PLAIN_RANGE, HITS)
    for (const { place, sync } of hits) {
      if (sync < POSSIBLE_SYNC) break
      if (taken.some((other) => overlap(place, other)) || !accepts(place)) continue
      const recovery = this.#recoverer.recover(signal, place, false)
      if (recovery.outcome.kind !== 'frame') break
      findings.transmissions.push(this.#transmissionOf(signal, recovery, recovery.outcome))
      taken.push(recovery.reception.place)
    }
    return taken
  }

  #follow(
    { signal, cells, hits, tryHard }: View,
    accepts: (place: Place) => boolean,
    taken: Place[],
    findings: Findings,
  ): void {
    let unread = 0
    for (const candidate of ranked(cells, hits)) {
      const isTaken = taken.some((other) => overlap(candidate.place, other))
      if (isTaken || candidate.sync < LEAST_SYNC || !accepts(candidate.place)) continue
      if (unread === MOST_UNREAD) return
      const isThorough = tryHard && unread === 0 && candidate.sync >= POSSIBLE_SYNC
      const recovery = this.#recoverFrom(signal, cells, candidate.place, isThorough)
      const { outcome, reception } = recovery
      const { place, evidence } = reception
      if (outcome.kind === 'frame') {
        findings.transmissions.push(this.#transmissionOf(signal, recovery, outcome))
        taken.push(place)
        continue
      }
      unread++
      const invalid = outcome.kind === 'invalid' ? outcome.message : null
      if (outcome.kind === 'nothing' || (candidate.sync < CERTAIN_SYNC && invalid === null))
        continue
      findings.failures.push({ place, inside: insidePart(place, signal), evidence, invalid })
      taken.push(place)
    }
  }

  /** Follows a candidate; a thorough look tries several places near it if the first leads nowhere. */
  #recoverFrom(signal: Signal, cells: Spectrogram, place: Place, isThorough: boolean): Recovery {
    let best = this.#recoverer.recover(signal, place, isThorough)
    if (best.settled || !isThorough) return best
    for (const near of placesNear(cells, place)) {
      const next = this.#recoverer.recover(signal, near, true)
      if (next.settled || next.reception.evidence > best.reception.evidence) best = next
      if (best.settled) break
    }
    return best
  }

  #transmissionOf(signal: Signal, { reception }: Recovery, read: Read): Transmission {
    const { fields, frame, list } = read
    const sent = encodeTones(frame)
    const { place, tones, absent } = this.#recoverer.remeasure(signal, reception, sent)
    return { fields, frame, diagnostics: { ...diagnose(place, tones, absent, sent), list } }
  }
}

/** The ways to look at a signal, the likely before the unlikely; the first that gives a transmission ends the search. */
function* viewsOf(signal: Signal): Generator<View> {
  const cells = spectrogram(signal, FINE)
  const evidence = syncEvidence(cells)
  yield { signal, cells, hits: search(evidence, FULL_RANGE, HITS), tryHard: true }
  yield { signal, cells, hits: search(evidence, MISTUNED_RANGE, HITS), tryHard: false }
  const mirror = mirroredCells(cells)
  const hits = search(syncEvidence(mirror), MISTUNED_RANGE, HITS)
  yield { signal: mirrored(signal), cells: mirror, hits, tryHard: false }
}

/** Whether another transmission could lie far enough within the signal without overlapping the places that are taken. */
function hasRoom(signal: Signal, taken: Place[]): boolean {
  const least = lengthOf({ speed: FASTEST }) * (1 - OVERHANG / SLOTS)
  let free = signal.start
  for (const place of taken.toSorted((a, b) => a.time - b.time)) {
    if (startOf(place) - free > least) return true
    free = startOf(place) + lengthOf(place)
  }
  return signal.start + signal.length - free > least
}

/** The signal with its spectrum turned round about the middle of the band, as on the wrong sideband. */
function mirrored(signal: Signal): Signal {
  return { ...signal, imag: signal.imag.map((sample) => -sample) }
}

/** The hits with what all slots say, the best first. */
function ranked(cells: Spectrogram, hits: Hit[]): Candidate[] {
  return hits.map(({ place }) => scoreSlots(cells, place)).sort((a, b) => b.rank - a.rank)
}

/** Whether two transmissions at these places would lie on one another by more than their fades. */
function overlap(a: Place, b: Place): boolean {
  const [earlier, later] = startOf(a) < startOf(b) ? [a, b] : [b, a]
  return startOf(later) < startOf(earlier) + lengthOf(earlier) - SLOT_LENGTH
}

function insidePart(place: Place, signal: Signal): number {
  const from = Math.max(startOf(place), signal.start)
  const to = Math.min(startOf(place) + lengthOf(place), signal.start + signal.length)
  return Math.max(to - from, 0) / lengthOf(place)
}
