// The check of one message with its receipt: the steps in which it is reported, the error that ends it, and the verdict on
// the promise (FORMAT.md 23.4), also in a sentence that a person understands (COMMANDS.md 3.2). Pure.
import type { BadFile } from '../base/errors.ts'
import { daySpan, nextDay } from '../format/calendar.ts'
import { CHECKPOINT_FILE, KEY_FILE, LOG_FILE } from '../format/paths.ts'
import { rfc3339 } from '../format/scalars.ts'
import { breachesIn, deadlineOf } from '../log/deadline.ts'
import type { Policy } from '../log/policy.ts'
import type { MessageLeaf } from '../log/receipt.ts'
import { witnessedBy } from '../log/witnessed.ts'
import type { ReadFile } from '../place/place.ts'
import type { SignedLog } from '../reading/signed-log.ts'

/** One step and its result. The first failed step is the last. */
export interface Step {
  step: string
  ok: boolean
  message: string
}

/** Reports a step that has succeeded. */
export type Done = (step: string, message: string) => void

/** The error of a failed step. */
export class Refuted extends Error {
  /** What it means to whoever has the receipt, as a sentence. */
  readonly sentence: string | undefined

  constructor(message: string, sentence?: string) {
    super(message)
    this.sentence = sentence
  }
}

/** @throws Refuted unless it is so */
export function demand(isSo: boolean, message: string, sentence?: string): asserts isSo {
  if (!isSo) throw new Refuted(message, sentence)
}

/** @throws Refuted naming the file, if it cannot be read */
export function contentOf(file: ReadFile | BadFile, name: string): Uint8Array {
  if ('problem' in file) throw new Refuted(`${name}: ${file.problem.message}`)
  return file.content
}

/**
 * What became of the promise. `kept`: the message is among the records of its day. `pending`: its day is not over, or its
 * deadline not reached. `late`: only the clock says that it is overdue. `overdue`: the log shows it. `withheld`: the day
 * is sealed, and its leaves are not to be had. `broken`: the day was sealed without this leaf, or two receipts of one id
 * contradict each other. `untimely`: its day does not come in time. `refuted`: there is no valid receipt, or no archive
 * to compare it with.
 */
export type Verdict =
  | 'kept'
  | 'pending'
  | 'late'
  | 'overdue'
  | 'withheld'
  | 'broken'
  | 'untimely'
  | 'refuted'

export interface Judgement {
  verdict: Verdict
  /** The verdict in a sentence that a person understands. */
  sentence: string
  /**
   * The files of the archive that show it, besides the receipts, if it is `overdue` or `broken`. `key` is not among them if
   * the archive has none, and the caller has given the keys.
   */
  evidence: string[]
}

/** The end of the steps, with the verdict. */
export interface End extends Judgement {
  /** What exactly was found. */
  message: string
}

/** @param what `2026-11-23 was sealed without this message` */
export function broken(what: string, message: string, evidence: string[]): End {
  return { verdict: 'broken', sentence: `The promise was broken: ${what}.`, evidence, message }
}

/** @throws Refuted if the file exists, as far as is known, but could not be read */
export function lacking(day: string, name: string, { problem: { code, message } }: BadFile): End {
  demand(code === 'missing' || code === 'leaves_differ', `${name}: ${message}`)
  return withheld(day, `${name}: ${message}`)
}

export function withheld(day: string, reason: string): End {
  const sentence = `This message is withheld: ${day} is sealed, but what shows whether this message is in it is not there.`
  return {
    verdict: 'withheld',
    sentence,
    evidence: [],
    message: `the day is sealed, but ${reason}`,
  }
}

/** What shows that a promise was kept. */
interface KeptPromise {
  day: string
  /** The place of the message's leaf among those of its day, from 1. */
  place: bigint
  count: bigint
  /** `generated_at` of the snapshot: the operator states it, and the log signs it, with the manifest of the day. */
  sealedAt: string
  /** The name of the log's key. */
  signer: string
}

/** `This message is the 6th of 21 in 2026-11-23, sealed at 00:05:09 UTC and signed by board.example.` */
export function keptSentence({ day, place, count, sealedAt, signer }: KeptPromise): string {
  const which = count === 1n ? 'the only one' : `the ${ordinal(place)} of ${count}`
  const isNextDay = sealedAt.startsWith(nextDay(day))
  const when = isNextDay ? timeOf(sealedAt) : inFull(sealedAt)
  return `This message is ${which} in ${day}, sealed at ${when} and signed by ${signer}.`
}

