// npm run verify: checks an archive in a folder, or that of a service over HTTP.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs, styleText } from 'node:util'
import { ArchiveError } from '../../archive/errors.ts'
import {
  type DayReport,
  type Finding,
  folderSource,
  isNote,
  type Report,
  serviceSource,
  verifyArchive,
} from '../../archive/verify/archive.ts'
import { concludeDay, decodeWav } from '../../protocol/index.ts'

const HELP = `Usage: npm run verify -- [DIR or URL] [--json]

Checks an archive of transmissions: every manifest, every hash and size, the chain of days, that
each WAV decodes to its snapshot, and that nothing else lies there. One line a day.

  DIR      the archive's folder; by default ARCHIVE_DIR, or transmissions in DATA_DIR
  URL      the base address of a service, as in https://example.org
  --json   one JSON object: {"ok","days":[{"day","ok","findings":[{"code","file","message"}]}],"findings"}
  --help   this text

Exit code: 0 everything is as it should be, 1 something is not, 2 wrong usage.
`

class UsageError extends Error {}

interface Command {
  /** A folder or a base address. */
  place: string
  json: boolean
  help: boolean
}

function readArguments(args: string[], env: NodeJS.ProcessEnv): Command {
  const { values, positionals } = parse(args)
  if (positionals.length > 1) throw new UsageError('one folder or address at a time')
  const place = positionals[0] ?? (env.ARCHIVE_DIR || join(env.DATA_DIR || 'data', 'transmissions'))
  if (place === '') throw new UsageError('the folder or address is empty')
  if (isAddress(place) && !URL.canParse(place)) throw new UsageError(`${place}: is no address`)
  return { place, json: values.json ?? false, help: values.help ?? false }
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function isAddress(place: string): boolean {
  return /^https?:/i.test(place)
}

async function verify({ place, json }: Command): Promise<number> {
  const source = isAddress(place) ? serviceSource(place) : folderSource(resolve(place))
  const onDay = json ? () => {} : (day: DayReport) => print(dayLines(day))
  try {
    const report = await verifyArchive(source, { decodeWav, concludeDay }, onDay)
    print(json ? [JSON.stringify(report)] : summaryLines(report))
    return report.ok ? 0 : 1
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
    if (json) print([JSON.stringify(failure(place, error))])
    else console.error(`verify: ${error.message}`)
    return 1
  }
}

function failure(place: string, { code, message }: ArchiveError): Report {
  return { ok: false, days: [], findings: [{ code, file: place, message }] }
}

function dayLines({ day, ok, findings }: DayReport): string[] {
  return [`${mark(ok)} ${day}`, ...findings.map(findingLine)]
}

function summaryLines({ ok, days, findings }: Report): string[] {
  const bad = days.filter((day) => !day.ok).length
  const count = `${days.length} day${days.length === 1 ? '' : 's'}`
  const result = ok ? 'all good' : bad === 0 ? 'the archive is not' : `${bad} bad`
  return [...findings.map(findingLine), `${mark(ok)} ${count}, ${result}`]
}

function findingLine(finding: Finding): string {
  const prefix = isNote(finding) ? styleText('yellow', 'note') : styleText('red', finding.code)
  return `     ${prefix} ${visible(finding.file)}: ${visible(finding.message)}`
}

/** Names of stray files are anyone's; a terminal is not to obey them. */
function visible(text: string): string {
  return text.replace(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

function mark(ok: boolean): string {
  return ok ? styleText('green', 'good') : styleText('red', 'bad ')
}

function print(lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`)
}

try {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const command = readArguments(process.argv.slice(2), process.env)
  if (command.help) process.stdout.write(HELP)
  else process.exitCode = await verify(command)
} catch (error) {
  console.error(`verify: ${(error as Error).message}`)
  process.exitCode = error instanceof UsageError ? 2 : 1
}
