// Writers that repeat unacknowledged messages, and readers that follow cursors, while servers fail.
import { type Client, clientOf } from '../support/client.ts'
import { appendIds } from '../support/publish.ts'
import { elapse } from '../support/time.ts'

const MESSAGES = '/api/v1/messages'
const RETRY_MS = 50
/** The pause between two messages of a writer, which leaves CPU time for the servers [ms]. */
const PAUSE_MS = 20

export interface Crowd {
  /** The acknowledged messages so far: key -> id. */
  readonly acknowledged: ReadonlyMap<string, bigint>
  /** Lets writers finish their current message, and then readers read up to an empty page. */
  finish(): Promise<void>
  /** The ids that each reader saw, in order. */
  readonly seen: readonly bigint[][]
  /** The requests that were not answered or got a 503, as `POST 503` and `GET cut`. */
  readonly failures: readonly string[]
}

/**
 * @param urls servers that share a database; writers and readers are spread over them, and a writer changes servers
 *   after each failure
 */
export function startCrowd(urls: string[], writers: number, readers: number): Crowd {
  const clients = urls.map((url) => clientOf(() => url))
  const acknowledged = new Map<string, bigint>()
  const seen = Array.from({ length: readers }, (): bigint[] => [])
  const failures: string[] = []
  const state = { isWriting: true, isOver: false }
  const writing = Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      for (let n = 0; state.isWriting; n++) {
        const key = `${writer}-${n}`
        acknowledged.set(key, await publish(clients, writer + n, key, failures))
        await elapse(PAUSE_MS, 'the servers need CPU time too')
      }
    }),
  )
  const reading = Promise.all(
    seen.map((ids, i) =>
      follow(clients[i % clients.length] as Client, ids, failures, () => state.isOver),
    ),
  )
  return {
    acknowledged,
    seen,
    failures,
    async finish() {
      state.isWriting = false
      await writing
      state.isOver = true
      await reading
    },
  }
}

/** Repeats a message under its key until a server acknowledges it. @returns its id */
async function publish(
  clients: Client[],
  first: number,
  key: string,
  failures: string[],
): Promise<bigint> {
  const body = { directory: 'lab', body: key }
  for (let i = first; ; i++) {
    const client = clients[i % clients.length] as Client
    const reply = await unlessCut(client.post(MESSAGES, body, { 'idempotency-key': key }))
    if (reply?.status === 201 || reply?.status === 200)
      return (reply.json as { message_id: bigint }).message_id
    if (reply && reply.status !== 503) throw new Error(`${key}: ${reply.status} ${reply.text}`)
    failures.push(`POST ${reply?.status ?? 'cut'}`)
    await elapse(RETRY_MS, 'a client waits before it retries')
  }
}

/** Follows a cursor and appends to `ids`. @throws Error if the ids of a page do not ascend from the cursor */
async function follow(
  client: Client,
  ids: bigint[],
  failures: string[],
  isOver: () => boolean,
): Promise<void> {
  for (let limit = 1; ; limit = (limit * 7) % 101) {
    const wasOver = isOver()
    const after = ids.at(-1) ?? 0n
    const reply = await unlessCut(client.get(`${MESSAGES}?after=${after}&limit=${limit}`))
    if (reply && reply.status !== 200 && reply.status !== 503) throw new Error(reply.text)
    if (reply?.status !== 200) failures.push(`GET ${reply?.status ?? 'cut'}`)
    const count = reply?.status === 200 ? appendIds(ids, reply) : 0
    if (count === 0 && reply?.status === 200 && wasOver) return
    if (count === 0) await elapse(RETRY_MS, 'a reader polls')
  }
}

/** Returns undefined if the connection failed, because the server is down or was killed meanwhile. */
const unlessCut = <T>(reply: Promise<T>): Promise<T | undefined> =>
  reply.catch((error: unknown) => {
    if (error instanceof TypeError) return undefined
    throw error
  })
