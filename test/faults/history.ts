// One random history: visitors, an operator and nightly runs work on a board while everything that it depends on fails, and
// the model, the receipts, `verify` and `operator check` judge what is left.
import { expect } from 'vitest'
import { dayOf, previousDay } from '../../archive/format/calendar.ts'
import { folderPlace } from '../../archive/place/folder.ts'
import { ArchiveReader } from '../../archive/reading/reader.ts'
import { verifyArchive } from '../../archive/verify/archive.ts'
import { verifyReceipt } from '../../archive/verify/receipt.ts'
import { daysBetween } from '../../pipeline/days/due-days.ts'
import { openDatabase } from '../../server/database/open.ts'
import { decode } from '../archive/decoding.ts'
import { clientOf } from '../support/client.ts'
import { KillSwitch } from '../support/kill-switch.ts'
import { type Operated, operator } from '../support/operator.ts'
import { publisherOf } from '../support/publish.ts'
import { type Random, random } from '../support/random.ts'
import { partsInFolder, runOn } from '../support/sealing.ts'
import { elapse, until } from '../support/time.ts'
import { Crowd, DIRECTORIES } from './crowd.ts'
import { BoardModel, type Hidden, type OperatorAction } from './model.ts'
import { FIRST_DAY, World } from './world.ts'

const DAY_MS = 86_400_000
/** Between two steps [ms]. */
const PAUSE_MS = 300
const STEPS_BETWEEN_JUDGEMENTS = 25
/** How many receipts and keys are judged at once. */
const SAMPLE = 300
const RECOVERY_TIMEOUT_MS = 180_000
/** A key expires after 24 hours (API.md 5.3): none may wait for its answer longer than this, with a step of the clock. */
const ANSWERED_WITHIN_MS = 14 * 3_600_000

/** Lives one history. @param isOver whether it ends after this step @returns what happened, as counts by name */
export async function live(
  seed: number,
  isOver: (step: number) => boolean,
  onPostgres: boolean,
): Promise<Map<string, number>> {
  const source = random(seed)
  const world = await World.open(source, onPostgres)
  const history = new History(world, source)
  try {
    await history.begin()
    for (let step = 1, isLast = false; !isLast; step++) {
      await history.step()
      isLast = isOver(step)
      if (step % STEPS_BETWEEN_JUDGEMENTS === 0 || isLast) await history.judge()
    }
    await history.end()
    return history.happened
  } catch (error) {
    const told = [history.story.slice(-12).join(', '), (error as Error).message, ...world.errors]
    throw new Error(`seed ${seed}: ${told.join('\n')}`, { cause: error })
  } finally {
    await world.close()
  }
}

export class History {
  /** What happened, in order. */
  readonly story: string[] = []
  readonly world: World
  readonly model = new BoardModel()
  readonly #random: Random
  /** Day -> what was hidden at each moment at which a run may have counted it. */
  readonly #counted = new Map<string, Hidden[]>()
  #crowd: Crowd | null = null
  /** An action that has failed, and may have taken effect. */
  #pending: OperatorAction | null = null

  constructor(world: World, source: Random) {
    this.world = world
    this.#random = source
  }

  get crowd(): Crowd {
    return this.#crowd as Crowd
  }

  get happened(): Map<string, number> {
    const counts = new Map([['messages', this.model.messages.size]])
    for (const name of this.story) counts.set(name, (counts.get(name) ?? 0) + 1)
    return counts
  }

  async begin(texts: readonly string[] = ['a message']): Promise<void> {
    const publish = publisherOf(this.#direct(0))
    for (const path of DIRECTORIES) await publish.directory(path)
    this.#crowd = new Crowd(this.world, this.model, this.#random, texts)
  }

  async step(): Promise<void> {
    const chance = this.#random.uniform()
    const { faults } = this.world
    const work =
      chance < 0.4
        ? this.moderate()
        : chance < 0.5
          ? this.#pass()
          : chance < 0.6
            ? this.#seal()
            : faults.size < 2 && chance < 0.85
              ? this.#harm()
              : this.#heal()
    await this.during(work)
    await this.during(elapse(PAUSE_MS, 'visitors go on between two steps'))
  }

  /** Ends all faults, and judges everything. */
  async judge(): Promise<void> {
    await this.during(this.#heal())
    await this.during(this.moderate())
    await this.crowd.rest(async () => {
      for (const which of [0, 1]) await this.#expectListed(which)
      await this.#expectRecorded()
      await this.#expectStatus()
      await this.#expectReplays()
      await this.#sealAll()
      await this.#expectArchive()
    })
    this.story.push('judged')
  }

  async end(): Promise<void> {
    await this.#crowd?.end()
  }

  during = <T>(work: Promise<T>): Promise<T> => this.crowd.during(work)

  #direct = (which: number) => clientOf(() => this.world.machines[which]?.server?.url ?? '')

  async #harm(): Promise<void> {
    this.story.push(await this.world.harm())
  }

  async #heal(): Promise<void> {
    if (this.world.faults.size > 0) this.story.push('healed')
    await this.world.heal()
  }

