// The lines that npm run verify prints for people.
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

/** What must not be taken for a check of every byte. @param recalled media that were not read again */
export function scopeLines(quick: boolean, recalled: number): string[] {
  if (quick) return ['quick: the bytes of media were not read']
  if (recalled === 0) return []
  return [`not read again, with the ETag and size of an earlier check: ${recalled} media (--all)`]
}

export function dayLines({ day, ok, findings }: DayReport): string[] {
  return [`${mark(ok)} ${day}`, ...findings.map(findingLine)]
}

export function summaryLines({ ok, days, findings, log }: Report): string[] {
  const bad = days.filter((day) => !day.ok).length
  const count = `${days.length} day${days.length === 1 ? '' : 's'}`
  const total = `${mark(ok)} ${count}, ${resultOf(ok, days.length, bad)}`
  return [...findings.map(findingLine), ...(log ? [logLine(log, findings)] : []), total]
}

const UNCHECKED = 'consistent; the key itself was not checked'

/** As in `log  archive.example/transmissions, 30 leaves: signed by the key given`. */
function logLine({ origin, size, root, key_checked }: LogReport, findings: Finding[]): string {
  const isUnsigned = findings.some(({ code }) => SIGNATURE_CODES.has(code))
  const signed = key_checked ? 'signed by the key given' : UNCHECKED
  const key = isUnsigned ? 'not signed by a known key' : signed
  return `log  ${visible(origin)}, ${size} leaves, root ${root}: ${key}`
}

function resultOf(ok: boolean, days: number, bad: number): string {
  if (days === 0) return 'nothing to verify'
  if (ok) return 'all good'
  return bad > 0 ? `${bad} bad` : 'all good, but other files are not'
}

function findingLine(finding: Finding): string {
  const prefix = isNote(finding) ? styleText('yellow', 'note') : styleText('red', finding.code)
  return `     ${prefix} ${visible(finding.file)}: ${visible(finding.message)}`
}

export function mark(ok: boolean): string {
  return ok ? styleText('green', 'good') : styleText('red', 'bad ')
}
