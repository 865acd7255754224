// Combines several receptions of one day that are too weak to be decoded alone: adds their soft values (SPEC.md 9.14).
import { SLOTS, TONES } from '../constants.ts'
import { encodeTones } from '../encode.ts'
import { Baseband, type Signal } from './baseband.ts'
import { type Decoding, Receiver } from './decode.ts'
import { Demodulator } from './demodulate.ts'
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
/** Guesses of each reception that are compared in pairs; all of them are compared with a group. */
export const MAX_PAIRED = 32
/** Repetitions of the alignment by the phase, and the concentration of the phase then. */
export const REALIGN_ROUNDS = 2
export const REALIGNED_CONCENTRATION = 20
/** Lower bound on the probability of a tone, as a multiple of 1/128. */
const MIN_ODDS = 1e-4

/** Errors of recordings that may be combined. */
const WEAK: ReadonlySet<string> = new Set(['no_sync', 'incomplete', 'no_frame', 'invalid_frame'])

/** Receptions that agree on the tones sent, one guess of each. */
export interface Group {
  members: Guess[]
  /** The receptions of the members, as indices. */
  from: number[]
  /** Evidence that all are of one day: a log-likelihood ratio against as many different ones. */
  match: number
  /** As in a guess, from all members. */
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
 * Decodes the days that signals have in common.
 * @param signals the receptions, each of one recording
 * @returns the transmissions, each with the diagnostics of its strongest reception
 */
function combineReceptions(signals: readonly Signal[]): Transmission[] {
  const found: Transmission[] = []
  const recoverer = new Recoverer()
  let receptions = signals.map(weakGuesses)
  for (;;) {
    const group = largestGroup(receptions)
    if (group === null) return found
    const transmission = readGroup(recoverer, group)
    if (transmission !== null) found.push(transmission)
    receptions = receptions.filter((_, r) => !group.from.includes(r))
  }
}

/** Returns the receptions that most likely are of one day, or null if no two match. */
function largestGroup(receptions: readonly (readonly Guess[])[]): Group | null {
  const tables = receptions.map((guesses) => guesses.map(({ odds }) => odds.map(Math.exp)))
  let best: Group | null = null
  for (const pair of likeliestPairs(receptions, tables)) {
    const group = grown(pair, receptions, tables)
    if (group.match > (best?.match ?? MIN_MATCH)) best = group
  }
  return best
}

/** Compares each two receptions. @returns the pairs that match best */
function likeliestPairs(
  receptions: readonly (readonly Guess[])[],
  tables: readonly (readonly Float32Array[])[],
): Group[] {
  const pairs: (Match & { from: number[]; members: Guess[] })[] = []
  for (let a = 1; a < receptions.length; a++) {
    for (let b = 0; b < a; b++) {
      const [first, second] = [
        receptions[a]!.slice(0, MAX_PAIRED),
        receptions[b]!.slice(0, MAX_PAIRED),
      ]
      const matches = first.map((_, i) => bestMatch(tables[a]![i]!, second, tables[b]!))
      const weights = first.map(({ evidence }, i) => evidence + matches[i]!.match)
      const match = logSum(weights) - logSum(first.map(({ evidence }) => evidence))
      const best = weights.indexOf(Math.max(...weights))
      const index = matches[best]?.index ?? -1
      if (!(match > 0)) continue
      pairs.push({ match, index, from: [a, b], members: [first[best]!, second[index]!] })
    }
  }
  pairs.sort((a, b) => b.match - a.match)
  return pairs.slice(0, MAX_PAIRS).map(({ members, from, match }) => grouped(members, from, match))
}

/** Adds to a group all receptions that match it, the best match first. */
function grown(
  pair: Group,
  receptions: readonly (readonly Guess[])[],
  tables: readonly (readonly Float32Array[])[],
): Group {
  let group = realigned(pair)
  for (;;) {
    const table = group.odds.map(Math.exp)
    let [added, next]: [number, Match] = [-1, { match: MIN_MATCH, index: -1 }]
    for (const [r, guesses] of receptions.entries()) {
      if (group.from.includes(r)) continue
      const match = bestMatch(table, guesses, tables[r]!)
      if (match.match > next.match) [added, next] = [r, match]
    }
    if (added < 0) return group
    const members = [...group.members, receptions[added]![next.index]!]
    group = realigned(grouped(members, [...group.from, added], group.match + next.match))
  }
}

interface Match {
  /** Log-likelihood ratio of one day against two, over all guesses. */
  match: number
  /** The guess that matches best. */
  index: number
}

/** Compares odds (not their logarithms) with each guess of another reception, weighted by the guesses' evidence. */
function bestMatch(
  table: Float32Array,
  guesses: readonly Guess[],
  tables: readonly Float32Array[],
): Match {
  const weights = guesses.map(({ evidence }, j) => evidence + matchOf(table, tables[j]!))
  return {
    match: logSum(weights) - logSum(guesses.map(({ evidence }) => evidence)),
    index: weights.indexOf(Math.max(...weights)),
  }
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

function grouped(members: Guess[], from: number[], match: number): Group {
  return { members, from, match, odds: addedOdds(members) }
}

/** Adds the logarithms of the members' odds, and normalizes each slot. */
export function addedOdds(members: readonly Pick<Guess, 'odds'>[]): Float32Array {
  const sum = new Float32Array(SLOTS * TONES)
  for (const { odds } of members) for (let at = 0; at < sum.length; at++) sum[at]! += odds[at]!
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
