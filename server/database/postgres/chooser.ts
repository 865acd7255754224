// Asks the PostgreSQL hosts which of them to use, remembers the answer, and reports what an operator should know of it.
import type { DatabaseLog } from '../database.ts'
import { elect, type HostAnswer } from './election.ts'
import { NotPrimary } from './errors.ts'
import type { Host } from './host.ts'
import { nameOfPrimary, type Position, type Primary, type Timelines } from './position.ts'

export class Chooser {
  readonly #hosts: readonly Host[]
  readonly #timelines: Timelines
  readonly #log: DatabaseLog | undefined
  #last: Primary | null = null
  /** The refusal that was reported last. */
  #refused: string | null = null

  /** @param hosts in the order of the URL */
  constructor(hosts: readonly Host[], timelines: Timelines, log: DatabaseLog | undefined) {
    this.#hosts = hosts
    this.#timelines = timelines
    this.#log = log
  }

  /**
   * Asks every host, that used last first, and remembers the one to use.
   * @throws NotPrimary; the driver's error if no host responds; DatabaseUnavailable if the memory is damaged
   */
  async choose() {
    const isLast = ({ name }: Host) => Number(name === this.#last?.host)
    const preferred = this.#hosts.toSorted((a, b) => isLast(b) - isLast(a))
    const { answers, failure } = await ask(preferred)
    const verdict = elect(answers, this.#timelines.read())
    if (verdict.kind === 'refused') throw this.#refusal(verdict.reason)
    if (verdict.kind === 'none')
      throw failure ?? new NotPrimary(`${answers[0]?.host} is a replica, which accepts no writes`)
    const { position, notice } = verdict
    if (position) await this.#remember(position)
    this.#report({ host: verdict.host, position }, notice)
    return { host: preferred.find(({ name }) => name === verdict.host) as Host, position }
  }

  /** Whether another host of the same cluster has been promoted since this one was chosen. */
  async isOutdated({ host, position }: Primary): Promise<boolean> {
    if (position === null) return false
    const { answers } = await ask(this.#hosts.filter(({ name }) => name !== host))
    return answers.some(
      ({ system, timeline }) => system === position.system && (timeline ?? 0) > position.timeline,
    )
  }

  async #remember(position: Position): Promise<void> {
    await this.#timelines.remember(position).catch(({ message }: Error) => {
      this.#log?.warn(`an old primary will not be recognised after a restart: ${message}`)
    })
  }

  #report(now: Primary, notice: string | undefined): void {
    this.#refused = null
    const before = this.#last && nameOfPrimary(this.#last)
    const name = nameOfPrimary(now)
    this.#last = now
    if (notice) this.#log?.warn(notice)
    else if (before !== null && before !== name)
      this.#log?.warn(`the database is now ${name}; before, it was ${before}`)
  }

  #refusal(reason: string): NotPrimary {
    const { file } = this.#timelines
    const remedy = file === null ? 'restart' : `remove ${file}`
    const line = `${reason}. Stop it; if it is to be used, ${remedy}`
    if (line !== this.#refused) this.#log?.error(line)
    this.#refused = line
    return new NotPrimary(line)
  }
}

/** Asks several hosts. @returns the answers in their order, and the first failure */
async function ask(hosts: readonly Host[]): Promise<{ answers: HostAnswer[]; failure: unknown }> {
  const results = await Promise.allSettled(hosts.map((host) => host.ask()))
  return {
    answers: results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
    failure: results.find((one) => one.status === 'rejected')?.reason,
  }
}