  /** Lets some hours pass, or the rest of the day. */
  async #pass(): Promise<void> {
    const { now, toNight } = this.world
    const isNight = this.#random.uniform() < 0.7
    const ms = isNight ? toNight : this.#random.below(toNight)
    if (now + ms - this.crowd.waitingSince > ANSWERED_WITHIN_MS) return
    this.world.pass(ms)
    this.story.push(isNight ? 'midnight' : 'hours')
  }

  /** Does what the operator began, or something new. */
  async moderate(): Promise<void> {
    const action = this.#pending ?? this.#newAction()
    if (!action) return
    if (!this.#pending) this.model.begin()
    this.#pending = action
    const attempt = async () => {
      const { code, err } = await this.operate(
        ...[action.act, action.kind, String(action.target), '--reason', 'a test'],
      )
      // Both servers have a SQLite file open, so its log may still have what was erased from the tables.
      const isDone = code === 0 || err.includes('repeat the command')
      if (!isDone && this.world.faults.size === 0) this.story.push(err.trim())
      return isDone
    }
    if (this.world.faults.size === 0) await until(attempt, RECOVERY_TIMEOUT_MS)
    else if (!(await attempt())) return
    this.#pending = null
    this.model.finish(action)
    this.story.push(action.act)
  }

  #newAction(): OperatorAction | undefined {
    const chance = this.#random.uniform()
    const hidden = this.model.hidden
    const message = this.#random.one<bigint | undefined>([...this.model.messages.keys()])
    const taken = this.#random.one<bigint | undefined>([...hidden.messages])
    if (message === undefined) return undefined
    if (chance < 0.3) return { act: 'hide', kind: 'message', target: message }
    if (chance < 0.5 && taken !== undefined) {
      const isErased = this.model.erased.has(taken)
      const act = chance < 0.4 || isErased ? 'erase' : 'show'
      return { act, kind: 'message', target: taken }
    }
    const act = this.#random.uniform() < 0.4 ? 'hide' : 'show'
    if (chance < 0.75) return { act, kind: 'directory', target: this.#random.one(DIRECTORIES) }
    const target = this.#random.one<bigint | undefined>([...this.model.questions.keys()])
    return target === undefined ? undefined : { act, kind: 'investigation', target }
  }

  operate(...args: string[]): Promise<Operated> {
    const { clock, dataDir, environment } = this.world
    return operator({ dataDir }, args, { clock, env: environment })
  }

  /** Runs the pipeline as every night; the run may be killed, and is repeated then. */
  async #seal(): Promise<void> {
    if (this.#pending) return
    const moment = this.#random.uniform() < 0.5 ? 'before' : 'after'
    const kill = { at: this.#random.below(40), moment } as const
    if (this.#random.uniform() < 0.6)
      await this.run(new KillSwitch(kill)).catch((error) => {
        if (!/killed$/.test(error.message) && this.world.faults.size === 0) throw error
      })
    await this.run().catch((error) => {
      if (this.world.faults.size === 0) throw error
      this.story.push('a run failed')
    })
    this.story.push('sealed')
  }

  async run(kill = new KillSwitch()): Promise<void> {
    const { archiveDir, now } = this.world
    const sealed = await new ArchiveReader(folderPlace(archiveDir)).days()
    const ended = daysBetween(FIRST_DAY, previousDay(dayOf(now)))
    const due = ended.filter((day) => !sealed.includes(day))
    for (const day of due)
      this.#counted.set(day, [...(this.#counted.get(day) ?? []), this.model.hidden])
    await this.publish(due, kill)
  }

  /** Publishes days without rendering them. */
  protected async publish(due: string[], kill: KillSwitch): Promise<void> {
    const { archiveDir, clock, database: address, dataDir, now } = this.world
    const database = await openDatabase(address, { clock, create: false })
    try {
      await runOn(await partsInFolder(archiveDir, database, kill), dataDir, due, now)
    } finally {
      await database.close()
    }
  }

  async #sealAll(): Promise<void> {
    this.world.pass(DAY_MS)
    await this.run()
  }

  /** Every visible message is listed, no other, in the order of ids, and times ascend with them. */
  async #expectListed(which: number): Promise<void> {
    const listed: { id: bigint; body: string; directory: string; publish_at: string }[] = []
    for (;;) {
      const path = `/api/v1/messages?limit=100&after=${listed.at(-1)?.id ?? 0}`
      const { messages } = (await this.#direct(which).get(path)).json as { messages: typeof listed }
      if (messages.length === 0) break
      listed.push(...messages)
    }
    const expected = this.model.visible.map(({ id, body, directory }) => ({ id, body, directory }))
    expect(listed.map(({ id, body, directory }) => ({ id, body, directory }))).toEqual(expected)
    const times = listed.map(({ publish_at }) => publish_at)
    expect(times).toEqual([...times].sort())
    const ids = [...this.model.messages.keys()].sort((a, b) => Number(a - b))
    expect(ids).toEqual(ids.map((_, i) => BigInt(i + 1)))
    for (const { id, publish_at } of listed) {
      const posted = this.model.messages.get(id)
      if (posted) posted.day = publish_at.slice(0, 10)
    }
  }

  /** The public record has each action once. */
  async #expectRecorded(): Promise<void> {
    const actions: { id: bigint; action: string; target: unknown }[] = []
    for (;;) {
      const path = `/api/v1/moderation?limit=100&after=${actions.at(-1)?.id ?? 0}`
      const page = (await this.#direct(0).get(path)).json as { actions: typeof actions }
      if (page.actions.length === 0) break
      actions.push(...page.actions)
    }
    const expected = this.model.actions.map(({ act, kind, target }) => [
      act,
      kind === 'directory' ? null : target,
    ])
    expect(actions.map(({ action, target }) => [action, target])).toEqual(expected)
  }

  async #expectStatus(): Promise<void> {
    const { code, out, err } = await this.operate('status', '--json')
    expect([code, err]).toEqual([0, ''])
    const { visible, hidden } = JSON.parse(out).records.messages
    const count = this.model.visible.length
    expect([visible, hidden]).toEqual([count, this.model.messages.size - count])
  }

  /** The archive is whole, its counters are those of the model, and no receipt accuses anybody. */
  async #expectArchive(): Promise<void> {
    const { archiveDir, now } = this.world
    const place = folderPlace(archiveDir)
    expect(await verifyArchive(place, { decode, log: { pauseMs: 0 } })).toMatchObject({ ok: true })
    expect(await this.operate('check')).toMatchObject({ code: 0, err: '' })
    const reader = new ArchiveReader(place)
    for (const day of await reader.days()) {
      const stated = (await reader.snapshot(day))?.snapshot.counters.messages
      const possible = (this.#counted.get(day) ?? []).map((at) => this.model.countOf(day, at))
      expect(possible.map(String), `messages of ${day}`).toContain(String(stated))
    }
    const { receipts } = this.crowd
    for (const [id, note] of this.#sample([...receipts])) {
      const options = { now, onStep() {} }
      const { verdict } = await verifyReceipt(place, { receipts: [note] }, options)
      expect([id, verdict]).toEqual([id, expect.toBeOneOf(['kept', 'pending'])])
    }
  }

  async #expectReplays(): Promise<void> {
    const since = this.world.now - ANSWERED_WITHIN_MS
    const recent = [...this.model.messages.values()].filter(({ at }) => at > since)
    for (const { id } of this.#sample(recent).slice(0, 20)) await this.#crowd?.replay(id)
  }

  /** At most SAMPLE of the items, spread over all of them. */
  #sample<T>(items: readonly T[]): T[] {
    const every = Math.max(1, Math.ceil(items.length / SAMPLE))
    return items.filter((_, i) => i % every === 0)
  }
}
