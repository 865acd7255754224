// npm run verify: checks an archive in a folder, or that of a service over HTTP.

import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { styleText } from 'node:util'
import { ArchiveError } from '../../archive/errors.ts'
import { parseVkey, type Verifier } from '../../archive/log/note.ts'
import { isStoreUrl, nameOfArchive, parseStoreUrl } from '../../archive/place/location.ts'
import { storePlace } from '../../archive/place/store.ts'
import { openReaderAt } from '../../archive/reader.ts'
import { sourceAt } from '../../archive/verify/address.ts'
import { verifyArchive } from '../../archive/verify/archive.ts'
import {
  type DayReport,
  type Finding,
  isNote,
  type LogReport,
  type Report,
} from '../../archive/verify/findings.ts'
import { folderSource } from '../../archive/verify/folder.ts'
import type { LogOptions } from '../../archive/verify/log.ts'
import { type Step, verifyMessage } from '../../archive/verify/message.ts'
import { placeSource } from '../../archive/verify/place.ts'
import type { Source } from '../../archive/verify/source.ts'
import { openStore } from '../../server/store/database.ts'
import { loadDotEnv, readArchive, readDataConfig } from '../../server/store/location.ts'
import { checkDatabase } from '../database-check.ts'
import { openDecoderPool } from '../decoder-pool.ts'
import { EXIT_FAILED, parseWords, runCommand, UsageError } from './terminal.ts'

const USAGE = `Checks an archive of transmissions: every manifest, every hash and size, the
chain of days, that each WAV decodes to its snapshot, and that there are no
other files. Prints one line a day.

  npm run verify -- [DIR or URL] [--json]

  DIR           the archive's folder; by default ARCHIVE_DIR, or transmissions
                in DATA_DIR
  URL           the base address of a service, as in https://example.org, or of
                an archive's folder behind a plain file server, or of an object
                store, as in s3://bucket/prefix, with its AWS_ variables
  --quick       leaves the bytes of media unread; in a folder or a store their
                sizes are compared
  --key VKEY    holds the log's signature to this key, and to no other
  --since FILE  fails unless the log continues the checkpoint in this file
  --database    also checks the records and texts of the database of DATA_DIR
                or DATABASE_URL
  --proof FILE  checks one message instead: its proof, as of
                /messages/<id>.proof.json; with --message FILE its record,
                with --text FILE its text
  --json        prints one JSON object: {"ok","days":[{"day","ok",
                "findings":[{"code","file","message"}]}],"findings"}
  --help        prints this

Exit: 0 everything is as it should be, 1 something is not, or there is no day
at all, 2 wrong usage.
`

/** Must not be taken for a whole check. */
const QUICK = 'quick: the bytes of media were not read'

const OPTIONS = {
  quick: { type: 'boolean' },
  key: { type: 'string' },
  since: { type: 'string' },
  database: { type: 'boolean' },
  proof: { type: 'string' },
  message: { type: 'string' },
  text: { type: 'string' },
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
  const place = words[0] ?? nameOfArchive(readArchive(process.env))
  if (place === '') throw new UsageError('the folder or address is empty')
  if (isAddress(place) && !URL.canParse(place)) throw new UsageError(`${place}: is no address`)
  const keys = values.key === undefined ? undefined : [keyOf(values.key)]
  const json = values.json === true
  if (values.proof !== undefined) return verifyProof(place, values, keys, json)
  if (values.message !== undefined || values.text !== undefined)
    throw new UsageError('--message and --text go with --proof')
  const log = { ...(keys && { keys }), ...(values.since && { since: readFileSync(values.since) }) }
  const { quick = false, database = false } = values
  return verify(place, log, { json, quick, database })
}

function keyOf(vkey: string): Verifier {
  try {
    return parseVkey(vkey)
  } catch (error) {
    throw new UsageError(`--key: ${(error as ArchiveError).message}`)
  }
}

async function sourceOf(place: string): Promise<Source> {
  if (isStoreUrl(place)) {
    const location = parseStoreUrl('the address', place, process.env)
    return placeSource(await storePlace(location, { random: Math.random }))
  }
  return isAddress(place) ? sourceAt(place) : folderSource(resolve(place))
}

/** Follows the proof of one message. */
async function verifyProof(
  place: string,
  { proof = '', message, text }: { proof?: string; message?: string; text?: string },
  keys: Verifier[] | undefined,
  json: boolean,
): Promise<number> {
  const steps: Step[] = []
  const files = {
    proof: readFileSync(proof),
    ...(message !== undefined && { message: readFileSync(message) }),
    ...(text !== undefined && { text: readFileSync(text) }),
  }
  const ok = await verifyMessage(await sourceOf(place), files, keys, (step) => {
    steps.push(step)
    if (!json) print([`${mark(step.ok)} ${step.step}: ${visible(step.message)}`])
  })
  if (json) print([JSON.stringify({ ok, steps })])
  return ok ? 0 : EXIT_FAILED
}

/** What the database adds to a report. */
async function withDatabase(report: Report): Promise<Report> {
  const { database, archive } = readDataConfig(process.env)
  const store = await openStore(database, { create: false })
  try {
    const reader = await openReaderAt(archive, Math.random)
    const findings = [...report.findings, ...(await checkDatabase(store, reader))]
    return { ...report, ok: report.ok && findings.every(isNote), findings }
  } finally {
    await store.close()
  }
}

function isAddress(place: string): boolean {
  return /^https?:/i.test(place)
}

async function verify(
  place: string,
  log: LogOptions,
  { json, quick, database }: { json: boolean; quick: boolean; database: boolean },
): Promise<number> {
  const onDay = json ? () => {} : (day: DayReport) => print(dayLines(day))
  const pool = openDecoderPool(availableParallelism())
  try {
    const source = await sourceOf(place)
    // More than the threads decode: the next ones are read meanwhile.
    const options = { onDay, decode: pool.decode, daysAtOnce: pool.width + 2, log, quick }
    const checked = await verifyArchive(source, options)
    const report = database ? await withDatabase(checked) : checked
    print(json ? [JSON.stringify(report)] : [...summaryLines(report), ...(quick ? [QUICK] : [])])
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

function summaryLines({ ok, days, findings, log }: Report): string[] {
  const bad = days.filter((day) => !day.ok).length
  const count = `${days.length} day${days.length === 1 ? '' : 's'}`
  const total = `${mark(ok)} ${count}, ${resultOf(ok, days.length, bad)}`
  return [...findings.map(findingLine), ...(log ? [logLine(log)] : []), total]
}

/** As in `log  archive.example/transmissions, 30 leaves: signed by the key given`. */
function logLine({ origin, size, root, key_checked }: LogReport): string {
  const key = key_checked ? 'signed by the key given' : 'consistent; the key itself was not checked'
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
