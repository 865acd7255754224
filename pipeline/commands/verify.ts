// npm run verify: checks an archive in a folder, or that of a service over HTTP.
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { styleText } from 'node:util'
import { ArchiveError } from '../../archive/errors.ts'
import { verifyArchive } from '../../archive/verify/archive.ts'
import { type DayReport, type Finding, isNote, type Report } from '../../archive/verify/findings.ts'
import { folderSource } from '../../archive/verify/folder.ts'
import { serviceSource } from '../../archive/verify/service.ts'
import { loadDotEnv, readArchiveDir } from '../../server/store/location.ts'
import { openDecoderPool } from '../decoder-pool.ts'
import { EXIT_FAILED, parseWords, runCommand, UsageError } from './terminal.ts'

const USAGE = `Checks an archive of transmissions: every manifest, every hash and size, the chain of days, that each
WAV decodes to its snapshot, and that there are no other files. Prints one line a day.

  npm run verify -- [DIR or URL] [--json]

  DIR      the archive's folder; by default ARCHIVE_DIR, or transmissions in DATA_DIR
  URL      the base address of a service, as in https://example.org
  --json   one JSON object: {"ok","days":[{"day","ok","findings":[{"code","file","message"}]}],"findings"}
  --help   prints this

Exit: 0 everything is as it should be, 1 something is not, or there is no day at all, 2 wrong usage.
`

const OPTIONS = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

async function main(args: string[]): Promise<number> {
  const { values, words } = parseWords(args, OPTIONS)
  if (values.help) {
    process.stdout.write(USAGE)
    return 0
  }
  if (words.length > 1) throw new UsageError('name one folder or address at a time')
  loadDotEnv()
  const place = words[0] ?? readArchiveDir(process.env)
  if (place === '') throw new UsageError('the folder or address is empty')
  if (isAddress(place) && !URL.canParse(place)) throw new UsageError(`${place}: is no address`)
  return verify(place, values.json === true)
}

function isAddress(place: string): boolean {
  return /^https?:/i.test(place)
}

async function verify(place: string, json: boolean): Promise<number> {
  const source = isAddress(place) ? serviceSource(place) : folderSource(resolve(place))
  const onDay = json ? () => {} : (day: DayReport) => print(dayLines(day))
  const threads = availableParallelism()
  const pool = openDecoderPool(threads)
  try {
    const { decode } = pool
    // More than the threads decode: the next ones are read meanwhile.
    const report = await verifyArchive(source, { onDay, decode, daysAtOnce: threads + 2 })
    print(json ? [JSON.stringify(report)] : summaryLines(report))
    return report.ok ? 0 : EXIT_FAILED
  } catch (error) {
    if (!json || !(error instanceof ArchiveError)) throw error
    const { code, message } = error
    print([JSON.stringify({ ok: false, days: [], findings: [{ code, file: place, message }] })])
    return EXIT_FAILED
  } finally {
    await pool.close()
  }
}

function dayLines({ day, ok, findings }: DayReport): string[] {
  return [`${mark(ok)} ${day}`, ...findings.map(findingLine)]
}

function summaryLines({ ok, days, findings }: Report): string[] {
  const bad = days.filter((day) => !day.ok).length
  const count = `${days.length} day${days.length === 1 ? '' : 's'}`
  return [...findings.map(findingLine), `${mark(ok)} ${count}, ${resultOf(ok, days.length, bad)}`]
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

/** Anyone may name a stray file: control characters in it must not reach the terminal. */
function visible(text: string): string {
  return text.replace(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

function mark(ok: boolean): string {
  return ok ? styleText('green', 'good') : styleText('red', 'bad ')
}

function print(lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`)
}

if (import.meta.main) await runCommand('verify', main)
