// A board on a database that a test chooses, and its messages, whose texts are their keys.
import { appendIds } from '../support/publish.ts'
import { startTestService, type TestService } from '../support/service.ts'

export const MESSAGES = '/api/v1/messages'

/** Starts a service with the directory lab. */
export async function boardOn(DATABASE_URL: string): Promise<TestService> {
  const service = await startTestService({ DATABASE_URL })
  await service.publish.directory('lab')
  return service
}

/** The address of a database at the first of these ports, on this machine, that is a primary. */
export const urlAt = (name: string, ...ports: number[]) =>
  `postgres://postgres@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/${name}`

export const post = ({ client }: TestService, key: string, body = key) =>
  client.post(MESSAGES, { directory: 'lab', body }, { 'idempotency-key': key })

export async function allIds({ client }: TestService): Promise<bigint[]> {
  const ids: bigint[] = []
  for (;;) {
    const page = await client.get(`${MESSAGES}?limit=100&after=${ids.at(-1) ?? 0n}`)
    if (appendIds(ids, page) === 0) return ids
  }
}
