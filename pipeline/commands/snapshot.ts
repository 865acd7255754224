// npm run snapshot: archives the days that are missing, or repairs archived ones.
import { availableParallelism } from 'node:os'
import { program } from '../../archive/base/command-line.ts'
import { nullIf } from '../../archive/base/errors.ts'
import { EXIT_FAILED, runCommand, UsageError } from '../../archive/base/terminal.ts'
import { visible } from '../../archive/base/terminal-text.ts'
import { namedFiles } from '../../archive/format/manifest.ts'
import { locationOf } from '../../archive/place/location.ts'
import { openPlace } from '../../archive/place/open.ts'
import type { Place } from '../../archive/place/place.ts'
import type { UnloggedDay } from '../../archive/writing/day-log.ts'
import { loadDotEnv } from '../../server/data/environment.ts'
import { readBeginning } from '../../server/data/first-day.ts'
import { EXIT_BUSY, PipelineBusy } from '../../server/data/pipeline-lock.ts'
import { lastFailure } from '../../server/database/settings/settings.ts'
import { system } from '../../server/system/system.ts'
import { type PipelineConfig, readPipelineConfig } from '../config.ts'
import { daysBetween, dueDays, rejectionOf } from '../days/due-days.ts'
import { holdBack, refuseNewestFirst, withEarlierDays } from '../days/ready-days.ts'
import { repairDays } from '../repair/repair.ts'
import {
  type DayOutcome,
  type Run,
  type RunOptions,
  type RunReport,
  withPipeline,
} from '../run/session.ts'
import { publishDays, publishNewestFirst } from '../sealing/backfill.ts'
import { hasWitnessToAsk, type WitnessOutcome } from '../witnesses/round.ts'
import { type Arguments, SNAPSHOT } from './snapshot-arguments.ts'
import { type DaysProgress, daysProgress, summaryOf } from './snapshot-summary.ts'
import { Stopped, stoppable } from './stop-signal.ts'

async function main(args: Arguments): Promise<number> {
  loadDotEnv()
  const config = readPipelineConfig(process.env, process.versions, availableParallelism())
  if (args.witness && !(await hasAnyToAsk(config))) {
    if (args.json) printJson([])
    else process.stdout.write('nothing to do: every witness has signed\n')
    return 0
  }
  const rejected = rejectedDay(args, system.clock.now())
  if (rejected) {
    if (args.json) printJson([rejected])
    console.error(`${rejected.day}: ${rejected.message}`)
    return EXIT_FAILED
  }
  return stoppable('snapshot', (signal) => archiveDays(args, config, signal))
}

/** @throws UsageError without a policy */
function hasAnyToAsk(config: PipelineConfig): Promise<boolean> {
  const { witnessPolicy } = config
  if (!witnessPolicy) throw new UsageError('--witness needs a policy in WITNESS_POLICY')
  return hasWitnessToAsk(config, witnessPolicy, system.clock)
}

async function archiveDays(args: Arguments, config: PipelineConfig, signal: AbortSignal) {
  const progress = daysProgress(process.stderr, system.clock)
  const requests = { random: Math.random, signal }
  const copy =
    args.copy === null ? null : await openPlace(locationOf(args.copy, process.env), requests)
  // Without it, a folder that does not exist would count as a copy without files.
  await copy?.folders()
  const files: ArchiveFiles = { derived: [], restored: [], witnesses: [] }
  const options = optionsOf(args, copy, signal, progress, files)
  const { outcomes, bytes, archive } = await withPipeline(config, options, (run, recovery) =>
    runDays(args, copy, run, recovery, progress),
  )
  const { indexPage } = args
  const summary = summaryOf(outcomes, bytes, files.derived, indexPage)
  if (args.json) printJson(outcomes, files)
  else process.stdout.write(`${summary} in ${archive}\n`)
  return outcomes.some(({ status }) => status === 'failed') ? EXIT_FAILED : 0
}

/** The names of the files outside of days that a run has written. */
interface ArchiveFiles {
  /** Derived files. */
  derived: string[]
  /** Files of the log that a repair has restored. */
  restored: string[]
  /** What the witnesses have answered. */
  witnesses: WitnessOutcome[]
}

/** @param files is filled in as the run writes them */
function optionsOf(
  { rekey, indexPage, repair, json }: Arguments,
  copy: Place | null,
  signal: AbortSignal,
  progress: DaysProgress,
  files: ArchiveFiles,
): RunOptions {
  const report: RunReport = {
    warn: (line) => console.error(`snapshot: ${line}`),
    progress: progress.show,
    restored(names) {
      files.restored = names
      if (!json) for (const name of names) process.stdout.write(`${name}  repaired\n`)
    },
    derived(names) {
      files.derived = names
    },
    witnesses(outcomes) {
      files.witnesses = outcomes
      for (const outcome of outcomes) {
        process.send?.(outcome, undefined, undefined, ignoreFailure)
        if (!json) printWitness(outcome)
      }
    },
  }
  const { clock } = system
  const repairing = repair && { repair: { copy } }
  return { clock, random: Math.random, signal, report, rekey, indexPage, ...repairing }
}

