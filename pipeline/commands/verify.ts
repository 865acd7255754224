// npm run verify: verifies an archive in a folder, in an object store or over HTTP.
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { isAddress } from '../../archive/base-address.ts'
import { ArchiveError } from '../../archive/errors.ts'
import { isStoreUrl, nameOfArchive, parseStoreUrl } from '../../archive/place/location.ts'
import { StoreMemory } from '../../archive/place/memory.ts'
import { storePlace } from '../../archive/place/store.ts'
import { type ArchiveReader, openReader, readerOf } from '../../archive/reader.ts'
import { sourceAt } from '../../archive/verify/address.ts'
import { type VerifyOptions, verifyArchive } from '../../archive/verify/archive.ts'
import { isNote, type Report } from '../../archive/verify/findings.ts'
import { folderSource } from '../../archive/verify/folder.ts'
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
import { system } from '../../server/system.ts'
import { checkDatabase } from '../database-check.ts'
import { openDecoderPool } from '../decoder-pool.ts'
import { readNamed } from './input.ts'
import {
  EXIT_FAILED,
  lineOf,
  type ProgressBar,
  progressBar,
  runCommand,
  visible,
  wrapped,
} from './terminal.ts'
import { type Arguments, type ProofArguments, parseArguments, USAGE } from './verify-arguments.ts'
import { dayLines, mark, scopeLines, summaryLines } from './verify-report.ts'

/** How often the memory is saved, in case the check of a large store is interrupted [ms]. */
const SAVE_INTERVAL_MS = 30_000

async function main(words: string[]): Promise<number> {
  const args = parseArguments(words)
  if (args.help) {
    process.stdout.write(USAGE)
    return 0
  }
  loadDotEnv()
  const place = args.place ?? nameOfArchive(readArchive(process.env))
  return args.proof ? verifyProof(place, args.proof, args) : verify(place, args)
}

interface OpenArchive {
  source: Source
  /** Null for an archive over HTTP. */
  reader: ArchiveReader | null
  /** Opens the memory of earlier checks; for an object store only. */
  openMemory?: (options: { isEmpty: boolean }) => Promise<StoreMemory>
}

async function open(place: string): Promise<OpenArchive> {
  if (isAddress(place)) return { source: await sourceAt(place), reader: null }
  if (!isStoreUrl(place)) {
    const dir = resolve(place)
    return { source: folderSource(dir), reader: openReader(dir) }
  }
  const store = parseStoreUrl('ARCHIVE_URL', place, process.env)
  const { cacheDir: folder } = readDataFolders(process.env)
  const purpose = 'verified'
  const bucket = await storePlace(store, { random: Math.random })
  return {
    source: placeSource(bucket),
    reader: readerOf(bucket),
    openMemory: ({ isEmpty }) => StoreMemory.open({ folder, purpose, store, warn, isEmpty }),
  }
}

/** Verifies the proof of one message and prints each step. */
async function verifyProof(
  place: string,
  { proof, message, text }: ProofArguments,
  { keys, json }: Arguments,
): Promise<number> {
  const steps: Step[] = []
  const files = {
    proof: readNamed(proof),
    ...(message !== undefined && { message: readNamed(message) }),
    ...(text !== undefined && { text: readNamed(text) }),
  }
  const ok = await verifyMessage((await open(place)).source, files, keys, (step) => {
    steps.push(step)
    if (!json) printFitting([`${mark(step.ok)} ${step.step}: ${visible(step.message)}`])
  })
  if (json) print([JSON.stringify({ ok, steps })])
  return ok ? 0 : EXIT_FAILED
}

/** Adds the findings of the database check to the report on an archive. */
async function withDatabase(report: Report, reader: ArchiveReader): Promise<Report> {
  const { database } = readDataConfig(process.env)
  const store = await openStore(database, { clock: system.clock, create: false })
  try {
    const findings = [...report.findings, ...(await checkDatabase(store, reader))]
    return { ...report, ok: report.ok && findings.every(isNote), findings }
  } finally {
    await store.close()
  }
}

async function verify(place: string, args: Arguments): Promise<number> {
  const { keys, since, json, all, quick, database } = args
  const log = { ...(keys && { keys }), ...(since && { since: readNamed(since) }) }
  const pool = openDecoderPool(availableParallelism())
  const bar = progressBar(process.stderr, system.clock)
  let saving: NodeJS.Timeout | undefined
  try {
    const { source, reader, openMemory } = await open(place)
    const memory = quick ? undefined : await openMemory?.({ isEmpty: all })
    // Failures are ignored here, because the final save reports them.
    if (memory) saving = setInterval(() => void memory.save().catch(() => {}), SAVE_INTERVAL_MS)
    const checked = await verifyArchive(source, {
      ...watching(bar, json),
      decode: pool.decode,
      // More than the pool can hold, so that the next days are read while it decodes.
      daysAtOnce: pool.width + 2,
      log,
      quick,
      memory,
    })
    bar.clear()
    // A faulty day may not have been checked to the end.
    if (checked.ok) memory?.forgetUnused()
    await memory?.save().catch((error) => warn(`the results were not saved: ${lineOf(error)}`))
    const report = database && reader ? await withDatabase(checked, reader) : checked
    const remembered = memory && { remembered: memory.held }
    const scope = scopeLines(quick, memory?.held ?? 0)
    if (json) print([JSON.stringify({ ...report, ...remembered })])
    else printFitting([...summaryLines(report), ...scope])
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
      if (!json) printFitting(dayLines(day))
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

/** Prints lines that are broken where a terminal ends. */
function printFitting(lines: string[]): void {
  print(lines.map((line) => wrapped(line, process.stdout.columns, ' '.repeat(7))))
}

if (import.meta.main) await runCommand('verify', main)
