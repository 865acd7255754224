// npm run snapshot: makes the days that are missing, or repairs those that are archived.
import { availableParallelism } from 'node:os'
import { namedFiles } from '../../archive/format/manifest.ts'
import { isDay } from '../../archive/format/paths.ts'
import type { Recovery } from '../../archive/writing/seal.ts'
import { noteFailure } from '../../server/store/last-failure.ts'
import { loadDotEnv } from '../../server/store/location.ts'
import { makeDays } from '../backfill.ts'
import { readPipelineConfig } from '../config.ts'
import { openCopy } from '../copy.ts'
import { daysBetween, dueDays, refusalOf } from '../due.ts'
import { EXIT_BUSY, PipelineBusy } from '../lock.ts'
import { readFirstRecordAt } from '../queries.ts'
import { repairDays } from '../repair.ts'
import { type DayOutcome, type Pipeline, type Stage, withPipeline } from '../session.ts'
import { EXIT_FAILED, parseWords, progressBar, runCommand, UsageError } from './terminal.ts'

const USAGE = `Makes the daily snapshots that are missing, up to yesterday (UTC).

  npm run snapshot                       all missing days since the first record
  npm run snapshot -- --day 2026-11-19   one day
  npm run snapshot -- --from D --to D    a range of days, both included
  npm run snapshot -- --repair           restores missing or damaged files of
                                         archived days; with --day, or --from
                                         and --to, of those only
  npm run snapshot -- --repair --from PLACE
                                         first takes what is missing or damaged
                                         from another archive of the same days:
                                         a folder, or an address; with --day of
                                         that only
  npm run snapshot -- --static           also writes index.html, for a server of
                                         plain files
  npm run snapshot -- --rekey            signs the log with a new key from now
                                         on, and with the earlier ones

  --json   prints {"days":[{"day","status","message"?}]}; the status is
           published, present, repaired or failed
  --help   prints this

Exit: 0 all is well, 1 a day failed, 2 wrong usage, 75 another pipeline runs.
`

const OPTIONS = {
  day: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  repair: { type: 'boolean' },
  rekey: { type: 'boolean' },
  static: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

export interface Arguments {
  /** The first and the last day; null: all that are missing, or with repair all that are archived. */
  range: { from: string; to: string } | null
  repair: boolean
  /** Another archive, from which a repair takes what it lacks; null without one. */
  copy: string | null
  /** Sign with a new key. */
  rekey: boolean
  /** Write the page for a plain file server. */
  indexPage: boolean
  json: boolean
  help: boolean
}

/** @throws UsageError with one line */
export function parseArguments(args: string[]): Arguments {
  const { values, words } = parseWords(args, OPTIONS)
  const { repair = false, rekey = false, static: indexPage = false } = values
  const { json = false, help = false } = values
  const switches = { repair, rekey, indexPage, json, help }
  if (help) return { range: null, copy: null, ...switches }
  if (words[0] !== undefined) throw new UsageError(`${JSON.stringify(words[0])} is no option`)
  const copy = repair && values.from !== undefined && !isDayLike(values.from) ? values.from : null
  if (copy === null) return { range: requestedRange(values), copy, ...switches }
  if (copy === '') throw new UsageError('--from: the folder or address is empty')
  const { from: _, ...range } = values
  if (range.to !== undefined) throw new UsageError('--to goes with a first day')
  return { range: requestedRange(range), copy, ...switches }
}

/** What was meant as a day, so that a wrong one is not taken for a folder. */
function isDayLike(text: string): boolean {
  return /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)
}

function requestedRange(values: { day?: string; from?: string; to?: string }): Arguments['range'] {
  const { day, from, to } = values
  if (day !== undefined && (from !== undefined || to !== undefined))
    throw new UsageError('--day goes with neither --from nor --to')
  if ((from === undefined) !== (to === undefined))
    throw new UsageError('--from and --to go together')
  for (const [name, value] of Object.entries({ day, from, to }))
    if (value !== undefined && !isDay(value))
      throw new UsageError(`--${name}: ${JSON.stringify(value)} is not a date like 2026-11-19`)
  if (day !== undefined) return { from: day, to: day }
  if (from === undefined || to === undefined) return null
  if (from > to) throw new UsageError('--from must not be later than --to')
  return { from, to }
}

async function main(words: string[]): Promise<number> {
  const args = parseArguments(words)
  if (args.help) {
    process.stdout.write(USAGE)
    return 0
  }
  loadDotEnv()
  const config = readPipelineConfig(process.env, process.versions, availableParallelism())
  const refused = refusalOfRange(args, Date.now())
  if (refused) {
    if (args.json) printJson([refused])
    console.error(`${refused.day}: ${refused.message}`)
    return EXIT_FAILED
  }
  const progress = daysProgress(process.stderr)
  const { rekey, indexPage } = args
  const callbacks = { now: Date.now, signal: stopSignal(), onProgress: progress.show }
  const context = { ...callbacks, rekey, indexPage }
  const outcomes = await withPipeline(config, context, (pipeline, recovery) =>
    run(args, pipeline, recovery, progress),
  )
  if (args.json) printJson(outcomes)
  return outcomes.some(({ status }) => status === 'failed') ? EXIT_FAILED : 0
}

function refusalOfRange({ range, repair }: Arguments, now: number): DayOutcome | null {
  if (!range || repair) return null
  for (const day of [range.from, range.to]) {
    const message = refusalOf(day, now)
    if (message) return { day, status: 'failed', message }
  }
  return null
}