/** Returns the outcome of the first requested day that cannot be archived; null when all can. */
function rejectedDay({ range, repair }: Arguments, now: number): DayOutcome | null {
  if (!range || repair) return null
  for (const day of [range.from, range.to]) {
    const message = rejectionOf(day, now)
    if (message) return { day, status: 'failed', message }
  }
  return null
}

/** @returns the outcomes of the days, the total size of their files, and the archive's folder or s3:// URL */
async function runDays(
  args: Arguments,
  copy: Place | null,
  run: Run,
  unlogged: readonly UnloggedDay[],
  progress: DaysProgress,
) {
  const { repair, newestFirst } = args
  const outcomes: DayOutcome[] = []
  const failures = new Map(unlogged.map(({ day, error }) => [day, error.message]))
  const report = (reached: DayOutcome) => {
    // A repair reports its own faults.
    const outcome = repair ? reached : withFailure(reached, failures.get(reached.day))
    outcomes.push(outcome)
    announce(outcome, args, progress)
  }
  const wanted = await requestedDays(args, run)
  if (newestFirst) await refuseNewestFirst(run, wanted)
  const { days, held } = repair
    ? { days: wanted, held: null }
    : await holdBack(run, wanted, args.range !== null)
  // A requested day is tried again below, and reports its own outcome.
  for (const [day, message] of failures)
    if (!days.includes(day)) report({ day, status: 'failed', message })
  progress.begin(days.length)
  try {
    if (repair) await repairDays(run, days, report, copy)
    else await (newestFirst ? publishNewestFirst : publishDays)(run, days, report)
  } finally {
    progress.clear()
  }
  if (held) report(held)
  await recordLastFailure(outcomes, run)
  return { outcomes, bytes: await bytesOf(outcomes, run), archive: run.archive.place.name }
}

/** Reports the outcome of a day to people, and to the server that has started the run. */
function announce(outcome: DayOutcome, { json }: Arguments, progress: DaysProgress): void {
  progress.complete(outcome.day)
  progress.clear()
  if (!json) printLine(outcome)
  process.send?.(outcome, undefined, undefined, ignoreFailure)
}

/** Keeps the last failure for `status`. */
async function recordLastFailure(outcomes: readonly DayOutcome[], { database, clock }: Run) {
  const failure = outcomes.findLast(({ status }) => status === 'failed')
  if (!failure) return
  const { day, message = '' } = failure
  await database.write((tx) => lastFailure.write(tx, { at: clock.now(), day, message }))
}

/** Reports a present day as failed if recovery or the log has found a fault in it: nothing was done about it since. */
function withFailure(outcome: DayOutcome, failure: string | undefined): DayOutcome {
  if (outcome.status !== 'present' || failure === undefined) return outcome
  return { day: outcome.day, status: 'failed', message: failure }
}

async function requestedDays({ range, repair, witness }: Arguments, run: Run): Promise<string[]> {
  if (witness) return []
  const present = await run.archive.reader.days()
  // The log also names days that have lost their manifest.
  const logged = run.log.entries.map(({ day }) => day)
  const published = [...new Set([...present, ...logged])].sort()
  if (range && repair && range.from !== range.to)
    return published.filter((day) => range.from <= day && day <= range.to)
  if (range && repair) return daysBetween(range.from, range.to)
  if (repair) return published
  const beginning = await readBeginning(run.database.db)
  const begun = await run.archive.reader.begunDays()
  const due = dueDays(run.clock.now(), beginning, new Set(present), begun)
  return range ? withEarlierDays(run, daysBetween(range.from, range.to), due) : due
}

async function bytesOf(outcomes: readonly DayOutcome[], { archive: { reader } }: Run) {
  let bytes = 0
  for (const { day, status } of outcomes) {
    if (status === 'failed' || status === 'waiting') continue
    // In a bucket, damage that left ETag and size unchanged is for verify to find (WRITING.md 3.4).
    const read = await reader.manifest(day).catch(nullIf('invalid_manifest'))
    if (read) bytes += namedFiles(read.manifest).reduce((sum, file) => sum + file.bytes, 0)
  }
  return bytes
}

/** Ignores errors of sending: the server that started the run may have exited. */
const ignoreFailure = (): void => {}

function printLine({ day, status, message }: DayOutcome): void {
  const line = `${day}  ${status}${message ? `  (${message})` : ''}`
  if (status === 'failed') console.error(line)
  else process.stdout.write(`${line}\n`)
}

/** Prints what a witness has answered; what it fails to do fails no run. */
function printWitness({ witness, status, message }: WitnessOutcome): void {
  const line = `witness ${visible(witness)}  ${visible(message)}`
  if (status === 'signed') process.stdout.write(`${line}\n`)
  else console.error(line)
}

/** @param files what the run has done besides days, of which only what there is is printed */
function printJson(
  days: DayOutcome[],
  { restored = [], witnesses = [] }: Partial<ArchiveFiles> = {},
): void {
  const output = {
    days,
    ...(restored.length > 0 && { restored }),
    ...(witnesses.length > 0 && { witnesses }),
  }
  process.stdout.write(`${JSON.stringify(output)}\n`)
}

function exitCodeOf(error: unknown): number | undefined {
  if (error instanceof PipelineBusy) return EXIT_BUSY
  return error instanceof Stopped ? error.exitCode : undefined
}

if (import.meta.main) await runCommand(program(SNAPSHOT, main, exitCodeOf))
