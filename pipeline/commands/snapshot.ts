// npm run snapshot: makes the days that are missing, or repairs those that are there.
import { loadDotEnv } from '../../server/store/location.ts'
import { readPipelineConfig } from '../config.ts'
import { daysBetween, dueDays, refusalOf } from '../due.ts'
import { EXIT_BUSY, PipelineBusy } from '../lock.ts'
import { readFirstRecordAt } from '../queries.ts'
import { repairDay } from '../repair.ts'
import { type DayOutcome, makeDay, type Pipeline } from '../run.ts'
import { withPipeline } from '../session.ts'
import { type Arguments, parseArguments, USAGE, UsageError } from './arguments.ts'
import { type Progress, progressBar } from './progress.ts'

const EXIT_FAILED = 1
const EXIT_USAGE = 2
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

async function main(words: string[]): Promise<number> {
  const args = parseArguments(words)
  if (args.help) {
    process.stdout.write(USAGE)
    return 0
  }
  loadDotEnv()
  const config = readPipelineConfig(process.env, process.versions)
  const refused = refusalOfRange(args)
  if (refused) {
    if (args.json) printJson([refused])
    console.error(`${refused.day}: ${refused.message}`)
    return EXIT_FAILED
  }
  let progress = progressBar(process.stderr, 0)
  const surroundings = {
    now: Date.now,
    signal: stopSignal(),
    onProgress: (...at: Parameters<Progress['show']>) => progress.show(...at),
  }
  const outcomes = await withPipeline(config, surroundings, async (pipeline, recovered) => {
    const days = await daysOf(args, pipeline)
    progress = progressBar(process.stderr, days.length)
    return run(args, pipeline, recovered, days, progress)
  })
  if (args.json) printJson(outcomes)
  return outcomes.some((outcome) => outcome.status === 'failed') ? EXIT_FAILED : 0
}

function refusalOfRange({ range, repair }: Arguments): DayOutcome | null {
  if (!range || repair) return null
  for (const day of [range.from, range.to]) {
    const message = refusalOf(day, Date.now())
    if (message) return { day, status: 'failed', message }
  }
  return null
}

/**
 * Ends the work between two stages, and the video within its own. A second signal changes nothing:
 * a terminal and npm send two.
 */
function stopSignal(): AbortSignal {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => controller.abort(new Stopped(name)))
  return controller.signal
}

async function daysOf({ range, repair }: Arguments, pipeline: Pipeline): Promise<string[]> {
  const archived = await pipeline.reader.days()
  if (range && repair && range.from !== range.to)
    return archived.filter((day) => range.from <= day && day <= range.to)
  if (range) return daysBetween(range.from, range.to)
  if (repair) return archived
  return dueDays(pipeline.now(), await readFirstRecordAt(pipeline.store.db), new Set(archived))
}

async function run(
  { repair, json }: Arguments,
  pipeline: Pipeline,
  recovered: string[],
  days: string[],
  progress: Progress,
): Promise<DayOutcome[]> {
  const outcomes: DayOutcome[] = []
  const report = (outcome: DayOutcome) => {
    outcomes.push(outcome)
    progress.clear()
    if (!json) printLine(outcome)
  }
  for (const day of recovered)
    report({ day, status: 'published', message: 'after an interruption' })
  try {
    for (const day of days) {
      if (!recovered.includes(day) || repair)
        report(await outcomeOf(pipeline, day, repair ? repairDay : makeDay))
      progress.advance()
    }
  } finally {
    progress.clear()
  }
  if (outcomes.length === 0 && !json) process.stdout.write('nothing to do\n')
  return outcomes
}

/** A day that fails does not keep the others from being made. */
async function outcomeOf(
  pipeline: Pipeline,
  day: string,
  work: typeof makeDay,
): Promise<DayOutcome> {
  try {
    return await work(pipeline, day)
  } catch (error) {
    pipeline.signal.throwIfAborted()
    return { day, status: 'failed', message: (error as Error).message }
  }
}

function printLine({ day, status, message }: DayOutcome): void {
  const line = `${day}  ${status}${message ? `  (${message})` : ''}`
  if (status === 'failed') console.error(line)
  else process.stdout.write(`${line}\n`)
}

function printJson(days: DayOutcome[]): void {
  process.stdout.write(`${JSON.stringify({ days })}\n`)
}

function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT_USAGE
  if (error instanceof PipelineBusy) return EXIT_BUSY
  return error instanceof Stopped ? error.exitCode : EXIT_FAILED
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  process.exitCode = exitCodeOf(error)
  console.error(
    `snapshot: ${(error as Error).message}${error instanceof UsageError ? '; see --help' : ''}`,
  )
}
