// Says in one sentence that a person understands what became of a message, by its receipt (COMMANDS.md 3.2). Pure.
import { daySpan, nextDay } from '../format/calendar.ts'
import { rfc3339 } from '../format/scalars.ts'
import { deadlineOf } from '../log/deadline.ts'

/** What shows that a promise was kept. */
export interface Kept {
  day: string
  /** The place of the message's leaf among those of its day, from 1. */
  place: bigint
  count: bigint
  /** `generated_at` of the snapshot: the operator states it, and the log signs it, with the manifest of the day. */
  sealedAt: string
  /** The name of the log's key. */
  signer: string
}

/** `Your message is the 6th of 21 in 2026-11-23, sealed at 00:05:09 UTC and signed by board.example.` */
export function keptSentence({ day, place, count, sealedAt, signer }: Kept): string {
  const which = count === 1n ? 'the only one' : `the ${ordinal(place)} of ${count}`
  const isNextDay = sealedAt.startsWith(nextDay(day))
  const when = isNextDay ? timeOf(sealedAt) : inFull(sealedAt)
  return `Your message is ${which} in ${day}, sealed at ${when} and signed by ${signer}.`
}

/** Of a message whose day has no leaf, before its deadline. @param now the time of this computer [ms since 1970] */
export function pendingSentence(day: string, now: number): string {
  const until = `it is promised by ${inFull(rfc3339(deadlineOf(day)))}`
  return now < daySpan(day).to
    ? `Your message is not due yet: ${day} is not over, and ${until}.`
    : `Your message is not due yet: ${day} is not sealed, and ${until}.`
}

/** Of a message whose day has no leaf after its deadline, as only the clock of this computer says. */
export function lateSentence(day: string): string {
  const since = inFull(rfc3339(deadlineOf(day)))
  return `Your message is late: by your clock it was promised by ${since}, and this copy does not have ${day}.`
}

/** Of a message whose day is before the first one of the log. */
export function exemptSentence(day: string, first: string): string {
  return `Your message is late: this log begins with ${first}, and no deadline holds for ${day}, which is before that.`
}

/** Of a message whose day has no leaf, as the log itself or its witnesses show. */
export function overdueSentence(day: string): string {
  const since = inFull(rfc3339(deadlineOf(day)))
  return `Your message is overdue: the log shows that ${day} was not sealed by ${since}, as promised.`
}

/** Of a message whose day is sealed, but not to be had. */
export function withheldSentence(day: string): string {
  return `Your message is withheld: ${day} is sealed, but what shows whether your message is in it is not there.`
}

/** Of a message that was sealed otherwise than promised. @param what `2026-11-23 was sealed without your message` */
export function brokenSentence(what: string): string {
  return `The promise to you was broken: ${what}.`
}

/** Of a receipt whose times allow its day to come when it likes. */
export function untimelySentence(publishAt: string): string {
  return `Your message is not promised in time: its receipt dates it ${inFull(publishAt)}, ahead of the clock.`
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
