// Turns the lines of a mirror's words into rows of the database (API.md 10.17). A batch of lines is written in one
// transaction.
import type { Insertable, Transaction } from 'kysely'
import { stringifyJson } from '../../archive/base/json.ts'
import {
  type EntryLine,
  isEntry,
  type MessageLine,
  type ReviewLine,
  type WordsLine,
} from '../../archive/format/words.ts'
import { leafOfLine } from '../../archive/log/words.ts'
import { type Authored, authoredOf } from '../board/authored.ts'
import { mentionsIn } from '../board/creations.ts'
import { HIDDEN_PATH, parentPath } from '../board/rules.ts'
import { compiledForValues, compiledInsert } from '../database/compiled.ts'
import type { Queryable } from '../database/database.ts'
import type { Schema } from '../database/schema/schema.ts'
import type { Lost } from './mirror-references.ts'

const SHOWN = { hidden: 0, visible: 1 } as const
const HIDDEN = { hidden: 1, visible: 0 } as const

const insert = {
  directories: compiledInsert('directories'),
  messages: compiledInsert('messages'),
  investigations: compiledInsert('investigations'),
  entries: compiledInsert('entries'),
  links: compiledInsert('links'),
  mentions: compiledInsert('mentions'),
  reviews: compiledInsert('reviews'),
  erasures: compiledInsert('erasures'),
}

type Table = keyof typeof insert

const existing = compiledForValues((db, ids: readonly bigint[]) =>
  db.selectFrom('messages').select('id').where('id', 'in', ids),
)

const ms = (instant: string): number => Date.parse(instant)

/** Collects the rows of lines, in the order of the file. */
export class MirrorRows {
  readonly #directories: Map<string, bigint>
  readonly #investigations: Map<bigint, bigint>
  readonly #reviews: Set<bigint>
  readonly #lost: Lost
  #lastDirectory: bigint
  #rows = this.#empty()
  #from = 0

  private constructor(
    directories: Map<string, bigint>,
    investigations: Map<bigint, bigint>,
    reviews: Set<bigint>,
    lost: Lost,
  ) {
    this.#lost = lost
    this.#directories = directories
    this.#investigations = investigations
    this.#reviews = reviews
    this.#lastDirectory = [...directories.values()].reduce((a, b) => (a > b ? a : b), 0n)
  }

  /** Begins after what earlier batches have written. @param lost what the mirror lacks */
  static async after(db: Queryable, lost: Lost): Promise<MirrorRows> {
    const directories = await db.selectFrom('directories').select(['id', 'path']).execute()
    const investigations = await db
      .selectFrom('investigations')
      .select(['id', 'directory_id'])
      .execute()
    const reviews = await db.selectFrom('reviews').select('id').execute()
    return new MirrorRows(
      new Map(directories.map(({ id, path }) => [path, id])),
      new Map(investigations.map((row) => [row.id, row.directory_id])),
      new Set(reviews.map(({ id }) => id)),
      lost,
    )
  }

  get lastDirectory(): bigint {
    return this.#lastDirectory
  }

