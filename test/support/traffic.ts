// Writers that repeat what is not acknowledged, and readers that follow cursors, on one service or on several servers that
// share a database, and that may fail meanwhile.
import { expect } from 'vitest'
import { type Client, clientOf, type Reply } from './client.ts'
import { appendIds, idIn, OBSERVATION, type Opened, publisherOf, QUESTION } from './publish.ts'
import { elapse, until } from './time.ts'

interface TrafficOptions {
  writers: number
  /** The pause of a writer after each request, and of a reader after an empty page [ms]. */
  pauseMs?: number
}

/** Four readers follow cursors: two read all messages, one a directory, one an investigation. */
export class Traffic {
  /** The requests that were not answered or got a 503, as `POST 503` and `GET cut`. */
  readonly failures: string[] = []
  readonly #clients: Client[]
  readonly #pauseMs: number
  readonly #investigation: bigint
  /** The ids of the acknowledged messages so far. */
  readonly #published: Record<'all' | 'directory' | 'investigation', bigint[]>
  readonly #writing: Promise<unknown>
  readonly #reading: Promise<bigint[][]>
  #keys = 0
  #isWriting = true
  #isOver = false

  /** @param urls servers on an empty database; a writer changes servers after each failure */
  static async start(urls: readonly string[], options: TrafficOptions): Promise<Traffic> {
    const clients = urls.map((url) => clientOf(() => url))
    const publish = publisherOf(clients[0] as Client)
    await publish.directory('first')
    await publish.directory('second')
    const opened = await publish.investigation('first')
    // A directory is not found until it has a message.
    return new Traffic(clients, options, opened, await publish.message('second'))
  }

  private constructor(
    clients: Client[],
    { writers, pauseMs = 0 }: TrafficOptions,
    { id, root }: Opened,
    second: bigint,
  ) {
    this.#clients = clients
    this.#pauseMs = pauseMs
    this.#investigation = id
    this.#published = { all: [root, second], directory: [second], investigation: [] }
    this.#writing = Promise.all(Array.from({ length: writers }, (_, i) => this.#write(i)))
    const [messages, entries] = ['/api/v1/messages?', `/api/v1/investigations/${id}?`]
    const paths = [messages, messages, `${messages}directory=second&`, entries]
    this.#reading = Promise.all(paths.map((path, i) => this.#follow(path, i)))
  }

  /** Waits until so many more records are acknowledged. @throws the first thing that a writer or reader found wrong */
  async goOn(count: number): Promise<void> {
    const { all } = this.#published
    const expected = all.length + count
    await Promise.race([until(() => all.length >= expected), this.#writing, this.#reading])
  }

  /**
   * Lets writers finish their current record, and then readers read up to an empty page. Expects that each acknowledged
   * record is there once, and that each reader saw every id once, in ascending order (API.md 4.5).
   */
  async expectNothingMissed(): Promise<void> {
    this.#isWriting = false
    await this.#writing
    this.#isOver = true
    const { all, directory, investigation } = this.#published
    for (const ids of [all, directory, investigation]) ids.sort((a, b) => (a < b ? -1 : 1))
    expect(all).toEqual(all.map((_, i) => BigInt(i + 1)))
    expect(await this.#reading).toEqual([all, all, directory, investigation])
  }

  /** Publishes one record after the other: mostly messages in one of two directories, contributions, a few questions. */
  async #write(writer: number): Promise<void> {
    const path = '/api/v1/investigations'
    for (let n = writer; this.#isWriting; n++) {
      if (n % 7 === 0) await this.#publish(n, path, { directory: 'first', ...QUESTION })
      else if (n % 3 === 0) {
        const id = await this.#publish(
          n,
          `${path}/${this.#investigation}/contributions`,
          OBSERVATION,
        )
        this.#published.investigation.push(id)
      } else {
        const directory = n % 2 === 0 ? 'first' : 'second'
        const id = await this.#publish(n, '/api/v1/messages', { directory, body: 'a message' })
        if (directory === 'second') this.#published.directory.push(id)
      }
    }
  }

  /** Repeats a record under its key until a server acknowledges it. @param first which server is asked first */
  async #publish(first: number, path: string, body: object): Promise<bigint> {
    const key = { 'idempotency-key': `key-${++this.#keys}` }
    for (let i = first; ; i++) {
      const reply = await this.#answered('POST', this.#client(i).post(path, body, key))
      if (reply) this.#published.all.push(idIn(reply))
      await elapse(this.#pauseMs, 'the servers need CPU time too')
      if (reply) return idIn(reply)
    }
  }

  /** @returns the ids that it saw @throws Error if the ids of a page do not ascend from the cursor */
  async #follow(path: string, reader: number): Promise<bigint[]> {
    const seen: bigint[] = []
    for (let limit = 1; ; limit = (limit * 7) % 101) {
      const wasOver = this.#isOver
      const page = this.#client(reader).get(`${path}after=${seen.at(-1) ?? 0n}&limit=${limit}`)
      const reply = await this.#answered('GET', page)
      const count = reply ? appendIds(seen, reply) : 0
      if (reply && count === 0 && wasOver) return seen
      if (count === 0) await elapse(this.#pauseMs, 'a reader polls')
    }
  }

  #client = (i: number) => this.#clients[i % this.#clients.length] as Client

  /** Returns undefined if the server has failed: it answered with 503, is down or was killed meanwhile. */
  async #answered(method: string, asked: Promise<Reply>): Promise<Reply | undefined> {
    const reply = await asked.catch((error: unknown) => {
      if (!(error instanceof TypeError)) throw error
    })
    if (reply?.status === 200 || reply?.status === 201) return reply
    if (reply && reply.status !== 503) throw new Error(`${reply.status} ${reply.text}`)
    this.failures.push(`${method} ${reply?.status ?? 'cut'}`)
    return undefined
  }
}
