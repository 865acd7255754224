// npm run verify: checks an archive in a folder, or that of a service over HTTP.

import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { ArchiveError } from '../../archive/errors.ts'
import { parseVkey, type Verifier } from '../../archive/log/note.ts'
import { isStoreUrl, nameOfArchive, parseStoreUrl } from '../../archive/place/location.ts'
import { StoreMemory } from '../../archive/place/memory.ts'
import { storePlace } from '../../archive/place/store.ts'
import { openReaderAt } from '../../archive/reader.ts'
import { sourceAt } from '../../archive/verify/address.ts'
import { type VerifyOptions, verifyArchive } from '../../archive/verify/archive.ts'
import { isNote, type Report } from '../../archive/verify/findings.ts'
import { folderSource } from '../../archive/verify/folder.ts'
import type { LogOptions } from '../../archive/verify/log.ts'
import { type Step, verifyMessage } from '../../archive/verify/message.ts'
import { placeSource } from '../../archive/verify/place.ts'
import type { Source } from '../../archive/verify/source.ts'
import { openStore } from '../../server/store/database.ts'
import {
  loadDotEnv,
  readArchive,
  readDataConfig,
  readDataFolders,
} from '../../server/store/location.ts'
import { checkDatabase } from '../database-check.ts'
import { openDecoderPool } from '../decoder-pool.ts'
import { isAddress, readPlace } from './place.ts'
import {
  EXIT_FAILED,
  lineOf,
  type ProgressBar,
  parseWords,
  progressBar,
  runCommand,
  UsageError,
} from './terminal.ts'
import { dayLines, mark, scopeLines, summaryLines, visible } from './verify-report.ts'

const USAGE = `Checks an archive of transmissions: every manifest, every hash and size, the
chain of days, that each WAV decodes to its snapshot, and that there are no
other files. Prints one line a day.

  npm run verify -- [DIR or URL] [--json]

  DIR           the archive's folder; by default ARCHIVE_DIR, or transmissions
                in DATA_DIR
  URL           the base address of a service, as in https://example.org, or of
                an archive's folder behind a plain file server, or of an object
                store, as in s3://bucket/prefix, with its AWS_ variables
  --all         reads every medium of an object store; otherwise one whose ETag
                and size are as when its hash was proven is not read again, by a
                file in .cache of DATA_DIR that is safe to delete
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

/** [ms] */
const SAVED_EVERY_MS = 30_000

const OPTIONS = {
  all: { type: 'boolean' },
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
  const place =
    words[0] === undefined ? nameOfArchive(readArchive(process.env)) : readPlace(words[0])
  const keys = values.key === undefined ? undefined : [keyOf(values.key)]
  const json = values.json === true
  if (values.proof !== undefined) return verifyProof(place, values, keys, json)
  if (values.message !== undefined || values.text !== undefined)
    throw new UsageError('--message and --text go with --proof')
  const log = { ...(keys && { keys }), ...(values.since && { since: readFileSync(values.since) }) }
  const { all = false, quick = false, database = false } = values
  if (all && quick) throw new UsageError('--all reads every medium, and --quick none')
  return verify(place, log, { json, all, quick, database })
}

function keyOf(vkey: string): Verifier {
  try {
    return parseVkey(vkey)
  } catch (error) {
    throw new UsageError(`--key: ${(error as ArchiveError).message}`)
  }
}

/** An archive to check. */
interface Checked {
  source: Source
  /** Of an object store: what was proven of it before. */
  openMemory?: (options: { isEmpty: boolean }) => Promise<StoreMemory>
}

async function open(place: string): Promise<Checked> {
  if (!isStoreUrl(place))
    return { source: isAddress(place) ? await sourceAt(place) : folderSource(resolve(place)) }
  const store = parseStoreUrl('ARCHIVE_URL', place, process.env)
  const { cacheDir: folder } = readDataFolders(process.env)
  const purpose = 'verified'
  return {
    source: placeSource(await storePlace(store, { random: Math.random })),
    openMemory: ({ isEmpty }) => StoreMemory.open({ folder, purpose, store, warn, isEmpty }),
  }
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
  const ok = await verifyMessage((await open(place)).source, files, keys, (step) => {
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

interface Choices {
  json: boolean
  all: boolean
  quick: boolean
  database: boolean
}

async function verify(place: string, log: LogOptions, choices: Choices): Promise<number> {
  const { json, all, quick, database } = choices
  const pool = openDecoderPool(availableParallelism())
  const bar = progressBar(process.stderr)
  let saving: NodeJS.Timeout | undefined
  try {
    const { source, openMemory } = await open(place)
    const memory = quick ? undefined : await openMemory?.({ isEmpty: all })
    // A first check of a large store takes hours, and may be interrupted; the last save reports a failure.
    if (memory) saving = setInterval(() => void memory.save().catch(() => {}), SAVED_EVERY_MS)
    const checked = await verifyArchive(source, {
      ...watching(bar, json),
      decode: pool.decode,
      // More than the threads decode: the next ones are read meanwhile.
      daysAtOnce: pool.width + 2,
      log,
      quick,
      memory,
    })
    bar.clear()
    await memory?.save().catch((error) => warn(`nothing is remembered: ${lineOf(error)}`))
    const report = database ? await withDatabase(checked) : checked
    const remembered = memory && { remembered: memory.held }
    const notes = scopeLines(quick, memory?.held ?? 0)
    print(
      json ? [JSON.stringify({ ...report, ...remembered })] : [...summaryLines(report), ...notes],
    )
    return report.ok ? 0 : EXIT_FAILED
  } catch (error) {
    if (!json || !(error instanceof ArchiveError)) throw error
    const { code, message } = error
    print([JSON.stringify({ ok: false, days: [], findings: [{ code, file: place, message }] })])
    return EXIT_FAILED
  } finally {
    clearInterval(saving)
    bar.clear()
    await pool.close()
  }
}

/** Prints each day above the progress bar. */
function watching(bar: ProgressBar, json: boolean): Pick<VerifyOptions, 'onDay' | 'onProgress'> {
  return {
    onDay(day) {
      bar.clear()
      if (!json) print(dayLines(day))
    },
    onProgress(done, days) {
      bar.show(days === 0 ? null : done / days, `checked ${done} of ${days}`)
    },
  }
}

function warn(line: string): void {
  console.error(`verify: ${line}`)
}

function print(lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`)
}

if (import.meta.main) await runCommand('verify', main)
