// Keeps a server from dating anything while its wall clock is contradicted (OPERATING.md 6.1).
import type { Opening, Transaction } from '../database/database.ts'
import { lastPublication } from '../database/records/sequences.ts'
import {
  type Acceptance,
  acceptance,
  type ClockReading,
} from '../database/settings/clock-settings.ts'
import type { Clock } from '../system/system.ts'
import { Problem } from '../wire/problem.ts'
import {
  type ClockMemory,
  type ClockVerdict,
  type Fault,
  firstMemory,
  judge,
  type Moment,
  refusalLine,
} from './rules.ts'

const RETRY_S = '30'

/** How often the log repeats that a clock is wrong, also that of another server [ms]. */
export const REPEAT_MS = 60 * 60 * 1000

export class ClockProblem extends Problem {
  override name = 'ClockProblem'
  readonly moment: Moment
  readonly faults: readonly Fault[]

  constructor(moment: Moment, faults: readonly Fault[]) {
    const message =
      'the clock of this server is wrong, and nothing can be published until it is right'
    super('storage_unavailable', message, { 'retry-after': RETRY_S })
    this.moment = moment
    this.faults = faults
  }
}

export type DatabaseClock = Pick<Opening, 'databaseTime'>

export interface Log {
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** One per server. Everything that the server dates has the time that `admit` returns. */
export class ClockGuard {
  readonly #clock: Clock
  readonly #log: Log
  #memory: ClockMemory
  /** As read last. Batches read it again only when it could help. */
  #accepted: Acceptance | null = null
  /** When the log last reported that the clock is wrong, by the time since boot [ms]; null while it is right. */
  #reportedAt: number | null = null

  constructor(clock: Clock, log: Log) {
    this.#clock = clock
    this.#log = log
    this.#memory = firstMemory(readingOf(clock, { databaseTime: null }))
  }

  /** Whether the last comparison found the clock wrong. */
  get isWrong(): boolean {
    return this.#reportedAt !== null
  }

  /**
   * Compares the clocks.
   * @param latest the row `publish_at` of `sequences`
   * @returns the clocks; records may be dated with the wall time
   * @throws ClockProblem when the wall clock is wrong
   */
  async admit(tx: Transaction, opening: DatabaseClock, latest: number): Promise<Moment> {
    const moment = { ...readingOf(this.#clock, opening), latest }
    let verdict = judge(this.#memory, moment, this.#accepted)
    if (verdict.faults.length > 0) {
      this.#accepted = await acceptance.read(tx)
      verdict = judge(this.#memory, moment, this.#accepted)
    }
    this.#memory = verdict.memory
    this.#report(moment, verdict)
    if (verdict.faults.length > 0) throw new ClockProblem(moment, verdict.faults)
    return moment
  }

  /** As `admit`, for a transaction that has read nothing yet. */
  async readAndAdmit(tx: Transaction, opening: DatabaseClock): Promise<Moment> {
    this.#accepted = await acceptance.read(tx)
    return this.admit(tx, opening, await lastPublication(tx))
  }

  #report(moment: Moment, verdict: ClockVerdict): void {
    const reportedAt = this.#reportedAt
    if (verdict.faults.length === 0) {
      this.#reportedAt = null
      if (reportedAt !== null) this.#log.warn({}, 'the clock is right again, and writes go on')
    } else if (reportedAt === null || moment.sinceBoot - reportedAt >= REPEAT_MS) {
      this.#reportedAt = moment.sinceBoot
      this.#log.error({}, refusalLine(moment, verdict))
    }
  }
}

/** Reads the clocks of this machine. @param opening of the transaction */
export const readingOf = (clock: Clock, { databaseTime }: DatabaseClock): ClockReading => ({
  wall: clock.now(),
  sinceBoot: clock.sinceBoot(),
  database: databaseTime,
})
