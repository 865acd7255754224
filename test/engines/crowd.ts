// Writers who repeat what was not acknowledged, and readers who follow cursors, whatever the servers go through.
import { type Client, clientOf } from '../support/client.ts'
import { idsOf } from '../support/publish.ts'
import { elapse } from '../support/time.ts'

const MESSAGES = '/api/v1/messages'
const RETRY_MS = 50
/** Between two messages of a writer, so that the machine has time for the servers [ms]. */
const REST_MS = 20

export interface Crowd {
  /** What was acknowledged so far: the key of each message and its id. */
  readonly acknowledged: ReadonlyMap<string, bigint>
  /** Lets everybody finish: writers with the message at hand, readers at an empty page after that. */
  finish(): Promise<void>
  /** What each reader saw, in its order. */
  readonly seen: readonly bigint[][]
}

/**
 * @param urls of servers on one database; writers and readers are spread over them, and a writer asks another one after
 *   each failure
 */
export function startCrowd(urls: string[], writers: number, readers: number): Crowd {
  const clients = urls.map((url) => clientOf(() => url))
  const acknowledged = new Map<string, bigint>()
  const seen = Array.from({ length: readers }, (): bigint[] => [])
  const state = { isWriting: true, isOver: false }
  const writing = Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      for (let n = 0; state.isWriting; n++) {
        const key = `${writer}-${n}`
        acknowledged.set(key, await publish(clients, writer + n, key))
        await elapse(REST_MS, 'writers of a crowd have something else to do')
      }
    }),
  )
  const reading = Promise.all(
    seen.map((ids, i) => follow(clients[i % clients.length] as Client, ids, () => state.isOver)),
  )
  return {
    acknowledged,
    seen,
    async finish() {
      state.isWriting = false
      await writing
      state.isOver = true
      await reading
    },
  }
}

/** Repeats a message under its key until a server acknowledges it. @returns its id */
async function publish(clients: Client[], first: number, key: string): Promise<bigint> {
  const body = { directory: 'lab', body: key }
  for (let i = first; ; i++) {
    const client = clients[i % clients.length] as Client
    const reply = await unlessCut(client.post(MESSAGES, body, { 'idempotency-key': key }))
    if (reply?.status === 201 || reply?.status === 200)
      return (reply.json as { message_id: bigint }).message_id
    if (reply && reply.status !== 503) throw new Error(`${key}: ${reply.status} ${reply.text}`)
    await elapse(RETRY_MS, 'a client waits before it asks again')
  }
}

/** Adds to `ids` what a cursor leads to. @throws Error on a page that does not ascend from its cursor */
async function follow(client: Client, ids: bigint[], isOver: () => boolean): Promise<void> {
  for (let limit = 1; ; limit = (limit * 7) % 101) {
    const wasOver = isOver()
    const after = ids.at(-1) ?? 0n
    const reply = await unlessCut(client.get(`${MESSAGES}?after=${after}&limit=${limit}`))
    if (reply && reply.status !== 200 && reply.status !== 503) throw new Error(reply.text)
    const page = reply?.status === 200 ? idsOf(reply) : []
    for (const id of page) {
      if (id <= (ids.at(-1) ?? 0n)) throw new Error(`${id} came after ${ids.at(-1)}`)
      ids.push(id)
    }
    if (page.length === 0 && reply?.status === 200 && wasOver) return
    if (page.length === 0) await elapse(RETRY_MS, 'a reader polls')
  }
}

/** Undefined when the connection failed: the server is away, or was killed on the way. */
const unlessCut = <T>(reply: Promise<T>): Promise<T | undefined> =>
  reply.catch((error: unknown) => {
    if (error instanceof TypeError) return undefined
    throw error
  })
