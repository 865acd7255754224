// Records the server's heartbeats: at its start, every ten seconds, at each change of state and at its stop, unless nothing may
// be written.
import { coalesced } from '../../archive/base/concurrently.ts'
import { type ClockGuard, ClockProblem, type Log, REPEAT_MS } from '../clock/guard.ts'
import { type Fault, type Moment, timesOf } from '../clock/rules.ts'
import type { WriteGuard } from '../data/restore-guard.ts'
import type { Database, Opening, Transaction } from '../database/database.ts'
import { HEARTBEAT_EVERY_MS } from '../database/records/heartbeats.ts'
import { noteServerClock } from '../database/settings/clock-settings.ts'
import { within } from '../system/system.ts'
import { instant } from '../wire/instant.ts'
import {
  type Ahead,
  beginInterval,
  extendInterval,
  markStopped,
  recordClockStep,
  serversAhead,
} from './queries.ts'
import { type Heartbeat, type LastHeartbeat, planHeartbeat, type State } from './rules.ts'

export interface HeartbeatOptions {
  database: Database
  /** The id of this process among those that share the database. */
  server: string
  /** The current state of writing. */
  state(): State | Promise<State>
  /** While it refuses writes, no heartbeat is written: that time counts as `service_not_running`. */
  restoreGuard: WriteGuard
  /** The same while the clock is wrong. */
  clockGuard: ClockGuard
  everyMs?: number
  log: Log
}

/** A heartbeat that was written, and what else its transaction has found. */
interface Written extends LastHeartbeat {
  interval: bigint
  step: Heartbeat['step']
  ahead: Ahead[]
}

interface Beat extends Pick<HeartbeatOptions, 'server' | 'restoreGuard' | 'clockGuard'> {
  last: Written | null
  state: State
  isLast: boolean
}

/**
 * Returns a function that writes one heartbeat, unless the clock is wrong. It remembers the last committed
 * heartbeat, so that a failed write only lengthens the silence before the next.
 */
function heartbeatWriter({ database, state, log, ...options }: HeartbeatOptions) {
  let last: Written | null = null
  const reportAhead = aheadReporter(log)
  return async (isLast: boolean): Promise<void> => {
    const current = await state()
    const written = await database.write((tx, opening) =>
      writeOrRefuse(tx, opening, { ...options, last, state: current, isLast }),
    )
    last = written ?? (last && { ...last, isInterrupted: true })
    if (written?.step) log.warn({}, stepLine(written.step))
    if (written) reportAhead(written.ahead, written.reading.sinceBoot)
  }
}

/** Returns a function that names such servers in the log, each at once and then once an hour. */
function aheadReporter(log: { error(fields: object, message: string): void }) {
  const reportedAt = new Map<string, number>()
  /** @param sinceBoot [ms] */
  return (found: readonly Ahead[], sinceBoot: number): void => {
    for (const { server, to } of found) {
      const last = reportedAt.get(server)
      if (last !== undefined && sinceBoot - last < REPEAT_MS) continue
      reportedAt.set(server, sinceBoot)
      log.error(
        {},
        `the heartbeats of server ${server} lie ahead, at ${instant(to)}: its clock was wrong`,
      )
    }
  }
}

const stepLine = ({ expectedAt, actualAt }: NonNullable<Heartbeat['step']>): string =>
  `the clock of this machine was set from ${instant(expectedAt)} to ${instant(actualAt)}`

/** @returns null if nothing may be written now */
async function writeOrRefuse(tx: Transaction, opening: Opening, beat: Beat) {
  if (beat.restoreGuard(opening)) return null
  try {
    // Under the write lock: waiting for the lock must not date the heartbeat too early.
    return await writeHeartbeat(tx, await beat.clockGuard.readAndAdmit(tx, opening), beat)
  } catch (error) {
    if (!(error instanceof ClockProblem)) throw error
    await noteClock(tx, error.moment, error.faults, beat)
    return null
  }
}

async function writeHeartbeat(tx: Transaction, moment: Moment, beat: Beat): Promise<Written> {
  const { server, last, state, isLast } = beat
  const { wall } = moment
  const { continues, begins, step } = planHeartbeat(last, moment, state)
  if (last && continues) await extendInterval(tx, last.interval, wall)
  if (step) await recordClockStep(tx, server, step)
  const interval = last && !begins ? last.interval : await beginInterval(tx, server, wall, state)
  if (isLast) await markStopped(tx, interval)
  await noteClock(tx, moment, [], beat)
  const ahead = await serversAhead(tx, wall)
  return { interval, reading: moment, state, isInterrupted: false, step, ahead }
}

/** Stores for commands on this machine which time this server believes, and why it refuses to write, if it does. */
async function noteClock(
  tx: Transaction,
  moment: Moment,
  faults: readonly Fault[],
  { server, isLast }: Beat,
): Promise<void> {
  const { wall, sinceBoot, database } = moment
  const believed = faults.find(({ by }) => by === 'boot')?.at ?? wall
  const reason = faults.length > 0 ? timesOf(moment, faults) : null
  await noteServerClock(tx, { server, wall, sinceBoot, database, believed, reason }, isLast)
}

/** The longest that a stop waits for the last heartbeat. */
const LAST_BEAT_TIMEOUT_MS = 3_000

export type Recorder = Awaited<ReturnType<typeof startRecorder>>

/** Writes a heartbeat now and at each interval until `stop`. A failure is logged, and the next heartbeat retries. */
export async function startRecorder(options: HeartbeatOptions) {
  const write = heartbeatWriter(options)
  let isLast = false
  const attempt = () =>
    write(isLast).catch((error: unknown) => {
      options.log.warn({ err: error }, 'a heartbeat could not be written')
    })
  const beat = coalesced(attempt)
  await beat()
  const timer = setInterval(beat, options.everyMs ?? HEARTBEAT_EVERY_MS)
  timer.unref()
  return {
    /** Writes a heartbeat now, so that a change of state is dated exactly. Never rejects. */
    beat,
    /** Writes the last heartbeat, with the mark that the server stopped. */
    async stop(): Promise<void> {
      clearInterval(timer)
      isLast = true
      await within(LAST_BEAT_TIMEOUT_MS, beat(), undefined)
    },
  }
}
