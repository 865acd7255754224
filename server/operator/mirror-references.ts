// Finds out what the records of a mirror refer to and no day of it has, such as the question of a day that was never
// archived, before a database is opened (API.md 10.17).
import { ArchiveError } from '../../archive/errors.ts'
import {
  type EntryLine,
  isEntry,
  type MessageLine,
  type ReviewLine,
  type WordsLine,
} from '../../archive/format/words.ts'
import { isPath, parentPath } from '../board/rules.ts'
import { isWithin } from '../database/records/action-log.ts'

/** What is not in a mirror, and what follows for the records that are. */
export interface Lost {
  /** Directories that are made again without their author labels. */
  directories: Set<string>
  /** Investigations without their questions. */
  investigations: Set<bigint>
  /** Contributions to these, which become hidden; ascending. */
  contributions: bigint[]
  /** Reviews of messages that are not there, which are left out. */
  reviews: Set<bigint>
}

/** The greatest ids. */
export interface LastIds {
  message: bigint
  investigation: bigint
  review: bigint
}

/** Takes the lines of all days, ascending. */
export class MirrorReferences {
  readonly lost: Lost = {
    directories: new Set(),
    investigations: new Set(),
    contributions: [],
    reviews: new Set(),
  }
  readonly last: LastIds = { message: 0n, investigation: 0n, review: 0n }
  readonly #directories = new Set<string>()
  readonly #investigations = new Set<bigint>()
  readonly #reviews = new Set<bigint>()
  readonly #superseded = new Set<bigint>()
  /** The ids of the messages, as ranges in the order of the days. */
  readonly #messages: [first: bigint, last: bigint][] = []

  /** @throws ArchiveError `invalid_records` for a record that the mirror has twice, or a path that is none */
  add(line: WordsLine): void {
    if (line.type === 'directory') this.#addDirectory(line.path)
    else if (line.type === 'review') this.#addReview(line)
    else if (line.type !== 'day') this.#addId(line.id)
    if (line.type === 'message') this.#addMessage(line)
  }

  #addDirectory(path: string): void {
    if (!isPath(path)) throw invalid(`directory ${JSON.stringify(path)}: is not a path`)
    if (this.#directories.has(path)) throw twice(`directory ${path}`)
    this.#directories.add(path)
    this.#demandDirectory(parentPath(path))
  }

  #addMessage(line: MessageLine): void {
    if (isEntry(line) && this.#isLost(line)) {
      this.lost.investigations.add(line.investigation_id)
      this.lost.contributions.push(line.id)
      return
    }
    if (!isPath(line.directory)) throw invalid(`message ${line.id}: its directory is not a path`)
    this.#demandDirectory(line.directory)
  }

  /** Whether the question of a contribution is not there. */
  #isLost({ kind, investigation_id: id }: EntryLine): boolean {
    this.last.investigation = greater(this.last.investigation, id)
    if (kind !== 'question') return !this.#investigations.has(id)
    if (this.#investigations.has(id)) throw twice(`investigation ${id}`)
    this.#investigations.add(id)
    return false
  }

  #addReview({ id, message_id, supersedes_id }: ReviewLine): void {
    if (this.#reviews.has(id)) throw twice(`review ${id}`)
    this.#reviews.add(id)
    this.last.review = greater(this.last.review, id)
    if (!isWithin(this.#messages, message_id)) this.lost.reviews.add(id)
    else if (supersedes_id !== null) this.#addSuperseded(supersedes_id)
  }

  #addSuperseded(id: bigint): void {
    if (this.#superseded.has(id)) throw invalid(`review ${id}: is superseded twice`)
    this.#superseded.add(id)
  }

  #addId(id: bigint): void {
    if (id <= this.last.message && isWithin(this.#messages, id)) throw twice(`message ${id}`)
    const last = this.#messages.at(-1)
    if (last && last[1] + 1n === id) last[1] = id
    else this.#messages.push([id, id])
    this.last.message = greater(this.last.message, id)
  }

  /** Notes a directory that no line has created, and those above it. */
  #demandDirectory(path: string | undefined): void {
    if (path === undefined || this.#directories.has(path) || this.lost.directories.has(path)) return
    this.#demandDirectory(parentPath(path))
    this.lost.directories.add(path)
  }
}

const greater = (a: bigint, b: bigint): bigint => (a > b ? a : b)

const invalid = (message: string) => new ArchiveError('invalid_records', message)
const twice = (what: string) => invalid(`${what}: is there twice`)