  /**
   * Adds the rows of a line.
   * @param from the beginning of its day [ms since 1970], as the time of what the mirror does not know
   */
  add(line: WordsLine, from: number): void {
    this.#from = from
    if (line.type === 'directory') this.#addListed(line.path, line)
    else if (line.type === 'message') this.#addMessage(line)
    else if (line.type === 'hidden') this.#addHidden(line.id, line.leaf)
    else if (line.type === 'review' && !this.#lost.reviews.has(line.id)) this.#addReview(line)
  }

  #addListed(path: string, line: { author_label: string; created_at: string }): void {
    this.#makeLost(parentPath(path))
    // One that an earlier line needed was made without its label.
    if (!this.#directories.has(path)) this.#addDirectory(path, line, SHOWN)
  }

  /** Makes a directory that the mirror does not have, and those above it. */
  #makeLost(path: string | undefined): void {
    if (path === undefined || this.#directories.has(path)) return
    this.#makeLost(parentPath(path))
    this.#addDirectory(path, this.#nobody(), SHOWN)
  }

  /** Not before the first day of the board, or every day since would have to be archived. */
  #nobody() {
    return { author_label: '', created_at: new Date(this.#from).toISOString() }
  }

  #addDirectory(
    path: string,
    { author_label, created_at }: { author_label: string; created_at: string },
    state: typeof SHOWN | typeof HIDDEN,
  ): bigint {
    this.#lastDirectory += 1n
    const id = this.#lastDirectory
    const parent_id = this.#directories.get(parentPath(path) ?? '') ?? null
    this.#directories.set(path, id)
    this.#rows.directories.push({
      ...{ id, path, parent_id, author_label, created_at: ms(created_at) },
      ...state,
    })
    return id
  }

  #addMessage(line: MessageLine): void {
    const { id, directory, body, body_hash, salt } = line
    if (isEntry(line) && this.#isLost(line)) {
      this.#addHidden(id, Buffer.from(leafOfLine(line)).toString('hex'))
      return
    }
    this.#makeLost(directory)
    const directory_id = this.#directories.get(directory) as bigint
    const investigation_id = isEntry(line) ? line.investigation_id : null
    const times = { received_at: ms(line.received_at), publish_at: ms(line.publish_at) }
    this.#rows.messages.push({
      ...{ id, directory_id, investigation_id, body, body_hash, salt: salt ?? '', ...times },
      // Every field, so that lines which lack one do not compile.
      ...authoredOf(line satisfies Authored),
      body_bytes: Buffer.byteLength(body),
      ...SHOWN,
    })
    const sources = isEntry(line) ? line.sources : []
    for (const { id: target_id, host } of mentionsIn({ body, sources }))
      if (target_id < id) this.#rows.mentions.push({ message_id: id, target_id, host })
    if (isEntry(line)) this.#addEntry(line, directory_id, times.publish_at)
  }

  /** Without its question, an investigation is hidden, and with it what contributes to it. */
  #isLost({ kind, investigation_id }: EntryLine): boolean {
    return kind !== 'question' && !this.#investigations.has(investigation_id)
  }

  #addEntry(line: EntryLine, directory_id: bigint, created_at: number): void {
    const { id, investigation_id, kind, sources, links } = line
    if (line.kind === 'question') {
      const of = { id: investigation_id, root_message_id: id, directory_id }
      this.#rows.investigations.push({ ...of, title: line.title, created_at, ...SHOWN })
      this.#investigations.set(investigation_id, directory_id)
    }
    this.#rows.entries.push({
      ...{ message_id: id, investigation_id, kind, source_count: sources.length },
      sources: stringifyJson(sources),
      links: stringifyJson(links),
    })
    for (const { message_id: target_id, relation } of links)
      this.#rows.links.push({ message_id: id, target_id, relation })
  }

  /** Its place stays empty: a message that is hidden and erased. */
  #addHidden(id: bigint, leaf: string): void {
    const directory_id =
      this.#directories.get(HIDDEN_PATH) ?? this.#addDirectory(HIDDEN_PATH, this.#nobody(), HIDDEN)
    const times = { received_at: this.#from, publish_at: this.#from }
    this.#rows.messages.push({
      ...{ id, directory_id, investigation_id: null, body: '', body_hash: '', body_bytes: 0 },
      ...{ salt: '', ...authoredOf({}), ...times, ...HIDDEN },
    })
    this.#rows.erasures.push({ message_id: id, leaf })
  }

  #addReview({ id, message_id, outcome, reason, evidence_note, ...rest }: ReviewLine): void {
    const { created_at, supersedes_id } = rest
    this.#rows.reviews.push({
      ...{ id, message_id, outcome, evidence_note, created_at: ms(created_at) },
      reason: reason ?? '',
      supersedes_id:
        supersedes_id !== null && this.#reviews.has(supersedes_id) ? supersedes_id : null,
    })
    this.#reviews.add(id)
  }

  /** Writes the rows that were added since the last batch. */
  async write(tx: Transaction<Schema>): Promise<void> {
    const rows = this.#rows
    await insert.directories(tx, rows.directories)
    await insert.messages(tx, rows.messages)
    await insert.investigations(tx, rows.investigations)
    await insert.entries(tx, rows.entries)
    const known = await targetsOf(tx, [...rows.links, ...rows.mentions])
    const isKnown = ({ target_id: id }: { target_id: bigint }) => known.has(id)
    await insert.links(tx, rows.links.filter(isKnown))
    await insert.mentions(tx, rows.mentions.filter(isKnown))
    await insert.reviews(tx, rows.reviews)
    await insert.erasures(tx, rows.erasures)
  }

  /**
   * Holds the places of the last investigation and the last review of a day, if they are hidden, so that the day's words
   * state the same last ids as at the source.
   * @param from the beginning of the day [ms since 1970]
   */
  async holdPlaces(
    tx: Transaction<Schema>,
    from: number,
    { investigation, review }: { investigation: bigint; review: bigint },
  ): Promise<void> {
    const common = { created_at: from }
    if (investigation > 0n && !this.#investigations.has(investigation)) {
      const place = await hiddenMessage(tx, from)
      if (place)
        await insert.investigations(tx, [
          {
            id: investigation,
            root_message_id: place.id,
            title: '',
            ...common,
            ...HIDDEN,
            ...place.in,
          },
        ])
      this.#investigations.set(investigation, 0n)
    }
    if (review > 0n && !this.#reviews.has(review)) {
      const place = await hiddenMessage(tx)
      const nothing = {
        outcome: 'withdrawn',
        reason: '',
        evidence_note: '',
        supersedes_id: null,
      } as const
      if (place)
        await insert.reviews(tx, [{ id: review, message_id: place.id, ...nothing, ...common }])
      this.#reviews.add(review)
    }
  }

  /** Forgets the rows of the batch, once they are durable. */
  clear(): void {
    this.#rows = this.#empty()
  }

  #empty() {
    return {
      directories: [],
      messages: [],
      investigations: [],
      entries: [],
      links: [],
      mentions: [],
      reviews: [],
      erasures: [],
    } as { [Name in Table]: Insertable<Schema[Name]>[] }
  }
}

/** The last hidden message, of a day if one is named. */
async function hiddenMessage(tx: Transaction<Schema>, from?: number) {
  let query = tx
    .selectFrom('erasures')
    .innerJoin('messages', 'messages.id', 'erasures.message_id')
    .select(['messages.id', 'messages.directory_id'])
    .orderBy('messages.id', 'desc')
    .limit(1)
  if (from !== undefined) query = query.where('messages.publish_at', '=', BigInt(from))
  const row = await query.executeTakeFirst()
  return row && { id: row.id, in: { directory_id: row.directory_id } }
}

/** The targets that exist: a message of a day that was never archived is in no mirror. */
async function targetsOf(
  tx: Transaction<Schema>,
  references: readonly { target_id: bigint }[],
): Promise<Set<bigint>> {
  const rows = await existing(tx, [...new Set(references.map(({ target_id }) => target_id))])
  return new Set(rows.map(({ id }) => id))
}
