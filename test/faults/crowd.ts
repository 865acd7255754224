// Visitors of a board on two servers that fail: writers who repeat what is not answered and keep their receipts, and readers
// who compare every answer with the model.
import { stringifyJson } from '../../archive/base/json.ts'
import { parseReceipt } from '../../archive/log/receipt.ts'
import { type Client, clientOf, type Reply } from '../support/client.ts'
import { appendIds, idIn } from '../support/publish.ts'
import type { Random } from '../support/random.ts'
import { elapse, until } from '../support/time.ts'
import type { BoardModel } from './model.ts'
import type { World } from './world.ts'

export const DIRECTORIES = ['lab', 'lab/deep', 'field'] as const
const WRITERS = 5
const READERS = 2
const CURSORS = 2
/** The pause between two requests of a visitor, which leaves CPU time for the servers [ms]. */
const PAUSE_MS = 30
/** After this a client gives up and asks again [ms]. */
const ANSWER_TIMEOUT_MS = 3_000
/** By how much a server's clock may be wrong (OPERATING.md 6.1), and what may pass between two readings [ms]. */
const TOLERANCE_MS = 70_000
/** Longer than any recovery takes [ms]. */
const RECOVERY_TIMEOUT_MS = 180_000

interface Request {
  path: string
  body: Record<string, unknown> & { body: string }
  directory: string
  investigation: bigint | null
  key: string
}

/** A reader of all messages. */
interface Cursor {
  /** As the last page stated it. */
  after: bigint
  seen: bigint[]
  emptyPages: number
}

