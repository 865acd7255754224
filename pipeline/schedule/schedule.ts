// Schedules the pipeline for a running server: at its start, and daily. Each run is a separate process,
// so that rendering never delays a request; killing one at any moment is safe (WRITING.md 1).
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants, getPriority, setPriority } from 'node:os'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { schedule as cron } from 'node-cron'
import { EXIT_BUSY } from '../../server/data/pipeline-lock.ts'
import { requireFfmpeg } from '../render/find-ffmpeg.ts'
import type { DayOutcome } from '../run/session.ts'
import type { WitnessOutcome } from '../witnesses/round.ts'

const CLI = fileURLToPath(new URL('../commands/snapshot.ts', import.meta.url))

/** How long a stopping server waits for a run to end before killing it. */
const STOP_TIMEOUT_MS = 4_000

/** The niceness of runs, so that requests come first. */
const RUN_PRIORITY = constants.priority.PRIORITY_BELOW_NORMAL

/** How often the wall clock is checked. Timers use the monotonic clock, which ignores steps and stops in suspend. */
const WATCH_MS = 30_000

/** How long after the start the first run begins, so that whoever waits for the service is answered before [ms]. */
const FIRST_RUN_MS = 500

/** When the witnesses that have not signed yet are asked again: hourly. */
const WITNESS_EXPRESSION = '35 * * * *'

/** The subset of pino's logger that the schedule uses. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface ScheduleOptions {
  /** A cron expression in UTC; undefined for no runs, not even at the start. */
  expression: string | undefined
  /** Whether witnesses are asked hourly while one of them has not signed. */
  isWitnessed: boolean
  /** Whether the first run publishes the newest of several days first, as only a run that starts a log may. */
  newestFirst: boolean
  /** The runs' environment: PATH, DATA_DIR, ARCHIVE_DIR, DATABASE_URL, FFMPEG_PATH. */
  environment: NodeJS.ProcessEnv
  log: Log
}

export interface Schedule {
  /** The time of the next run; null when there are no runs. */
  nextRun(): Date | null
  /** Stops a run in progress within 5 s; the next start resumes it. */
  stop(): Promise<void>
}

/** Checks what runs need, so that a bad setting fails the start, not each night. @throws Error that names the variable */
export function checkRuns({ FFMPEG_PATH }: NodeJS.ProcessEnv): void {
  if (FFMPEG_PATH) requireFfmpeg(FFMPEG_PATH)
}

/**
 * Starts a run soon, and one at each scheduled time. If the wall clock jumps over a scheduled time, a run starts within
 * `watchMs`.
 */
export function startSchedule(options: ScheduleOptions, watchMs = WATCH_MS): Schedule {
  const { expression, isWitnessed, newestFirst, environment, log } = options
  if (expression === undefined) return { nextRun: () => null, stop: async () => {} }
  const runs = new Runs(environment, log)
  let isFirst = true
  /** The earliest scheduled time that no run has served yet. */
  let due: Date | null = null
  const run = (): void => {
    if (!runs.start(newestFirst && isFirst ? ['--newest-first'] : [])) return
    due = timer.getNextRun()
    isFirst = false
  }
  const logger = cronLog(log)
  const at = (when: string, name: string, work: () => void) =>
    cron(when, work, { timezone: 'UTC', name, logger })
  const timer = at(expression, 'snapshots', run)
  // The first run comes before.
  const askWitnesses = () => void (isFirst || runs.start(['--witness']))
  const witnessTimer = isWitnessed ? at(WITNESS_EXPRESSION, 'witnesses', askWitnesses) : null
  timer.on('execution:missed', run)
  const watch = setInterval(() => {
    const next = timer.getNextRun()
    if (next && due && next > due) run()
    else due = next
  }, watchMs).unref()
  const first = setTimeout(run, FIRST_RUN_MS)
  return {
    nextRun: () => timer.getNextRun(),
    async stop() {
      clearTimeout(first)
      clearInterval(watch)
      await timer.destroy()
      await witnessTimer?.destroy()
      await runs.stop()
    },
  }
}

/** The runs of a server, one at a time. */
class Runs {
  readonly #environment: NodeJS.ProcessEnv
  readonly #log: Log
  #child: ChildProcess | null = null
  #ended: Promise<void> = Promise.resolve()
  #isStopping = false

  constructor(environment: NodeJS.ProcessEnv, log: Log) {
    this.#environment = environment
    this.#log = log
  }

  /** Starts a run unless one is in progress. @returns whether it was started */
  start(args: string[]): boolean {
    if (this.#child) return false
    this.#child = startRun(args, this.#environment)
    this.#ended = outcomeOf(this.#child, this.#log, () => this.#isStopping).finally(() => {
      this.#child = null
    })
    return true
  }

  /** Stops a run in progress, and kills it if that takes too long. */
  async stop(): Promise<void> {
    this.#isStopping = true
    const kill = setTimeout(() => this.#child?.kill('SIGKILL'), STOP_TIMEOUT_MS)
    this.#child?.kill('SIGTERM')
    await this.#ended
    clearTimeout(kill)
  }
}

/**
 * Starts the snapshot command at a lower priority. It sends the outcome of each day and witness as an IPC message.
 * @param args additional arguments
 */
export function startRun(args: string[], environment: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn(process.execPath, [CLI, '--json', ...args], {
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  // Without a pid it did not start, which the `error` event reports.
  if (child.pid !== undefined) setPriority(child.pid, Math.max(getPriority(), RUN_PRIORITY))
  return child
}

/** Logs the outcomes of a run until it ends. Never rejects. */
async function outcomeOf(child: ChildProcess, log: Log, isStopping: () => boolean): Promise<void> {
  child.on('message', (sent) => {
    const outcome = sent as DayOutcome | WitnessOutcome
    if ('witness' in outcome) logWitness(outcome, log)
    else logDay(outcome, log)
  })
  try {
    const [stderr, [code, signal]] = await Promise.all([
      text(child.stderr!),
      once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>,
      // Messages may arrive until then.
      once(child, 'disconnect'),
    ])
    const output = stderr.trim()
    const line = output === '' && code === null ? 'the run was killed' : output
    // Busy or deliberately stopped runs are not worth a warning.
    if (line !== '' && (code === EXIT_BUSY || isStopping())) log.info({}, `snapshots: ${line}`)
    else if (line !== '') log.warn({ code, signal }, `snapshots: ${line}`)
  } catch (error) {
    log.error({ err: error }, 'snapshots: the run did not start')
  }
}

function logDay({ day, status, message }: DayOutcome, log: Log): void {
  const detail = message ? `: ${message}` : ''
  if (status === 'failed') log.error({ day }, `snapshot of ${day} failed${detail}`)
  else if (status === 'waiting') log.warn({ day }, `snapshot of ${day} waits${detail}`)
  else log.info({ day }, `snapshot of ${day} ${status}${detail}`)
}

function logWitness({ witness, status, message }: WitnessOutcome, log: Log): void {
  const line = `witness ${witness}: ${message}`
  if (status === 'claims') log.error({ witness }, line)
  else if (status === 'failed') log.warn({ witness }, line)
  else log.info({ witness }, line)
}

/** Routes node-cron's own messages, which it would print to the console, to the log. */
function cronLog(log: Log) {
  const plain = (message: string | Error) => (message instanceof Error ? message.message : message)
  return {
    info: () => {},
    debug: () => {},
    warn: (message: string) => log.warn({}, `schedule: ${message}`),
    error: (message: string | Error) => log.error({}, `schedule: ${plain(message)}`),
  }
}
