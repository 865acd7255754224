// Writes the records of a sealed day as lines of JSON: what readers can see of them now (FORMAT.md 26, API.md 9.18).
// The lines follow from the day, which never changes, and from what is hidden: the ETag identifies them by these, so that
// it is known before any text is read.
import { stringifyJson } from '../../archive/base/json.ts'
import { daySpan } from '../../archive/format/calendar.ts'
import type { SealedRecords } from '../../archive/format/snapshot.ts'
import { messageLeaf } from '../../archive/log/sealed-records.ts'
import { readRecordedRange } from '../data/recorded.ts'
import type { Database, Queryable } from '../database/database.ts'
import { lastModeration } from '../database/records/sequences.ts'
import { etagOf } from '../http/answer.ts'
import type { LongText } from '../http/streamed.ts'
import { asReview } from '../reviews/queries.ts'
import { instant } from '../wire/instant.ts'
import { groupsOf } from '../wire/page.ts'
import {
  type DaySpan,
  directoriesOf,
  hiddenOf,
  lastIds,
  type MessageRange,
  type MessageSize,
  messageSizes,
  messagesIn,
  reviewsOf,
} from './queries.ts'

/** Raised when the form of a line changes, so that followers do not keep the old form. */
const FORM = 1
/** Texts that one query reads [bytes]; it reads at least one message. */
const GROUP_BYTES = 32 * 1024

/** A sealed day whose records are requested. */
export interface SealedDay {
  day: string
  /** SHA-256 of `<day>.json`. */
  sha256: string
  records: SealedRecords
  /** The latest archived day before it; null if there is none. Its file has the directories up to its end. */
  previous: string | null
}

/** Returns the lines, and their strong ETag, quoted. */
export async function recordsFileOf(
  database: Database,
  sealed: SealedDay,
): Promise<{ text: LongText; etag: string }> {
  const facts = await factsOf(database, sealed)
  const chunks = () => linesOf(database, sealed, facts)
  return { text: { length: null, chunks }, etag: facts.etag }
}

const spanOf = ({ day, previous }: SealedDay): DaySpan => {
  const { from, to } = daySpan(day)
  const since = previous === null ? 0 : daySpan(previous).to
  return { from: BigInt(from), to: BigInt(to), since: BigInt(since) }
}

/** Reads everything that decides the lines, apart from what never changes: the ETag, the first line, the last operator action. */
const factsOf = (database: Database, sealed: SealedDay) =>
  database.read(async (tx) => {
    const span = spanOf(sealed)
    const { day, sha256, records } = sealed
    const sequences = await lastIds(tx, span.to)
    const head = line({ type: 'day', day, records, sequences })
    const facts = [
      FORM,
      sha256,
      head,
      ...(await directoriesOf(tx, span)).map(({ path }) => `directory ${path}`),
      ...(await hiddenOf(tx, span)).map((id) => `hidden ${id}`),
      ...(await reviewsOf(tx, span)).map(({ id, reason }) => `review ${id} ${reason}`),
    ]
    return { etag: etagOf(facts.join('\n')), head, action: await lastModeration(tx) }
  })

const line = (record: object): string => `${stringifyJson(record)}\n`

/**
 * Yields the lines, some at a time.
 * @throws Error if an operator action changes what has been promised
 */
async function* linesOf(
  database: Database,
  sealed: SealedDay,
  facts: Awaited<ReturnType<typeof factsOf>>,
): AsyncGenerator<string> {
  let { action } = facts
  for await (const lines of unguardedLinesOf(database.db, sealed, facts.head)) {
    // The lines were read before this id, so that they show no action after it.
    const latest = await lastModeration(database.db)
    if (latest !== action && (await factsOf(database, sealed)).etag !== facts.etag)
      throw new Error('an operator action changed the records of a day while they were being sent')
    action = latest
    yield lines
  }
}

async function* unguardedLinesOf(
  db: Queryable,
  sealed: SealedDay,
  head: string,
): AsyncGenerator<string> {
  const span = spanOf(sealed)
  const directories = (await directoriesOf(db, span)).map(({ path, author_label, created_at }) =>
    line({ type: 'directory', path, author_label, created_at: instant(created_at) }),
  )
  yield head + directories.join('')
  const range = rangeOf(sealed.records)
  if (range)
    for (let after = range.first - 1n; ; ) {
      const sizes = await messageSizes(db, { after, last: range.last })
      const last = sizes.at(-1)
      if (!last) break
      after = last.id
      const ofDay = sizes.filter(({ publish_at: at }) => at >= span.from && at < span.to)
      for (const group of groupsOf(ofDay, ({ body_bytes }) => Number(body_bytes), GROUP_BYTES))
        yield await messageLines(db, group, span)
    }
  for (const review of await reviewsOf(db, span))
    yield line({ type: 'review', ...asReview(review) })
}

/** The ids that a day has sealed, so that they need not be looked for. */
const rangeOf = ({
  first_message_id: first,
  last_message_id: last,
}: SealedRecords): MessageRange | null =>
  first === null || last === null ? null : { first: BigInt(first), last: BigInt(last) }

async function messageLines(db: Queryable, group: readonly MessageSize[], { from, to }: DaySpan) {
  const range = { first: group[0]?.id ?? 0n, last: group.at(-1)?.id ?? 0n }
  const rows = await messagesIn(db, range)
  const shown = new Map(rows.map((row) => [row.id, row]))
  const hidden = new Map<bigint, string>()
  if (group.some(({ id }) => !shown.has(id))) {
    const stored = await readRecordedRange(db, range, { from: Number(from), to: Number(to) })
    for (const message of stored)
      hidden.set(message.id, Buffer.from(messageLeaf(message)).toString('hex'))
  }
  return group
    .map(({ id }) => {
      const row = shown.get(id)
      return row ? messageLine(row) : line({ type: 'hidden', id, leaf: hidden.get(id) })
    })
    .join('')
}

/** Joins the stored JSON of sources and links as it is, which is several times as fast as parsing it. */
function messageLine(row: Awaited<ReturnType<typeof messagesIn>>[number]): string {
  const { id, directory, body, body_hash, author_label } = row
  const times = { received_at: instant(row.received_at), publish_at: instant(row.publish_at) }
  const message = { type: 'message', id, directory, body, body_hash, author_label, ...times }
  const head = stringifyJson(message).slice(0, -1)
  const salt = `"salt":${JSON.stringify(row.salt)}}\n`
  if (row.kind === null) return `${head},${salt}`
  const { investigation_id, kind, title, sources, links } = row
  const question = kind === 'question' ? { title, format_version: 1 } : {}
  const entry = stringifyJson({ investigation_id, kind, ...question }).slice(1, -1)
  return `${head},${entry},"sources":${sources},"links":${links},${salt}`
}
