// Combines several receptions of one day, in one recording or in several, that are too weak to be decoded alone: adds their
// soft values (SPEC.md 9.14).
import { SLOTS, TONES } from '../constants.ts'
import { encodeTones } from '../encode.ts'
import { Baseband, type Signal, SLOT_LENGTH } from './baseband.ts'
import { type Decoding, Receiver } from './decode.ts'
import { Demodulator, type Slots } from './demodulate.ts'
import { diagnose } from './diagnostics.ts'
import { meanOf } from './live.ts'
import { agreement, polishPhase } from './phase.ts'
import { Recoverer, TRIES } from './recover.ts'
import { bounded, type Guess, toneOdds, tonesAt, weakGuesses } from './weak.ts'
import type { Transmission } from './window.ts'

/** Evidence [ln] that makes a reception a member of a group; the checksum finds what chance has let in. */
export const MIN_MATCH = 2
/** Pairs with which a group may begin. */
export const MAX_PAIRS = 8
/** Passages of one recording that are compared; each takes 13 MB, and 3 s of CPU time. */
export const MAX_PASSAGES = 8
/** Guesses of each passage that are compared in pairs; all of them are compared with a group. */
export const MAX_PAIRED = 32
/** Repetitions of the alignment by the phase, and the concentration of the phase then. */
export const REALIGN_ROUNDS = 2
export const REALIGNED_CONCENTRATION = 20
/** The length of a transmission [baseband samples]. */
const TRANSMISSION = SLOTS * SLOT_LENGTH
/** Lower bound on the probability of a tone, as a multiple of 1/128. */
const MIN_ODDS = 1e-4

/** Errors of recordings that may be combined. */
const WEAK: ReadonlySet<string> = new Set(['no_sync', 'incomplete', 'no_frame', 'invalid_frame'])

/** A part of a recording that may contain one reception, and the guesses where. */
export interface Passage {
  /** The index of the recording. */
  recording: number
  guesses: Guess[]
}

/** A reception of a group: a guess of one passage. */
interface Member extends Guess {
  passage: Passage
  /** Amplitudes in units of the noise. */
  tones: Slots
}

/** Receptions that agree on the tones sent. */
interface Group {
  members: Member[]
  /** Evidence that all are of one day: a log-likelihood ratio against as many different ones. */
  match: number
  /** As in a guess, from all members, as logarithms. */
  odds: Float32Array
}

/** Decodes recordings one after the other, and combines those that hold no transmission that can be decoded alone. */
export class Combiner {
  readonly #found: Transmission[] = []
  readonly #weak: Signal[] = []

  /** Returns the receiver of the next recording, whose result is that of a Receiver. */
  receiverFor(rate: number, channels: number) {
    const receiver = new Receiver(rate, channels)
    const mean = new Baseband(rate)
    return {
      push: (block: readonly Float32Array[]) => {
        receiver.push(block)
        mean.push(meanOf(block))
      },
      finish: (): Decoding => {
        const decoding = receiver.finish()
        mean.finish()
        this.#found.push(...decoding.transmissions)
        if (isWeak(decoding)) this.#weak.push(mean.signal)
        return decoding
      },
    }
  }

