// Turns a validated request into a new directory or message.
import { hash } from 'node:crypto'
import type { Creation, Times } from '../publishing/batch.ts'
import type { BatchRecords, NewRow } from '../publishing/batch-records.ts'
import { DIRECTORY_LIMITS, MESSAGE_LIMITS } from '../publishing/limits.ts'
import { messageUrl } from '../wire/addresses.ts'
import { instant } from '../wire/instant.ts'
import { type Address, addressesIn, answerIn } from '../wire/mentions.ts'
import { Problem } from '../wire/problem.ts'
import { readShape } from '../wire/shape.ts'
import { utf8Bytes } from '../wire/text.ts'
import type { DirectoryRecord, MessageCreated } from './api.ts'
import { asDirectory, noDirectory } from './queries.ts'
import {
  type DirectoryRequest,
  directoryRequest,
  type MessageRequest,
  messageRequest,
  parentPath,
} from './rules.ts'

export const directoryCreation: Creation<DirectoryRequest, DirectoryRecord> = {
  operation: 'directory',
  feature: 'directories',
  limits: DIRECTORY_LIMITS,
  read: (json) => readShape(directoryRequest, json),
  needs: ({ path }) => ({ directories: [path, parentPath(path) ?? path] }),
  publish: (records, { path, author_label }, { publishAt }) => {
    const parent = parentPath(path)
    const above = parent === undefined ? undefined : records.directory(parent)
    if (parent !== undefined && !above?.isVisible)
      throw new Problem('parent_not_found', `path: there is no directory ${parent}`)
    if (records.directory(path))
      throw new Problem('directory_exists', `path: the directory ${path} already exists`)
    const id = records.sequences.next('directory')
    const row = { path, author_label, created_at: publishAt }
    records.addDirectory({ ...row, id, parent_id: above?.id ?? null })
    return asDirectory(row)
  },
  messageOf: () => null,
}

export const messageCreation: Creation<MessageRequest, MessageCreated> = {
  operation: 'message',
  feature: 'messages',
  limits: MESSAGE_LIMITS,
  read: (json) => readShape(messageRequest, json),
  needs: (request) => ({ directories: [request.directory], messages: mentionedIds(request) }),
  publish: (records, request, times) => {
    const { directory } = request
    const row = addMessage(records, request, requireDirectory(records, directory), null, times)
    return {
      message_id: row.id,
      directory,
      body_hash: row.body_hash,
      author_label: row.author_label,
      received_at: instant(row.received_at),
      publish_at: instant(row.publish_at),
      url: messageUrl(row.id),
      visibility: 'public',
    }
  },
  messageOf: ({ message_id }) => message_id,
}

/** Returns the id of a visible directory. @throws Problem directory_not_found */
export function requireDirectory(records: BatchRecords, path: string): bigint {
  const found = records.directory(path)
  if (!found?.isVisible) throw noDirectory(path)
  return found.id
}

/** The parts of a record that may have addresses. */
interface Written {
  body: string
  sources?: readonly { url: string; note: string }[]
}

/** Returns the addresses of messages in a text and in its sources; `answers` is 1 for that which the text answers. */
export function mentionsIn({ body, sources = [] }: Written): (Address & { answers: 0 | 1 })[] {
  const answered = answerIn(body)
  const isAnswered = ({ id, host }: Address) => id === answered?.id && host === answered.host
  const addresses = addressesIn([body, ...sources.flatMap(({ url, note }) => [url, note])])
  return addresses.map((address) => ({ ...address, answers: isAnswered(address) ? 1 : 0 }))
}

/** Returns the ids of the messages whose addresses are in a text or a source, visible or not (API.md 4.7). */
export const mentionedIds = (written: Written): bigint[] => mentionsIn(written).map(({ id }) => id)

/**
 * Adds a message with the next id of the sequence that all messages share.
 * @param written `mentionedIds` of it must be among the needs of the request
 * @param investigationId the investigation that it belongs to; null for a plain message
 */
export function addMessage(
  records: BatchRecords,
  written: Written & { author_label: string },
  directoryId: bigint,
  investigationId: bigint | null,
  { receivedAt, publishAt }: Times,
): NewRow<'messages'> {
  const { body } = written
  const mentions = mentionsIn(written).filter((address) => records.isMessage(address.id))
  const row = {
    id: records.sequences.next('message'),
    directory_id: directoryId,
    investigation_id: investigationId,
    body,
    body_hash: hash('sha256', body),
    body_bytes: utf8Bytes(body),
    author_label: written.author_label,
    received_at: receivedAt,
    publish_at: publishAt,
  }
  const rows = mentions.map(({ id, ...more }) => ({ message_id: row.id, target_id: id, ...more }))
  records.addMessage(row, rows)
  return row
}
