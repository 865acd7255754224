// The lines of `<day>.records.ndjson` and of `moderation.ndjson` (FORMAT.md 26). Pure.
import * as z from 'zod'
import { ArchiveError, naming } from '../base/errors.ts'
import { parseCompactJson } from '../base/json.ts'
import { fileFormat } from './canonical.ts'
import { daySchema, instantSchema, isSalt, MAX_ID, sha256Schema, text } from './scalars.ts'

export const CONTRIBUTION_KINDS = [
  'observation',
  'attempt',
  'correction',
  'result',
  'reuse',
] as const
export const RELATIONS = ['extends', 'supports', 'corrects', 'reuses'] as const
export const OUTCOMES = ['substantiated', 'unsupported', 'withdrawn'] as const

const ID_RULE = 'must be an integer from 1 to 2^63 - 1'
const id = z.bigint(ID_RULE).min(1n, ID_RULE).max(MAX_ID, ID_RULE)
const lastId = z.bigint(ID_RULE).min(0n, ID_RULE).max(MAX_ID, ID_RULE)
const string = z.string('must be a string')
const salt = text('must be 32 lowercase hex digits', isSalt)

const day = z.object({
  type: z.literal('day'),
  day: daySchema,
  /** The `records` of `<day>.json`. */
  records: z.object({
    count: string,
    first_message_id: string.nullable(),
    last_message_id: string.nullable(),
    root: sha256Schema,
  }),
  /** The last id of each sequence by the end of the day. */
  sequences: z.object({ message: lastId, investigation: lastId, review: lastId, action: lastId }),
})

const directory = z.object({
  type: z.literal('directory'),
  path: string,
  author_label: string,
  created_at: instantSchema,
})

const written = {
  type: z.literal('message'),
  id,
  directory: string,
  body: string,
  body_hash: sha256Schema,
  author_label: string,
  received_at: instantSchema,
  publish_at: instantSchema,
  salt,
}

const entry = {
  investigation_id: id,
  sources: z.array(z.object({ url: string, note: string })),
  links: z.array(
    z.object({
      message_id: id,
      relation: z.enum(RELATIONS),
    }),
  ),
}

const plain = z.object({ ...written, kind: z.undefined().optional() })
const question = z.object({ ...written, ...entry, kind: z.literal('question'), title: string })
const contribution = z.object({ ...written, ...entry, kind: z.enum(CONTRIBUTION_KINDS) })
const message = z.union([plain, question, contribution])

const hidden = z.object({ type: z.literal('hidden'), id, leaf: sha256Schema })

const review = z.object({
  type: z.literal('review'),
  id,
  message_id: id,
  outcome: z.enum(OUTCOMES),
  reason: string.nullable(),
  evidence_note: string,
  created_at: instantSchema,
  supersedes_id: id.nullable(),
})

export type DayLine = z.output<typeof day>
export type DirectoryLine = z.output<typeof directory>
export type MessageLine = z.output<typeof message>
export type EntryLine = Exclude<MessageLine, z.output<typeof plain>>
export type HiddenLine = z.output<typeof hidden>
export type ReviewLine = z.output<typeof review>
export type RecordLine = DayLine | DirectoryLine | MessageLine | HiddenLine | ReviewLine

const checkOf = <T>(schema: z.ZodType<T>, name: string) =>
  fileFormat(schema, name, 'invalid_records').check

const CHECKS: Readonly<Record<string, (value: unknown) => RecordLine>> = {
  day: checkOf(day, 'day'),
  directory: checkOf(directory, 'directory'),
  message: checkOf(message, 'message'),
  hidden: checkOf(hidden, 'hidden'),
  review: checkOf(review, 'review'),
}

/** Whether a message is a question or a contribution. */
export const isEntry = (line: MessageLine): line is EntryLine => line.kind !== undefined

/** Parses a line of `<day>.records.ndjson`. Unknown properties are ignored. @throws ArchiveError `invalid_records` */
export function parseRecordLine(line: string): RecordLine {
  const value = parsed(line)
  const type = (value as { type?: unknown } | null)?.type
  const check = CHECKS[typeof type === 'string' ? type : '']
  if (!check)
    throw new ArchiveError('invalid_records', `type: must be ${Object.keys(CHECKS).join(', ')}`)
  return check(value)
}

const IdRange = z.tuple([id, id])

const action = z.object({
  id,
  action: string,
  target_kind: string,
  target: z.union([id, string]).nullable(),
  ranges: z.array(IdRange).nullable(),
  reason: string.nullable(),
  created_at: instantSchema,
})

/** A line of the record of moderation. */
export type ActionLine = z.output<typeof action>

/** Parses `moderation.ndjson`. @throws ArchiveError `invalid_records` that names the line */
export function parseActions(text: string): ActionLine[] {
  const lines = text.split('\n')
  if (lines.pop() !== '') throw new ArchiveError('invalid_records', 'the last line is cut')
  let last = 0n
  const next = (line: string) => {
    const action = asAction(parsed(line))
    if (action.id <= last)
      throw new ArchiveError('invalid_records', `id: does not come after ${last}`)
    last = action.id
    return action
  }
  return lines.map((line, i) => naming(`line ${i + 1}`, () => next(line), 'invalid_records'))
}

/** Validates an action as a service lists it. @throws ArchiveError `invalid_records` */
export const asAction = checkOf(action, 'action')

function parsed(line: string): unknown {
  try {
    return parseCompactJson(line)
  } catch (error) {
    throw new ArchiveError('invalid_records', `is not compact JSON: ${(error as Error).message}`)
  }
}

const LINE_FEED = 10
const MAX_LINE_BYTES = 256 * 1024

/**
 * Yields the lines of a UTF-8 text, without their line feeds, which each of them must have.
 * @throws ArchiveError `invalid_records` if a line is too long, is not UTF-8, or is the last one and has no line feed
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let rest = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const { buffer, byteOffset, byteLength } = chunk
    const view = Buffer.from(buffer, byteOffset, byteLength)
    const bytes = rest.length === 0 ? view : Buffer.concat([rest, view])
    let from = 0
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, from)) {
      if (at - from > MAX_LINE_BYTES) throw tooLong()
      yield decoded(decoder, bytes.subarray(from, at))
      from = at + 1
    }
    // Copied, since a stream may use its buffer again.
    rest = Buffer.from(bytes.subarray(from))
    if (rest.length > MAX_LINE_BYTES) throw tooLong()
  }
  if (rest.length > 0) throw invalidLine('does not end with a line feed')
}

function decoded(decoder: TextDecoder, line: Uint8Array): string {
  try {
    return decoder.decode(line)
  } catch {
    throw invalidLine('is not UTF-8')
  }
}

const tooLong = () => invalidLine(`is longer than ${MAX_LINE_BYTES} bytes`)
const invalidLine = (rule: string) => new ArchiveError('invalid_records', `a line ${rule}`)
