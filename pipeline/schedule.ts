// The pipeline next to a running server: at its start, and daily. Each run is a process of its own,
// so that no request ever waits for a rendering; killing one at any moment is safe (FORMAT.md 12).
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants, getPriority, setPriority } from 'node:os'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { schedule as cron } from 'node-cron'
import { EXIT_BUSY } from './lock.ts'
import type { DayOutcome } from './session.ts'

const CLI = fileURLToPath(new URL('commands/snapshot.ts', import.meta.url))

/** A run that has not ended by then when the server stops is killed. */
const STOP_TIMEOUT_MS = 4_000

/** A higher number gives way to a lower one. */
const RUN_PRIORITY = constants.priority.PRIORITY_BELOW_NORMAL

/** How often the wall clock is looked at: timers follow another one, which neither steps nor goes on in a machine's sleep. */
const WATCH_MS = 30_000

/** What of pino's logger is used. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface ScheduleOptions {
  /** A cron expression in UTC; undefined for no runs at all, not even at the start. */
  expression: string | undefined
  /** Whether a run makes the newest of several days first. */
  newestFirst: boolean
  /** The runs' environment: PATH, DATA_DIR, ARCHIVE_DIR, DATABASE_URL, FFMPEG_PATH. */
  environment: NodeJS.ProcessEnv
  log: Log
}

export interface Schedule {
  /** When the next run is due; null when there are none. */
  nextRun(): Date | null
  /** Ends a run in progress within 5 s; the next start resumes it. */
  stop(): Promise<void>
}

/**
 * Starts a run for what is missing now, and one at each time of the schedule; within `watchMs` where the wall clock has
 * jumped over such a time.
 */
export function startSchedule(options: ScheduleOptions, watchMs = WATCH_MS): Schedule {
  const { expression, newestFirst, environment, log } = options
  if (expression === undefined) return { nextRun: () => null, stop: async () => {} }
  let child: ChildProcess | null = null
  let ended: Promise<void> = Promise.resolve()
  let isStopping = false
  /** The first time of the schedule that no run has begun after. */
  let due: Date | null = null
  const run = (): void => {
    if (child) return
    due = timer.getNextRun()
    const order = newestFirst ? ['--newest-first'] : []
    child = startRun(order, environment)
    ended = outcomeOf(child, log, () => isStopping).finally(() => {
      child = null
    })
  }
  const timer = cron(expression, run, { timezone: 'UTC', name: 'snapshots', logger: cronLog(log) })
  timer.on('execution:missed', run)
  const watch = setInterval(() => {
    const next = timer.getNextRun()
    if (next && due && next > due) run()
    else due = next
  }, watchMs).unref()
  run()
  return {
    nextRun: () => timer.getNextRun(),
    async stop() {
      isStopping = true
      clearInterval(watch)
      await timer.destroy()
      const kill = setTimeout(() => child?.kill('SIGKILL'), STOP_TIMEOUT_MS)
      child?.kill('SIGTERM')
      await ended
      clearTimeout(kill)
    },
  }
}

/**
 * Starts the snapshot command, which sends the outcome of each day as a message once it is known. It has a lower
 * priority: whoever reads meanwhile comes first.
 * @param args further arguments
 */
export function startRun(args: string[], environment: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn(process.execPath, [CLI, '--json', ...args], {
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  // Without a number it did not start, which the child itself reports.
  if (child.pid !== undefined) setPriority(child.pid, Math.max(getPriority(), RUN_PRIORITY))
  return child
}

/** Logs what a run does, until it ends. Never rejects. */
async function outcomeOf(child: ChildProcess, log: Log, isStopping: () => boolean): Promise<void> {
  child.on('message', (day) => logDay(day as DayOutcome, log))
  try {
    const [complaint, [code, signal]] = await Promise.all([
      text(child.stderr!),
      once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>,
      // Until then, messages may arrive.
      once(child, 'disconnect'),
    ])
    const said = complaint.trim()
    const line = said === '' && code === null ? 'the run was killed' : said
    // A run that was stopped on purpose is no reason to worry.
    if (line !== '' && (code === EXIT_BUSY || isStopping())) log.info({}, `snapshots: ${line}`)
    else if (line !== '') log.warn({ code, signal }, `snapshots: ${line}`)
  } catch (error) {
    log.error({ err: error }, 'snapshots: the run did not start')
  }
}

function logDay({ day, status, message }: DayOutcome, log: Log): void {
  const said = message ? `: ${message}` : ''
  if (status === 'failed') log.error({ day }, `snapshot of ${day} failed${said}`)
  else log.info({ day }, `snapshot of ${day} ${status}${said}`)
}

/** node-cron's own remarks, which it would print to the console. */
function cronLog(log: Log) {
  const plain = (message: string | Error) => (message instanceof Error ? message.message : message)
  return {
    info: () => {},
    debug: () => {},
    warn: (message: string) => log.warn({}, `schedule: ${message}`),
    error: (message: string | Error) => log.error({}, `schedule: ${plain(message)}`),
  }
}
