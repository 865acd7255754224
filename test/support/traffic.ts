// Runs concurrent writers and cursor readers on one service, or on several servers that share a database.
import { expect } from 'vitest'
import { clientOf } from './client.ts'
import { appendIds, type Publisher, publisherOf } from './publish.ts'

interface Traffic {
  /** The ids of all published messages, ascending. */
  all: bigint[]
  /** Those in the second directory, and those in the investigation. */
  inDirectory: bigint[]
  inInvestigation: bigint[]
  /** The ids that each reader saw, in order: two read all messages, one the directory, one the investigation. */
  seen: { all: bigint[][]; inDirectory: bigint[]; inInvestigation: bigint[] }
  /** The number of pages that the readers read. */
  pages: number
}

/** Expects that each reader saw every id once, in ascending order (API.md 4.5). */
export function expectNothingMissed({ all, inDirectory, inInvestigation, seen }: Traffic): void {
  expect(all).toEqual(all.map((_, i) => BigInt(i + 1)))
  expect(seen.all).toEqual([all, all])
  expect(seen.inDirectory).toEqual(inDirectory)
  expect(seen.inInvestigation).toEqual(inInvestigation)
}

interface Situation {
  publish: Publisher
  investigation: bigint
  note(kind: 'all' | 'inDirectory' | 'inInvestigation', id: bigint): void
}

/**
 * Lets `writers` publish `count` messages, questions and contributions, while four readers follow cursors: two read all
 * messages, one a directory, one an investigation. Readers stop at the first empty page after the last write.
 * @param urls servers that share an empty database; writers and readers are spread over them
 */
export async function traffic(urls: string[], writers: number, count: number): Promise<Traffic> {
  const clients = urls.map((url) => clientOf(() => url))
  const clientAt = (i: number) => clients[i % clients.length] as (typeof clients)[number]
  const publish = publisherOf(clientAt(0))
  await publish.directory('first')
  await publish.directory('second')
  const { id: investigation, root } = await publish.investigation('first')
  const published = { all: [root], inDirectory: [] as bigint[], inInvestigation: [] as bigint[] }
  const note: Situation['note'] = (kind, id) => void published[kind].push(id)

  let writing = true
  const work = Promise.all(
    Array.from({ length: writers }, async (_, i) => {
      const situation = { publish: publisherOf(clientAt(i)), investigation, note }
      for (let n = i; n < count; n += writers) await writeOnce(situation, n)
    }),
  ).finally(() => {
    writing = false
  })
  const paths = [
    '/api/v1/messages?',
    '/api/v1/messages?',
    '/api/v1/messages?directory=second&',
    `/api/v1/investigations/${investigation}?`,
  ]
  let pages = 0
  const readers = paths.map((path, i) =>
    follow(
      (query) => clientAt(i).get(path + query),
      () => writing,
      () => pages++,
    ),
  )
  await work
  const [first = [], second = [], inDirectory = [], inInvestigation = []] =
    await Promise.all(readers)
  return {
    all: ascending(published.all),
    inDirectory: ascending(published.inDirectory),
    inInvestigation: ascending(published.inInvestigation),
    seen: { all: [first, second], inDirectory, inInvestigation },
    pages,
  }
}

/** Publishes one record: mostly a message in one of two directories, sometimes a contribution, rarely a question. */
async function writeOnce({ publish, investigation, note }: Situation, n: number): Promise<void> {
  if (n % 7 === 0) {
    note('all', (await publish.investigation('first')).root)
  } else if (n % 3 === 0) {
    const id = await publish.contribution(investigation)
    note('all', id)
    note('inInvestigation', id)
  } else {
    const directory = n % 2 === 0 ? 'first' : 'second'
    const id = await publish.message(directory)
    note('all', id)
    if (directory === 'second') note('inDirectory', id)
  }
}

/** Follows a cursor from 0. @throws Error if the ids of a page do not ascend from the cursor */
async function follow(
  read: (query: string) => ReturnType<ReturnType<typeof clientOf>['get']>,
  more: () => boolean,
  onPage: () => void,
): Promise<bigint[]> {
  const seen: bigint[] = []
  for (let limit = 1; ; limit = (limit * 7) % 101) {
    const after = seen.at(-1) ?? 0n
    const wasWriting = more()
    const reply = await read(`after=${after}&limit=${limit}`)
    // A directory is not found until it has a message.
    if (reply.status !== 200 && reply.code !== 'directory_not_found') throw new Error(reply.text)
    const count = reply.status === 200 ? appendIds(seen, reply) : 0
    onPage()
    if (count === 0 && !wasWriting) return seen
  }
}

const ascending = (ids: bigint[]): bigint[] => [...ids].sort((a, b) => (a < b ? -1 : 1))