/** How far a time may be from another that it should not be after [ms]. */
const TOLERANCE_MS = 600_000

/** Judges a receipt whose times allow its day to come when it likes; null if they do not. */
export function untimely({ receivedAt, publishAt }: MessageLeaf, now: number): End | null {
  const published = Date.parse(publishAt)
  const isAhead = published > Date.parse(receivedAt) + TOLERANCE_MS
  if (!isAhead && published <= now + TOLERANCE_MS) return null
  const other = isAhead ? `${receivedAt} as its receipt` : `it is ${rfc3339(now)}`
  return {
    verdict: 'untimely',
    sentence: `This message is not promised in time: its receipt dates it ${inFull(publishAt)}, ahead of the clock.`,
    evidence: [],
    message: `its day does not come in time: it states ${publishAt} as its publication, and ${other}`,
  }
}

/** `00:05:09 UTC` of an RFC 3339 time */
function timeOf(instant: string): string {
  return `${instant.slice(11, 19)} UTC`
}

function inFull(instant: string): string {
  return `${timeOf(instant)} on ${instant.slice(0, 10)}`
}

const ORDINALS = new Intl.PluralRules('en', { type: 'ordinal' })
const SUFFIXES: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' }

/** `6th` */
function ordinal(place: bigint): string {
  // The last two digits decide, and a larger number is not exact.
  return `${place}${SUFFIXES[ORDINALS.select(Number(place % 100n))] ?? 'th'}`
}

/** What the reader brings along. */
interface Reader {
  policy?: Policy | undefined
  /** The time of this computer [ms since 1970]. */
  now: number
}

/**
 * Judges a receipt whose day has no leaf.
 * @param log null if there is none
 * @param reason what was found instead of a leaf
 */
export function unsealed(day: string, log: SignedLog | null, reason: string, reader: Reader): End {
  const deadline = rfc3339(deadlineOf(day))
  const first = log?.entries[0]?.day
  const isExempt = first !== undefined && day < first
  const breach = log && breachesIn(log.entries).find((one) => one.day === day)
  if (breach)
    return overdue(
      day,
      `${reason}, but ${breach.shownBy} is, which ended after the deadline of ${day}`,
    )
  if (log && !isExempt && isWitnessedAfter(log, day, reader))
    return overdue(day, `${reason}, and witnesses have signed that after the deadline, ${deadline}`)
  if (reader.now <= deadlineOf(day)) {
    const isOver = reader.now >= daySpan(day).to
    const message = `${isOver ? reason : `${day} is not over`}; it is overdue after ${deadline}`
    const sentence = `The promise holds so far: ${day} is not ${isOver ? 'sealed' : 'over'} yet, and it is to be sealed by ${inFull(deadline)} at the latest.`
    return { verdict: 'pending', sentence, evidence: [], message }
  }
  return isExempt
    ? late(
        `this log begins with ${first}, and no deadline holds for ${day}, which is before that`,
        `${reason}, which begins with ${first}; no deadline holds for a day before that`,
      )
    : late(
        `by your clock it was promised by ${inFull(deadline)}, and this copy does not have ${day}`,
        `${reason}; by your clock it is overdue since ${deadline}`,
      )
}

/** As the log itself or its witnesses show. */
function overdue(day: string, message: string): End {
  const since = inFull(rfc3339(deadlineOf(day)))
  const sentence = `This message is overdue: the log shows that ${day} was not sealed by ${since}, as promised.`
  return { verdict: 'overdue', sentence, evidence: [LOG_FILE, CHECKPOINT_FILE, KEY_FILE], message }
}

function late(why: string, reason: string): End {
  const sentence = `This message is late: ${why}.`
  return { verdict: 'late', sentence, evidence: [], message: `${reason}: fetch a fresh copy` }
}

/** Whether a quorum of the policy's witnesses has signed the log after the deadline of a day. */
function isWitnessedAfter({ note }: SignedLog, day: string, { policy, now }: Reader): boolean {
  if (!policy) return false
  // A leaf may come at the deadline itself.
  const times = { dayEnd: deadlineOf(day) + 1, now }
  const { hasQuorum, count } = witnessedBy(note, policy, times)
  return hasQuorum && count > 0
}
