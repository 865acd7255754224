// Formats the lines that npm run verify prints for people.
import { styleText } from 'node:util'
import { visible } from '../../archive/base/terminal-text.ts'
import type { Shortfall } from '../../archive/log/witnessed.ts'
import {
  type DayReport,
  type Finding,
  type FindingCode,
  isNote,
  isPending,
  type LogReport,
  type Report,
  SEVERITY,
  type WitnessReport,
} from '../../archive/verify/findings.ts'
import type { Step } from '../../archive/verify/receipt-verdict.ts'

/**
 * States what the next check can know of this one.
 * @param since the file of an earlier checkpoint, if any
 * @param update whether a good run replaces that file
 */
export function memoryLines({ ok, log }: Report, since: string | undefined, update: boolean) {
  if (!log) return []
  if (since === undefined)
    return ['not compared with an earlier run: --since FILE --update remembers the log']
  if (!update) return []
  const kept = ok ? `now has the checkpoint of ${leavesOf(log)}` : 'was not changed'
  return [`${visible(since)} ${kept}`]
}

export function dayLines({ day, ok, findings }: DayReport): string[] {
  return [`${mark(ok)} ${day}`, ...findings.map(findingLine)]
}

export function summaryLines(report: Report): string[] {
  const { ok, days, findings, log } = report
  const bad = days.filter((day) => !day.ok).length
  const again = reissuedLine(report)
  const isWaiting = !ok && isPending(report)
  const parts = [resultOf(ok || isWaiting, days.length, bad), again, isWaiting && 'not decided yet']
  const result = parts.filter((part) => part).join('; ')
  const sign = isWaiting ? WAIT : mark(ok)
  const total = `${sign} ${rangeOf(days)}: ${result}`
  return [...findings.map(findingLine), ...(log ? logLines(log, report) : []), total]
}

const WAIT = styleText('yellow', 'wait')

/** The line for a step of the check of one message. */
export function stepLine({ step, ok, message }: Step): string {
  const isWaiting = step === 'pending' || step === 'late'
  return `${isWaiting ? WAIT : mark(ok)} ${step}: ${visible(message)}`
}

/** The maximum number of days that a line lists. */
const MAX_LISTED = 3

/** States which days break the ascending order of message ids, and what can have caused it; null if none does. */
export function reissuedLine({ days }: Report): string | null {
  const found = days.filter((day) => day.findings.some(({ code }) => code === 'ids_reissued'))
  if (found.length === 0) return null
  const more = found.length - MAX_LISTED
  const listed = found.slice(0, MAX_LISTED).map(({ day }) => day)
  const others = more > 0 ? ` and ${more} more days` : ''
  return `ids were given again, or their messages redated, on ${listed.join(', ')}${others}`
}

/** States the log and, with a policy, who has signed it. */
function logLines(log: LogReport, report: Report): string[] {
  const { witnesses, quorum } = log
  if (!witnesses) return [logLine(log, report)]
  const result = quorum ? 'the witnesses are a quorum' : 'the witnesses are no quorum'
  return [logLine(log, report), ...witnesses.map(witnessLine), `     ${result}`]
}

const SHORTFALLS: Record<Shortfall, string> = {
  missing: 'has not signed',
  early: 'before the newest day had ended; does not count',
  late: 'later than now; does not count',
  unverified: 'has signed with an ML-DSA-44 key, which is not verified and does not count yet',
}

/** Returns for example `     witness w1, witness.example/w1+7496f9f8: signed at 2026-11-20T00:06:11.000Z`. */
function witnessLine({ name, key, signed_at, shortfall }: WitnessReport): string {
  const signed = signed_at === null ? null : `signed at ${signed_at}`
  const reason = shortfall === null ? null : SHORTFALLS[shortfall]
  const state = [signed, reason].filter((part) => part !== null).join(', ')
  return `     witness ${visible(name)}, ${visible(key)}: ${state}`
}

/** Returns for example `log  archive.example/transmissions, 30 leaves, root …: signed by the key given`. */
function logLine(log: LogReport, report: Report): string {
  const { origin, root } = log
  return `log  ${visible(origin)}, ${leavesOf(log)}, root ${root}: ${stateOf(log, report)}`
}

function leavesOf({ size }: LogReport): string {
  return `${size} ${size === 1 ? 'leaf' : 'leaves'}`
}

/** What verify has found out about a log. It is consistent only if it agrees with its checkpoint and with the days. */
function stateOf({ key_checked }: LogReport, { findings, days }: Report): string {
  const has = (...codes: FindingCode[]) => findings.some(({ code }) => codes.includes(code))
  if (has('unknown_signer', 'wrong_signature')) return 'not signed by a known key'
  if (has('log_rewritten')) return 'not the log that was signed'
  if (has('split_view')) return 'signed; a peer has another log'
  if (has('log_unsigned')) return 'not signed to its end'
  const differing = days.some((day) => day.findings.some(({ code }) => DAY_CODES.includes(code)))
  const signed = key_checked ? 'signed by the key given' : 'signed; the key itself was not checked'
  if (differing || has('missing')) return `${signed}; it is not the log of these days`
  return key_checked ? signed : 'consistent; the key itself was not checked'
}

/** Findings on a day that differs from the log. */
const DAY_CODES: readonly FindingCode[] = ['day_not_logged', 'manifest_not_logged']

/** Returns for example `30 days, 2026-10-23 to 2026-11-21`. */
function rangeOf(days: readonly DayReport[]): string {
  const [first, last] = [days.at(0), days.at(-1)]
  if (!first || !last) return 'no day'
  return first === last ? first.day : `${days.length} days, ${first.day} to ${last.day}`
}

function resultOf(ok: boolean, days: number, bad: number): string {
  if (days === 0) return 'nothing to verify'
  if (ok) return 'no faults'
  if (bad === 0) return 'faults, but in none of the days'
  return `faults in ${bad === 1 ? 'one day' : `${bad} days`}`
}

function findingLine(finding: Finding): string {
  const isFault = SEVERITY[finding.code] === 'failure'
  const prefix = isNote(finding)
    ? styleText('yellow', 'note')
    : styleText(isFault ? 'red' : 'yellow', finding.code)
  return `     ${prefix} ${visible(finding.file)}: ${visible(finding.message)}`
}

export function mark(ok: boolean): string {
  return ok ? styleText('green', 'good') : styleText('red', 'bad ')
}
