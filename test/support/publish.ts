// Publishes records in tests, each with one call.
import { directoryCreation, messageCreation } from '../../server/board/creations.ts'
import type { Database } from '../../server/database/database.ts'
import { publishAt } from '../../server/publishing/batch.ts'
import { system } from '../../server/system/system.ts'
import type { Client, Reply } from './client.ts'

export interface Opened {
  id: bigint
  root: bigint
}

export interface Publisher {
  directory(path: string): Promise<void>
  /** @returns the message's id */
  message(directory: string, body?: string): Promise<bigint>
  investigation(directory: string, more?: object): Promise<Opened>
  /** @returns the message's id */
  contribution(investigation: bigint, more?: object): Promise<bigint>
}

/** Publishes through the API. Any status other than 201 throws. */
export function publisherOf(client: Client): Publisher {
  const create = async <Record>(path: string, request: object): Promise<Record> => {
    const reply = await client.post(path, request)
    if (reply.status !== 201) throw new Error(`POST ${path}: ${reply.status} ${reply.text}`)
    return reply.json as Record
  }
  return {
    directory: async (path) => {
      await create('/api/v1/directories', { path })
    },
    message: async (directory, body = 'a message') => {
      const request = { directory, body }
      return (await create<{ message_id: bigint }>('/api/v1/messages', request)).message_id
    },
    investigation: async (directory, more = {}) => {
      const request = { directory, ...QUESTION, ...more }
      const answer = await create<{ id: bigint; root_message_id: bigint }>(
        '/api/v1/investigations',
        request,
      )
      return { id: answer.id, root: answer.root_message_id }
    },
    contribution: async (investigation, more = {}) => {
      const path = `/api/v1/investigations/${investigation}/contributions`
      return (await create<{ message_id: bigint }>(path, { ...OBSERVATION, ...more })).message_id
    },
  }
}

/** Publishes into a database without a server. Times are in ms since 1970. */
export const publisherIn = ({ write }: Database) => ({
  directory: (path: string, at = 0) =>
    write((tx) => publishAt(tx, directoryCreation, { path, author_label: '' }, { at, randomHex })),
  /** @returns the message's id */
  message: async (directory: string, at: number, body = 'b', author_label = '') => {
    const input = { directory, body, author_label }
    return (await write((tx) => publishAt(tx, messageCreation, input, { at, randomHex })))
      .message_id
  },
})
const { randomHex } = system

/** The smallest requests, without their directory. */
export const QUESTION = { title: 'Why?', body: 'a question' } as const
export const OBSERVATION = { kind: 'observation', body: 'an observation' } as const

export const KINDS = ['directory', 'message', 'investigation', 'contribution'] as const
export type Kind = (typeof KINDS)[number]

let count = 0
/** The creates, on a board with the directory lab and investigation 1: the address, and a request that succeeds each time. */
export const CREATES: Record<Kind, () => readonly [path: string, request: object]> = {
  directory: () => ['/api/v1/directories', { path: `made-${++count}` }],
  message: () => ['/api/v1/messages', { directory: 'lab', body: 'a message' }],
  investigation: () => ['/api/v1/investigations', { directory: 'lab', ...QUESTION }],
  contribution: () => ['/api/v1/investigations/1/contributions', OBSERVATION],
}

/** Returns the ids on a JSON page of messages, entries or investigations. */
export function idsOf(reply: Reply): bigint[] {
  const page = reply.json as {
    messages?: { id: bigint }[]
    entries?: { message_id: bigint }[]
    items?: { id: bigint }[]
  }
  if (page.messages) return page.messages.map((message) => message.id)
  if (page.entries) return page.entries.map((entry) => entry.message_id)
  return (page.items ?? []).map((item) => item.id)
}

/** Returns the id of the message that the answer to a create names. */
export function idIn(reply: Reply): bigint {
  const { message_id, root_message_id } = reply.json as Record<string, bigint | undefined>
  return (message_id ?? root_message_id) as bigint
}

/** Appends the ids of a page to those that a reader saw. @returns how many @throws Error if they do not ascend */
export function appendIds(seen: bigint[], reply: Reply): number {
  const ids = idsOf(reply)
  for (const id of ids) {
    const last = seen.at(-1) ?? 0n
    if (id <= last) throw new Error(`${id} came after ${last}`)
    seen.push(id)
  }
  return ids.length
}