/** Added to a signal's number, as shells do. */
const EXIT_SIGNAL = 128
const SIGNALS = { SIGINT: 2, SIGTERM: 15 } as const

/** The run was asked to stop. */
class Stopped extends Error {
  readonly exitCode: number
  constructor(signal: keyof typeof SIGNALS) {
    super(`stopped by ${signal}; the next run goes on from here`)
    this.exitCode = EXIT_SIGNAL + SIGNALS[signal]
  }
}

/**
 * Ends the work between two stages, and the film within its own. A second signal changes nothing:
 * a terminal and npm send two.
 */
function stopSignal(): AbortSignal {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => controller.abort(new Stopped(name)))
  return controller.signal
}

async function run(
  args: Arguments,
  pipeline: Pipeline,
  { completed, failed }: Recovery,
  progress: DaysProgress,
): Promise<DayOutcome[]> {
  const { repair, json } = args
  const outcomes: DayOutcome[] = []
  const report = (outcome: DayOutcome) => {
    outcomes.push(outcome)
    progress.complete(outcome.day)
    progress.clear()
    if (!json) printLine(outcome)
  }
  for (const day of completed)
    report({ day, status: 'published', message: 'after an interruption' })
  const requested = await requestedDays(args, pipeline)
  const days = requested.filter((day) => repair || !completed.includes(day))
  // A day that is due reports its own failure below, or none any more.
  for (const { day, error } of failed)
    if (!days.includes(day)) report({ day, status: 'failed', message: error.message })
  progress.begin(days.length)
  try {
    const copy = args.copy === null ? null : await openCopy(args.copy)
    await (repair ? repairDays(pipeline, days, report, copy) : makeDays(pipeline, days, report))
  } finally {
    progress.clear()
  }
  const failure = outcomes.findLast(({ status }) => status === 'failed')
  if (failure) {
    const { day, message = '' } = failure
    await noteFailure(pipeline.store, { at: pipeline.now(), day, message })
  }
  if (!json) process.stdout.write(`${await summaryOf(outcomes, pipeline)}\n`)
  return outcomes
}

async function requestedDays(
  { range, repair, copy }: Arguments,
  pipeline: Pipeline,
): Promise<string[]> {
  const present = await pipeline.reader.days()
  // A day that has lost its manifest is known to the log.
  const logged = copy === null ? [] : pipeline.log.entries.map(({ day }) => day)
  const archived = [...new Set([...present, ...logged])].sort()
  if (range && repair && range.from !== range.to)
    return archived.filter((day) => range.from <= day && day <= range.to)
  if (range) return daysBetween(range.from, range.to)
  if (repair) return archived
  return dueDays(pipeline.now(), await readFirstRecordAt(pipeline.store.db), new Set(archived))
}

/** As in `2 published, 1 failed; 9.1 MB of files in /data/transmissions`. */
async function summaryOf(outcomes: DayOutcome[], { reader, archiveDir }: Pipeline) {
  if (outcomes.length === 0) return `nothing to do in ${archiveDir}`
  const counts = Map.groupBy(outcomes, ({ status }) => status)
  let bytes = 0
  for (const { day, status } of outcomes) {
    const read = status === 'failed' ? null : await reader.manifest(day)
    if (read) bytes += namedFiles(read.manifest).reduce((sum, file) => sum + file.bytes, 0)
  }
  const list = [...counts].map(([status, days]) => `${days.length} ${status}`).join(', ')
  return `${list}; ${(bytes / 1e6).toFixed(1)} MB of files in ${archiveDir}`
}

function printLine({ day, status, message }: DayOutcome): void {
  const line = `${day}  ${status}${message ? `  (${message})` : ''}`
  if (status === 'failed') console.error(line)
  else process.stdout.write(`${line}\n`)
}

function printJson(days: DayOutcome[]): void {
  process.stdout.write(`${JSON.stringify({ days })}\n`)
}

/** The part of a day's time after which each stage begins. */
const BEGINS: Record<Stage, number> = {
  snapshot: 0,
  sound: 0.02,
  picture: 0.12,
  film: 0.2,
  seal: 0.93,
  verify: 0.95,
}
const FILM_SHARE = BEGINS.seal - BEGINS.film

export interface DaysProgress {
  begin(days: number): void
  /** @param fraction the part of the stage that is done */
  show(day: string, stage: Stage, fraction: number): void
  complete(day: string): void
  clear(): void
}

/** The progress of a run of several days, of which some may be in work at once; silent for a single day. */
export function daysProgress(...terminal: Parameters<typeof progressBar>): DaysProgress {
  let bar: ReturnType<typeof progressBar> | undefined
  let total = 0
  const parts = new Map<string, number>()
  return {
    begin(days) {
      total = days
      if (days > 1) bar = progressBar(...terminal)
    },
    show(day, stage, fraction) {
      parts.set(day, BEGINS[stage] + (stage === 'film' ? fraction * FILM_SHARE : 0))
      const done = [...parts.values()].reduce((sum, part) => sum + part, 0)
      bar?.show(done / total, `${day} ${stage}`)
    },
    complete(day) {
      parts.set(day, 1)
    },
    clear() {
      bar?.clear()
    },
  }
}

function exitCodeOf(error: unknown): number | undefined {
  if (error instanceof PipelineBusy) return EXIT_BUSY
  return error instanceof Stopped ? error.exitCode : undefined
}

if (import.meta.main) await runCommand('snapshot', main, exitCodeOf)
