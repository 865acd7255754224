// Turns the lines of a mirror's records into rows of the database, and notes what they refer to and no day has, such as the
// question of a day that was never archived (COMMANDS.md 6.9). Pure.
import type { Insertable } from 'kysely'
import { ArchiveError } from '../../../archive/base/errors.ts'
import { stringifyJson } from '../../../archive/base/json.ts'
import { daySpan, type Interval } from '../../../archive/format/calendar.ts'
import {
  type ActionLine,
  type DayLine,
  type DirectoryLine,
  type EntryLine,
  isEntry,
  type MessageLine,
  type RecordLine,
  type ReviewLine,
} from '../../../archive/format/record-lines.ts'
import { leafOfLine } from '../../../archive/log/records-check.ts'
import { mentionsIn } from '../../board/creations.ts'
import { HIDDEN_PATH, isPath, parentPath } from '../../board/rules.ts'
import { isWithin, writeRanges } from '../../database/records/action-log.ts'
import type {
  ACTION_TARGETS,
  ACTS,
  Schema,
  SequenceName,
  TableName,
} from '../../database/schema/schema.ts'
import type { Row } from '../../database/transfer.ts'

interface TableRow {
  table: TableName
  row: Row
}

const SHOWN = { hidden: 0, visible: 1 } as const
const HIDDEN = { hidden: 1, visible: 0 } as const

/** What a message has that is hidden and erased. */
const EMPTY_MESSAGE = {
  author_label: '',
  investigation_id: null,
  body: '',
  body_hash: '',
  body_bytes: 0,
  salt: '',
  ...HIDDEN,
}
/** What a review has that only holds a place. */
const EMPTY_REVIEW = {
  outcome: 'withdrawn',
  reason: '',
  evidence_note: '',
  supersedes_id: null,
} as const

const rowOf = <Table extends TableName>(
  table: Table,
  row: Required<Insertable<Schema[Table]>>,
): TableRow => ({ table, row: row as Row })

const ms = (instant: string): number => Date.parse(instant)

/** The day whose lines are read; `from` is the time of what the mirror does not know. */
interface Day extends Interval {
  /** The last ids by its end. */
  sequences: DayLine['sequences']
  /** Its last hidden message. */
  hidden: bigint | undefined
}

/** Takes the lines of all days, ascending. */
export class RecordsToRows {
  /** What is not in a mirror, and what follows for the records that are. */
  readonly lost = {
    /** Directories that are made again without their author labels. */
    directories: new Set<string>(),
    /** Investigations without their questions. */
    investigations: new Set<bigint>(),
    /** Contributions to these, which become hidden; ascending. */
    contributions: [] as bigint[],
    /** Reviews of messages that are not there, which are left out. */
    reviews: new Set<bigint>(),
  }
  /** The number of lines. */
  lines = 0
  readonly #days: Day[] = []
  /** The ids of the directories that exist so far. */
  readonly #directories = new Map<string, bigint>()
  /** The directories that have a line. */
  readonly #listed = new Set<string>()
  readonly #investigations = new Set<bigint>()
  readonly #reviews = new Set<bigint>()
  readonly #superseded = new Set<bigint>()
  /** The ids of the messages, as ranges in the order of the days. */
  readonly #messages: [first: bigint, last: bigint][] = []
  /** The greatest ids. Nothing proves the last ids of the days, which may be less. */
  readonly #greatest = { message: 0n, investigation: 0n, review: 0n }

  /** The last ids by the end of the newest day. */
  get sequences(): DayLine['sequences'] {
    return this.#day.sequences
  }

