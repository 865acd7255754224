// What verify has found, of the archive and of its days.
import { type Finding, isNote, type Report } from '../../archive/verify/findings.ts'

export const findingsIn = ({ findings, days }: Report): Finding[] => [
  ...findings,
  ...days.flatMap((day) => day.findings),
]

/** All findings as "code file". */
export const found = (report: Report): string[] =>
  findingsIn(report).map(({ code, file }) => `${code} ${file}`)

/** The same without notes. */
export const faultsIn = (report: Report): string[] =>
  findingsIn(report)
    .filter((finding) => !isNote(finding))
    .map(({ code, file }) => `${code} ${file}`)