export class Crowd {
  /** Message -> its receipt. */
  readonly receipts = new Map<bigint, Uint8Array>()
  readonly #world: World
  readonly #model: BoardModel
  readonly #random: Random
  readonly #clients: Client[]
  readonly #requests = new Map<bigint, Request>()
  readonly #unanswered = new Map<Request, number>()
  /** Requests that found their directory hidden, with the times when they were made: an attempt without an answer may have succeeded. */
  #refused = new Map<Request, number>()
  readonly #cursors = Array.from(
    { length: CURSORS },
    (): Cursor => ({ after: 0n, seen: [], emptyPages: 0 }),
  )
  readonly #work: Promise<unknown>
  readonly #texts: readonly string[]
  #keys = 0
  #isResting = false
  #resting = 0
  #isOver = false

  /** @param texts how messages begin */
  constructor(world: World, model: BoardModel, random: Random, texts: readonly string[]) {
    this.#texts = texts
    this.#world = world
    this.#model = model
    this.#random = random
    this.#clients = world.machines.map(({ clients }) => clientOf(() => urlOf(clients)))
    this.#work = Promise.all([
      ...Array.from({ length: WRITERS }, () => this.#each(() => this.#write())),
      ...Array.from({ length: READERS }, () => this.#each(() => this.#read())),
      ...this.#cursors.map((cursor) => this.#each(() => this.#follow(cursor), false)),
    ])
  }

  /** When the oldest request was made that has no answer yet [ms since 1970]. */
  get waitingSince(): number {
    return Math.min(this.#world.now, ...this.#unanswered.values())
  }

  /** Does some work while the visitors go on. @throws the first thing that a visitor found wrong */
  async during<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#work.then(() => work)])
  }

  /** Lets all writers finish what they have begun, and the cursors read to the end; then does some work. */
  async rest(work: () => Promise<void>): Promise<void> {
    this.#isResting = true
    await this.during(until(() => this.#resting === WRITERS + READERS, RECOVERY_TIMEOUT_MS))
    const refused = this.#refused
    this.#refused = new Map()
    for (const [request, since] of refused) await this.during(this.#publish(request, since))
    const before = this.#cursors.map(({ emptyPages }) => emptyPages)
    const areRead = () =>
      this.#cursors.every(({ emptyPages }, i) => emptyPages > (before[i] ?? 0) + 1)
    await this.during(until(areRead, RECOVERY_TIMEOUT_MS))
    for (const { seen } of this.#cursors) this.#expectSeen(seen)
    await this.during(work())
    this.#isResting = false
  }

  async end(): Promise<void> {
    this.#isOver = true
    await this.#work
  }

  /** Sends a request of the past again: it gives the same message. */
  async replay(id: bigint): Promise<void> {
    const request = this.#requests.get(id) as Request
    const reply = await this.#answered(() => this.#send(request))
    const isErased = this.#model.erased.has(id)
    if (reply.status !== (isErased ? 409 : 200) || (!isErased && idIn(reply) !== id))
      throw new Error(`the key of ${id} gives ${reply.status} ${reply.text}`)
  }

  async #each(work: () => Promise<void>, rests = true): Promise<void> {
    while (!this.#isOver) {
      await work()
      await elapse(PAUSE_MS, 'the servers need CPU time too')
      if (!rests || !this.#isResting) continue
      this.#resting++
      await until(() => !this.#isResting || this.#isOver, Number.POSITIVE_INFINITY)
      this.#resting--
    }
  }

  #write(): Promise<void> {
    return this.#publish(this.#newRequest(), this.#world.now)
  }

  /** @param since when it was made [ms since 1970] */
  async #publish(request: Request, since: number): Promise<void> {
    const model = this.#model
    const isSettled = model.watch()
    const isOpen =
      request.investigation === null
        ? model.isOpen(request.directory)
        : model.isInvestigationOpen(request.investigation)
    this.#unanswered.set(request, since)
    const reply = await this.#answered(() => this.#send(request))
    this.#unanswered.delete(request)
    if (reply.status === 404 && !(isSettled() && isOpen)) {
      this.#refused.set(request, since)
      return
    }
    if (reply.status !== 201 && reply.status !== 200)
      throw new Error(`POST ${request.path}: ${reply.status} ${reply.text}`)
    const { id: opened, received_at } = reply.json as { id?: bigint; received_at: string }
    const id = idIn(reply)
    const at = Date.parse(received_at)
    this.#expectTimely(id, at, since)
    this.#requests.set(id, request)
    const { directory, investigation, body } = request
    const day = received_at.slice(0, 10)
    const posted = { id, directory, body: body.body, at, day }
    model.post({ ...posted, investigation: opened ?? investigation }, opened)
    await this.#keepReceipt(id)
  }

  /** On PostgreSQL no server may date anything by a wrong clock. On SQLite nothing else knows the time. */
  #expectTimely(id: bigint, at: number, since: number): void {
    const world = this.#world
    const isEarly = world.isOnPostgres && at < since - TOLERANCE_MS
    if (isEarly || (world.isOnPostgres && at > world.now + TOLERANCE_MS))
      throw new Error(`${id} is dated ${at}, between ${since} and ${world.now}`)
  }

  async #keepReceipt(id: bigint): Promise<void> {
    const isSettled = this.#model.watch()
    const isVisible = this.#model.isVisible(id)
    const reply = await this.#answered((which) => this.#get(which, `/messages/${id}.receipt`))
    if (reply.status === 404 && !(isSettled() && isVisible)) return
    if (reply.status !== 200) throw new Error(`receipt of ${id}: ${reply.status} ${reply.text}`)
    const { message } = parseReceipt(reply.bytes)
    const posted = this.#model.messages.get(id)
    if (message.id !== id || !posted) throw new Error(`the receipt of ${id} is for ${message.id}`)
    posted.day = message.day
    this.receipts.set(id, reply.bytes)
  }

  /** Reads a message that was acknowledged. */
  async #read(): Promise<void> {
    const id = this.#random.one<bigint | undefined>([...this.#model.messages.keys()])
    if (id === undefined) return
    const isSettled = this.#model.watch()
    const isVisible = this.#model.isVisible(id)
    const reply = await this.#get(this.#which(), `/messages/${id}.json`)
    if (reply === undefined || reply.status === 503 || !isSettled()) return
    const body = (reply.json as { body?: string }).body
    const expected = isVisible ? this.#model.messages.get(id)?.body : undefined
    if (reply.status !== (isVisible ? 200 : 404) || body !== expected)
      throw new Error(`message ${id}, visible: ${isVisible}, is ${reply.status} ${reply.text}`)
  }

  /** Reads the next page of a cursor. */
  async #follow(cursor: Cursor): Promise<void> {
    const { after, seen } = cursor
    const limit = 1 + this.#random.below(100)
    const reply = await this.#get(this.#which(), `/api/v1/messages?after=${after}&limit=${limit}`)
    if (reply === undefined || reply.status === 503) return
    if (reply.status !== 200) throw new Error(`page after ${after}: ${reply.status} ${reply.text}`)
    const count = appendIds(seen, reply)
    cursor.after = (reply.json as { next_cursor: bigint }).next_cursor
    if (count === 0) cursor.emptyPages++
  }

  #expectSeen(seen: bigint[]): void {
    const found = new Set(seen)
    const missed = this.#model.alwaysVisible.filter((id) => !found.has(id))
    const unknown = seen.filter((id) => !this.#model.messages.has(id))
    if (missed.length + unknown.length > 0)
      throw new Error(`a cursor missed ${missed}, and saw ${unknown} that nobody has published`)
  }

  #newRequest(): Request {
    const key = `k${++this.#keys}`
    const body = `${this.#random.one(this.#texts)}\n${key}`
    const investigation = this.#random.one<bigint | undefined>([...this.#model.questions.keys()])
    const chance = this.#random.uniform()
    const directory = this.#random.one(DIRECTORIES)
    const title = `Why ${key}?`
    const path = '/api/v1/investigations'
    if (chance < 0.05)
      return { path, body: { directory, title, body }, directory, investigation: null, key }
    if (chance < 0.3 && investigation !== undefined) {
      const contribution = { kind: 'observation', body }
      const question = this.#model.messages.get(this.#model.questions.get(investigation) as bigint)
      return {
        ...{ path: `${path}/${investigation}/contributions`, body: contribution, key },
        ...{ directory: question?.directory as string, investigation },
      }
    }
    const message = { directory, body }
    return { path: '/api/v1/messages', body: message, directory, investigation: null, key }
  }

  /** Asks one server after the other until it answers anything but 503. */
  async #answered(ask: (which: number) => Promise<Reply | undefined>): Promise<Reply> {
    const deadline = AbortSignal.timeout(2 * RECOVERY_TIMEOUT_MS)
    for (let which = this.#which(); ; which = 1 - which) {
      const reply = await ask(which)
      if (reply !== undefined && reply.status !== 503) return reply
      if (this.#isOver || deadline.aborted)
        throw new Error(`no answer: ${reply?.status} ${reply?.text}`)
      await elapse(PAUSE_MS, 'a client waits before it tries again')
    }
  }

  #send({ path, body, key }: Request): Promise<Reply | undefined> {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key }
    return this.#unlessCut(this.#which(), 'POST', path, { headers, body: stringifyJson(body) })
  }

  #get(which: number, path: string): Promise<Reply | undefined> {
    return this.#unlessCut(which, 'GET', path, {})
  }

  /** @returns undefined if the connection failed or stalled */
  async #unlessCut(which: number, method: string, path: string, init: RequestInit) {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
    try {
      return await (this.#clients[which] as Client).send(method, path, { ...init, signal })
    } catch (error) {
      if (error instanceof TypeError || (error as Error).name === 'TimeoutError') return undefined
      throw error
    }
  }

  #which = (): number => this.#random.below(this.#clients.length)
}

const urlOf = ({ port }: { port: number }) => `http://127.0.0.1:${port}`