  get #day(): Day {
    return this.#days.at(-1) as Day
  }

  /**
   * Yields the rows of a line. The first line of each day is that of the day.
   * @throws ArchiveError `invalid_records` for a record that the mirror has twice, or a path that is none
   */
  *add(line: RecordLine): Generator<TableRow> {
    this.lines += 1
    if (line.type === 'day')
      this.#days.push({ ...daySpan(line.day), sequences: line.sequences, hidden: undefined })
    else if (line.type === 'directory') yield* this.#addDirectory(line)
    else if (line.type === 'message') yield* this.#addMessage(line)
    else if (line.type === 'review') yield* this.#addReview(line)
    else {
      this.#addId(line.id)
      yield* this.#addHidden(line.id, line.leaf)
    }
  }

  /** Yields the rows that follow those of all lines: the places of what is hidden, the actions, and the last ids. */
  *end(actions: readonly ActionLine[]): Generator<TableRow> {
    for (const day of this.#days) yield* this.#holdPlaces(day)
    for (const action of actions) yield rowOf('moderation_log', actionRow(action))
    const { sequences } = this
    const last: Partial<Record<SequenceName, bigint>> = {
      directory: BigInt(this.#directories.size),
      message: greater(sequences.message, this.#greatest.message),
      investigation: greater(sequences.investigation, this.#greatest.investigation),
      review: greater(sequences.review, this.#greatest.review),
      moderation: greater(sequences.action, actions.at(-1)?.id ?? 0n),
      // New records are dated after the newest day.
      publish_at: BigInt(this.#day.to),
    }
    for (const [name, id] of Object.entries(last))
      yield rowOf('sequences', { name: name as SequenceName, last: id })
  }

  *#addDirectory({ path, author_label, created_at }: DirectoryLine): Generator<TableRow> {
    if (!isPath(path)) throw invalidRecords(`directory ${JSON.stringify(path)}: is not a path`)
    if (this.#listed.has(path)) throw twice(`directory ${path}`)
    this.#listed.add(path)
    const parent = parentPath(path)
    if (parent !== undefined) yield* this.#directoryOf(parent)
    // One that an earlier line needed was made without its label.
    if (!this.#directories.has(path))
      yield* this.#makeDirectory(path, { author_label, created_at: ms(created_at), ...SHOWN })
  }

  /** Returns the id of a directory. One that the mirror does not have is made, and those above it. */
  *#directoryOf(path: string): Generator<TableRow, bigint> {
    const known = this.#directories.get(path)
    if (known !== undefined) return known
    const parent = parentPath(path)
    if (parent !== undefined) yield* this.#directoryOf(parent)
    this.lost.directories.add(path)
    return yield* this.#makeDirectory(path, { ...this.#unknown, ...SHOWN })
  }

  /** What a directory has that the mirror does not know. Not dated before the first day, or all days since would be due. */
  get #unknown() {
    return { author_label: '', created_at: this.#day.from }
  }

  *#makeDirectory(
    path: string,
    row: Omit<Required<Insertable<Schema['directories']>>, 'id' | 'path' | 'parent_id'>,
  ): Generator<TableRow, bigint> {
    const id = BigInt(this.#directories.size + 1)
    const parent_id = this.#directories.get(parentPath(path) ?? '') ?? null
    this.#directories.set(path, id)
    yield rowOf('directories', { id, path, parent_id, ...row })
    return id
  }

  /** @throws ArchiveError `invalid_records` for a message that the mirror has twice */
  #addId(id: bigint): void {
    if (id <= this.#greatest.message && this.#isMessage(id)) throw twice(`message ${id}`)
    const last = this.#messages.at(-1)
    if (last && last[1] + 1n === id) last[1] = id
    else this.#messages.push([id, id])
    this.#greatest.message = greater(this.#greatest.message, id)
  }

  #isMessage(id: bigint): boolean {
    return isWithin(this.#messages, id)
  }

  *#addMessage(line: MessageLine): Generator<TableRow> {
    const { id, directory, body, body_hash, salt } = line
    const entry = isEntry(line) ? line : null
    const investigation_id = entry?.investigation_id ?? null
    this.#addId(id)
    this.#greatest.investigation = greater(this.#greatest.investigation, investigation_id ?? 0n)
    if (entry && this.#isLost(entry)) {
      this.lost.investigations.add(entry.investigation_id)
      this.lost.contributions.push(id)
      yield* this.#addHidden(id, Buffer.from(leafOfLine(line)).toString('hex'))
      return
    }
    if (!isPath(directory)) throw invalidRecords(`message ${id}: its directory is not a path`)
    const directory_id = yield* this.#directoryOf(directory)
    const publish_at = ms(line.publish_at)
    yield rowOf('messages', {
      id,
      directory_id,
      investigation_id,
      body,
      body_hash,
      salt,
      author_label: line.author_label,
      body_bytes: Buffer.byteLength(body),
      received_at: ms(line.received_at),
      publish_at,
      ...SHOWN,
    })
    if (entry) yield* this.#addEntry(entry, directory_id, publish_at)
    const sources = entry?.sources ?? []
    for (const { id: target_id, host, answers } of mentionsIn({ body, sources }))
      if (target_id < id && this.#isMessage(target_id))
        yield rowOf('mentions', { message_id: id, target_id, host, answers })
  }

  /** Without its question, an investigation is hidden, and with it what contributes to it. */
  #isLost({ kind, investigation_id: id }: EntryLine): boolean {
    return kind !== 'question' && !this.#investigations.has(id)
  }

  *#addEntry(line: EntryLine, directory_id: bigint, created_at: number): Generator<TableRow> {
    const { id, investigation_id, kind, sources, links } = line
    if (line.kind === 'question') {
      if (this.#investigations.has(investigation_id))
        throw twice(`investigation ${investigation_id}`)
      this.#investigations.add(investigation_id)
      yield rowOf('investigations', {
        id: investigation_id,
        root_message_id: id,
        directory_id,
        title: line.title,
        created_at,
        ...SHOWN,
      })
    }
    yield rowOf('entries', {
      message_id: id,
      investigation_id,
      kind,
      source_count: sources.length,
      sources: stringifyJson(sources),
      links: stringifyJson(links),
    })
    for (const { message_id: target_id, relation } of links)
      if (this.#isMessage(target_id)) yield rowOf('links', { message_id: id, target_id, relation })
  }

  /** Its place stays empty: a message that is hidden and erased. @param leaf in hex */
  *#addHidden(id: bigint, leaf: string): Generator<TableRow> {
    const directory_id =
      this.#directories.get(HIDDEN_PATH) ??
      (yield* this.#makeDirectory(HIDDEN_PATH, { ...this.#unknown, ...HIDDEN }))
    const { from } = this.#day
    const row = { id, directory_id, received_at: from, publish_at: from, ...EMPTY_MESSAGE }
    yield rowOf('messages', row)
    yield rowOf('erasures', { message_id: id, leaf })
    this.#day.hidden = id
  }

  *#addReview(line: ReviewLine): Generator<TableRow> {
    const { id, message_id, outcome, reason, evidence_note, created_at, supersedes_id } = line
    if (this.#reviews.has(id) || this.lost.reviews.has(id)) throw twice(`review ${id}`)
    this.#greatest.review = greater(this.#greatest.review, id)
    if (!this.#isMessage(message_id)) {
      this.lost.reviews.add(id)
      return
    }
    if (supersedes_id !== null) {
      if (this.#superseded.has(supersedes_id))
        throw invalidRecords(`review ${supersedes_id}: is superseded twice`)
      this.#superseded.add(supersedes_id)
    }
    const isKnown = supersedes_id !== null && this.#reviews.has(supersedes_id)
    yield rowOf('reviews', {
      id,
      message_id,
      outcome,
      reason: reason ?? '',
      evidence_note,
      created_at: ms(created_at),
      supersedes_id: isKnown ? supersedes_id : null,
    })
    this.#reviews.add(id)
  }

  /**
   * Holds the places of the last investigation and the last review of a day, if they are hidden, so that the day's records
   * state the same last ids as at the source.
   */
  *#holdPlaces({ from: created_at, sequences, hidden }: Day): Generator<TableRow> {
    const { investigation, review } = sequences
    if (investigation > 0n && !this.#investigations.has(investigation)) {
      if (hidden !== undefined)
        yield rowOf('investigations', {
          id: investigation,
          root_message_id: hidden,
          title: '',
          created_at,
          directory_id: this.#directories.get(HIDDEN_PATH) as bigint,
          ...HIDDEN,
        })
      this.#investigations.add(investigation)
    }
    if (review > 0n && !this.#reviews.has(review)) {
      const message_id = this.#days.findLast((day) => day.hidden !== undefined)?.hidden
      if (message_id !== undefined)
        yield rowOf('reviews', { id: review, message_id, created_at, ...EMPTY_REVIEW })
      this.#reviews.add(review)
    }
  }
}

const actionRow = (line: ActionLine) => ({
  id: line.id,
  at: ms(line.created_at),
  act: line.action as (typeof ACTS)[number],
  target_kind: line.target_kind as (typeof ACTION_TARGETS)[number],
  target: line.target === null ? '' : String(line.target),
  reason: line.reason ?? '',
  ranges: writeRanges(line.ranges ?? []),
})

const greater = (a: bigint, b: bigint): bigint => (a > b ? a : b)

const invalidRecords = (message: string) => new ArchiveError('invalid_records', message)
const twice = (what: string) => invalidRecords(`${what}: is there twice`)
