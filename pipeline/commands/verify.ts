// npm run verify: verifies an archive in a folder, in an object store or over HTTP.
import { availableParallelism } from 'node:os'
import { program } from '../../archive/base/command-line.ts'
import { isArchiveError } from '../../archive/base/errors.ts'
import { type ProgressBar, progressBar } from '../../archive/base/progress-bar.ts'
import {
  EXIT_FAILED,
  EXIT_PENDING,
  runCommand,
  type Terminal,
} from '../../archive/base/terminal.ts'
import { visible, wrapped } from '../../archive/base/terminal-text.ts'
import { locationOf, nameOfArchive } from '../../archive/place/location.ts'
import { openPlace } from '../../archive/place/open.ts'
import type { Place } from '../../archive/place/place.ts'
import { type VerifyOptions, verifyArchive } from '../../archive/verify/archive.ts'
import { isPending, type Report } from '../../archive/verify/findings.ts'
import type { LogOptions } from '../../archive/verify/log.ts'
import type { Step } from '../../archive/verify/receipt-verdict.ts'
import { loadDotEnv, readArchive } from '../../server/data/environment.ts'
import { system } from '../../server/system/system.ts'
import { openDecoderPool } from './decoder-pool.ts'
import { keepEvidence, readSince, replaceSince } from './evidence.ts'
import { type Arguments, type ReceiptArguments, VERIFY } from './verify-arguments.ts'
import { exitCodeOf, judgeReceipt, readReceiptFiles } from './verify-receipt.ts'
import { dayLines, memoryLines, reissuedLine, stepLine, summaryLines } from './verify-report.ts'

async function run(args: Arguments, terminal: Terminal): Promise<number> {
  const address = args.location ?? nameOfArchive(readArchive(terminal.environment()))
  if (args.receipt) return verifyReceipts(address, args.receipt, args, terminal)
  return verifyDays(address, args, terminal)
}

const open = (address: string, { environment }: Terminal): Promise<Place> =>
  openPlace(locationOf(address, environment()), { random: Math.random })

/** Judges a receipt, and prints the verdict in one sentence, followed by the steps that led to it. */
async function verifyReceipts(
  address: string,
  files: ReceiptArguments,
  { keys, policy, evidence, json }: Arguments,
  terminal: Terminal,
): Promise<number> {
  const steps: Step[] = []
  const read = readReceiptFiles(files)
  const { stdout } = terminal
  const place = await open(address, terminal)
  const judgement = await judgeReceipt(
    place,
    read,
    { keys, policy, now: system.clock.now(), onStep: (step) => void steps.push(step) },
    evidence,
  )
  const { verdict, sentence } = judgement
  if (json) print(stdout, [JSON.stringify({ ok: verdict === 'kept', ...judgement, steps })])
  else printFitting(stdout, [visible(sentence), ...steps.map(stepLine)])
  return exitCodeOf(verdict)
}

/** Verifies an archive and prints each day. */
async function verifyDays(address: string, args: Arguments, terminal: Terminal): Promise<number> {
  const { json, quick, since, update } = args
  const { stdout, stderr } = terminal
  try {
    const report = await check(address, args, terminal)
    const again = reissuedLine(report)
    if (again) stderr.write(`verify: ${again}\n`)
    if (report.ok && update && since !== undefined && report.log)
      await replaceSince(since, report.log.note)
    if (json) print(stdout, [JSON.stringify(report)])
    else
      printFitting(stdout, [
        ...summaryLines(report),
        ...(quick ? ['quick: media files were not read'] : []),
        ...memoryLines(report, since, update),
      ])
    return report.ok ? 0 : isPending(report) ? EXIT_PENDING : EXIT_FAILED
  } catch (error) {
    if (!json || !isArchiveError(error)) throw error
    const { code, message } = error
    print(stdout, [
      JSON.stringify({ ok: false, days: [], findings: [{ code, file: address, message }] }),
    ])
    return EXIT_FAILED
  }
}

async function check(address: string, args: Arguments, terminal: Terminal): Promise<Report> {
  const { json, quick } = args
  const { stdout, stderr } = terminal
  const log = logOptionsOf(args)
  const pool = openDecoderPool(availableParallelism())
  const bar = progressBar(stderr, system.clock)
  try {
    return await verifyArchive(await open(address, terminal), {
      ...watching(bar, json ? null : stdout),
      decode: pool.decode,
      // More than the pool can hold, so that the next days are read while it decodes.
      daysAtOnce: pool.width + 2,
      log,
      quick,
    })
  } finally {
    bar.clear()
    await pool.close()
  }
}

function logOptionsOf(args: Arguments): LogOptions {
  const { keys, since, update, fresh, policy, peers, evidence } = args
  const now = system.clock.now()
  const keep = async (name: string, bytes: Uint8Array) =>
    evidence === undefined ? null : keepEvidence(evidence, name, bytes)
  return {
    ...(keys && { keys }),
    since: since === undefined ? undefined : readSince(since, update),
    isRequired: since !== undefined,
    freshness: fresh === undefined ? undefined : { hours: fresh, now },
    witnesses: policy && { policy, now },
    peers: peers.length > 0 ? { urls: peers, client: { random: Math.random }, keep } : undefined,
  }
}

/** Prints each day above the progress bar. @param stdout null for no lines of days */
function watching(
  bar: ProgressBar,
  stdout: Terminal['stdout'] | null,
): Pick<VerifyOptions, 'onDay' | 'onProgress'> {
  return {
    onDay(day) {
      bar.clear()
      if (stdout) printFitting(stdout, dayLines(day))
    },
    onProgress(done, days) {
      bar.show(days === 0 ? null : done / days, `checked ${done} of ${days}`)
    },
  }
}

function print(stdout: Terminal['stdout'], lines: string[]): void {
  stdout.write(`${lines.join('\n')}\n`)
}

/** Prints lines that are broken where a terminal ends. */
function printFitting(stdout: Terminal['stdout'], lines: string[]): void {
  const fitting = lines.map((line) => wrapped(line, stdout.columns, ' '.repeat(7)))
  print(stdout, fitting)
}

export const verify = program(VERIFY, run)

if (import.meta.main)
  await runCommand(verify, () => {
    loadDotEnv()
    return process.env
  })
