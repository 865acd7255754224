// Formats the lines that npm run verify prints for people.
import { styleText } from 'node:util'
import {
  type DayReport,
  type Finding,
  isNote,
  type LogReport,
  type Report,
} from '../../archive/verify/findings.ts'
import { SIGNATURE_CODES } from '../../archive/verify/log.ts'
import { visible } from './terminal.ts'

/** States which media files were not read. @param recalled the number of files skipped since an earlier check */
export function scopeLines(quick: boolean, recalled: number): string[] {
  if (quick) return ['quick: media files were not read']
  if (recalled === 0) return []
  return [
    `not read again, as ETag and size are unchanged: ${recalled} media files; --all reads them`,
  ]
}

export function dayLines({ day, ok, findings }: DayReport): string[] {
  return [`${mark(ok)} ${day}`, ...findings.map(findingLine)]
}

export function summaryLines({ ok, days, findings, log }: Report): string[] {
  const bad = days.filter((day) => !day.ok).length
  const total = `${mark(ok)} ${rangeOf(days)}: ${resultOf(ok, days.length, bad)}`
  return [...findings.map(findingLine), ...(log ? [logLine(log, findings)] : []), total]
}

const UNCHECKED = 'consistent; the key itself was not checked'

/** Returns for example `log  archive.example/transmissions, 30 leaves, root …: signed by the key given`. */
function logLine({ origin, size, root, key_checked }: LogReport, findings: Finding[]): string {
  const isUnsigned = findings.some(({ code }) => SIGNATURE_CODES.has(code))
  const signed = key_checked ? 'signed by the key given' : UNCHECKED
  const key = isUnsigned ? 'not signed by a known key' : signed
  return `log  ${visible(origin)}, ${size} ${size === 1 ? 'leaf' : 'leaves'}, root ${root}: ${key}`
}

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
  const prefix = isNote(finding) ? styleText('yellow', 'note') : styleText('red', finding.code)
  return `     ${prefix} ${visible(finding.file)}: ${visible(finding.message)}`
}

export function mark(ok: boolean): string {
  return ok ? styleText('green', 'good') : styleText('red', 'bad ')
}