  /** Returns each transmission once, as its strongest reception, first those that were decoded alone. */
  finish(): Transmission[] {
    const days = new Map<string, Transmission>()
    for (const transmission of [...this.#found, ...combineReceptions(this.#weak)]) {
      const key = transmission.frame.join()
      const known = days.get(key)
      if (!known || known.diagnostics.ebN0 < transmission.diagnostics.ebN0)
        days.set(key, transmission)
    }
    return [...days.values()]
  }
}

/** Whether a recording that holds no transmission may hold one that is too weak to be decoded alone. */
export function isWeak({ error }: { error: { code: string } | null }): boolean {
  return error !== null && WEAK.has(error.code)
}

/**
 * Decodes the days that recordings have in common, or that are repeated in one.
 * @returns the transmissions, each with the diagnostics of its strongest reception
 */
export function combineReceptions(recordings: readonly Signal[]): Transmission[] {
  if (recordings.reduce((sum, { length }) => sum + length, 0) < 2 * TRANSMISSION) return []
  return combinePassages(recordings.flatMap(likeliestPassages))
}

/** As `combineReceptions`, for passages of several recordings. */
export function combinePassages(all: readonly Passage[]): Transmission[] {
  const found: Transmission[] = []
  const recoverer = new Recoverer()
  let passages = all
  for (;;) {
    const group = largestGroup(passages)
    if (group === null) return found
    const transmission = readGroup(recoverer, group)
    if (transmission !== null) found.push(transmission)
    const used = new Set(group.members.map(({ passage }) => passage))
    passages = passages.filter((passage) => !used.has(passage))
  }
}

/** Returns the passages of a recording whose best guesses have the most evidence. */
export function likeliestPassages(signal: Signal, recording: number): Passage[] {
  const best: Passage[] = []
  const evidenceOf = ({ guesses }: Passage) => guesses[0]?.evidence ?? Number.NEGATIVE_INFINITY
  for (const part of passagesOf(signal)) {
    best.push({ recording, guesses: weakGuesses(part) })
    best.sort((a, b) => evidenceOf(b) - evidenceOf(a)).splice(MAX_PASSAGES)
  }
  return best
}

/** Cuts a recording into passages that overlap by a transmission, so that each one is whole in some passage. */
function passagesOf({ start, length, real, imag }: Signal): Signal[] {
  const count = Math.max(Math.ceil(length / TRANSMISSION) - 1, 1)
  return Array.from({ length: count }, (_, i) => {
    const from = i * TRANSMISSION
    const to = i === count - 1 ? length : from + 2 * TRANSMISSION
    return {
      start: start + from,
      length: to - from,
      real: real.subarray(from, to),
      imag: imag.subarray(from, to),
    }
  })
}

/** Returns the receptions that most likely are of one day, or null if no two match. */
function largestGroup(passages: readonly Passage[]): Group | null {
  let best: Group | null = null
  for (const pair of likeliestPairs(passages)) {
    const group = grown(pair, passages)
    if (group.match > (best?.match ?? MIN_MATCH)) best = group
  }
  return best
}

/** Compares each two passages. @returns the pairs that match best */
function likeliestPairs(passages: readonly Passage[]): Group[] {
  const pairs = passages.flatMap((passage, i) =>
    passages.slice(0, i).flatMap((other) => matchedPair(passage, other) ?? []),
  )
  pairs.sort((a, b) => b.match - a.match)
  const demodulator = new Demodulator()
  return pairs.slice(0, MAX_PAIRS).map(({ ends, match }) =>
    grouped(
      ends.map(([passage, guess]) => memberOf(demodulator, passage, guess)),
      match,
    ),
  )
}

/** @returns the guesses that match best; null unless it is likelier that both passages are of one day than of two */
function matchedPair(passage: Passage, other: Passage) {
  const guesses = passage.guesses.slice(0, MAX_PAIRED)
  const against = { ...other, guesses: other.guesses.slice(0, MAX_PAIRED) }
  const matches = guesses.map((guess) => bestMatch(guess.odds, [{ ...guess, passage }], against))
  const weights = guesses.map(({ evidence }, i) => evidence + matches[i]!.match)
  const match = logSum(weights) - logSum(guesses.map(({ evidence }) => evidence))
  const best = weights.indexOf(Math.max(...weights))
  const guess = matches[best]?.guess
  if (!(match > 0) || guess === undefined) return null
  const ends: [Passage, Guess][] = [
    [passage, guesses[best]!],
    [other, guess],
  ]
  return { match, ends }
}

/** Adds to a group all passages that match it, the best match first. */
function grown(pair: Group, passages: readonly Passage[]): Group {
  const demodulator = new Demodulator()
  let group = realigned(pair)
  for (;;) {
    const odds = group.odds.map(Math.exp)
    let [added, next]: [Passage | undefined, Match] = [undefined, { match: MIN_MATCH }]
    for (const passage of passages) {
      if (group.members.some((member) => member.passage === passage)) continue
      const match = bestMatch(odds, group.members, passage)
      if (match.match > next.match) [added, next] = [passage, match]
    }
    if (added === undefined || next.guess === undefined) return group
    const members = [...group.members, memberOf(demodulator, added, next.guess)]
    group = realigned(grouped(members, group.match + next.match))
  }
}

const memberOf = (demodulator: Demodulator, passage: Passage, guess: Guess): Member => ({
  ...guess,
  passage,
  tones: tonesAt(demodulator, guess.signal, guess.alignment),
})

interface Match {
  /** Log-likelihood ratio of one day against two, over all guesses. */
  match: number
  /** The guess that matches best. */
  guess?: Guess
}

/** Compares odds with each guess of a passage that can be another reception, weighted by the guesses' evidence. */
function bestMatch(
  odds: Float32Array,
  members: readonly Pick<Member, 'alignment' | 'passage'>[],
  passage: Passage,
): Match {
  const guesses = passage.guesses.filter((guess) =>
    members.every(
      (member) =>
        member.passage.recording !== passage.recording ||
        Math.abs(member.alignment.time - guess.alignment.time) >= TRANSMISSION,
    ),
  )
  const weights = guesses.map((guess) => guess.evidence + matchOf(odds, guess.odds))
  const best = guesses[weights.indexOf(Math.max(...weights))]
  if (best === undefined) return { match: Number.NEGATIVE_INFINITY }
  return { match: logSum(weights) - logSum(guesses.map(({ evidence }) => evidence)), guess: best }
}

/** Returns the log-likelihood ratio of one day against two, from odds: the sum over the slots of ln mean(a b). */
export function matchOf(a: Float32Array, b: Float32Array): number {
  let match = 0
  for (let slot = 0; slot < SLOTS; slot++) {
    let sum = 0
    for (let at = slot * TONES; at < (slot + 1) * TONES; at++) sum += a[at]! * b[at]!
    match += Math.log(sum / TONES)
  }
  return match
}

function logSum(values: number[]): number {
  const top = Math.max(...values)
  return top + Math.log(values.reduce((sum, value) => sum + Math.exp(value - top), 0))
}

function grouped(members: Member[], match: number): Group {
  return { members, match, odds: addedOdds(members) }
}

/** Adds the logarithms of the members' odds, and normalizes each slot. */
export function addedOdds(members: readonly Pick<Guess, 'odds'>[]): Float32Array {
  const sum = new Float32Array(SLOTS * TONES)
  for (const { odds } of members)
    for (let at = 0; at < sum.length; at++) sum[at]! += Math.log(odds[at]!)
  for (let slot = 0; slot < SLOTS; slot++) {
    const own = sum.subarray(slot * TONES, (slot + 1) * TONES)
    const mean = logSum([...own]) - Math.log(TONES)
    for (let k = 0; k < TONES; k++) own[k] = Math.log(MIN_ODDS + Math.exp(own[k]! - mean))
  }
  return sum
}

/** Aligns each member by the phase of the tones on which all agree, and measures their energy. */
function realigned(group: Group): Group {
  const demodulator = new Demodulator()
  let { members, odds } = group
  for (let round = 0; round < REALIGN_ROUNDS; round++) {
    const absent = new Float64Array(SLOTS)
    members = members.map((member) => {
      const alignment = polishPhase({ ...member, ratios: odds, absent })
      const tones = tonesAt(demodulator, member.signal, alignment)
      const { phase, amplitude } = agreement({ alignment, tones, ratios: odds, absent })
      const energy = bounded(amplitude ** 2)
      const heard = toneOdds(tones, energy, phase, REALIGNED_CONCENTRATION)
      return { ...member, alignment, tones, ...heard }
    })
    odds = addedOdds(members)
  }
  return { ...group, members, odds }
}

/** Decodes a group. @returns null if no frame is found */
function readGroup(recoverer: Recoverer, { members, odds }: Group): Transmission | null {
  const absent = new Float64Array(SLOTS)
  const outcome = recoverer.decode({ ratios: odds, absent }, TRIES)
  if (outcome.kind !== 'frame') return null
  const { fields, frame, list } = outcome
  const sent = encodeTones(frame)
  const receptions = members.map((member) => {
    const { alignment, tones } = recoverer.remeasure(
      member.signal,
      { ...member, ratios: odds, absent },
      sent,
    )
    const missing = Float64Array.from(tones.recorded, (isRecorded) => 1 - isRecorded)
    return { fields, frame, diagnostics: { ...diagnose(alignment, tones, missing, sent), list } }
  })
  return receptions.reduce((a, b) => (a.diagnostics.ebN0 >= b.diagnostics.ebN0 ? a : b))
}
