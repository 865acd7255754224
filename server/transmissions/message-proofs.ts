// Proofs that a message is among the records of its day (API.md 9.9). Trees of days are kept, so that a GET costs little.
import { dayOf, daySpan } from '../../archive/format/paths.ts'
import type { Records } from '../../archive/format/snapshot.ts'
import {
  differingRecords,
  messageLeaf,
  messageLeafData,
  type RecordedMessage,
} from '../../archive/log/records.ts'
import { equal, type Hash, inclusionProof, rootOf } from '../../archive/log/tree.ts'
import type { ArchiveReader } from '../../archive/reader.ts'
import { Bounded } from '../bounded.ts'
import type { Queryable } from '../store/database.ts'
import { findRecorded, readRecordedRange } from '../store/recorded.ts'
import { Problem } from '../wire/problem.ts'
import type { MessageProof } from './api.ts'
import { type DayRecords, readDayRecords } from './records.ts'

/** For the trees of days: eight large ones, or thousands of small ones. */
const KEPT_BYTES = 16 * 1024 * 1024
/** Days that wait to be read, one at a time; requests for others are sent away. */
const MAX_WAITING = 16
const RETRY_S = '5'

export interface ProofOptions {
  keptBytes?: number
  maxWaiting?: number
  readDay?: (db: Queryable, day: string) => Promise<DayRecords>
}

export class MessageProofs {
  readonly #db: Queryable
  readonly #archive: ArchiveReader
  readonly #options: Required<ProofOptions>
  readonly #kept: Bounded<string, DayRecords>
  readonly #pending = new Map<string, Promise<DayRecords>>()
  #lastRead: Promise<unknown> = Promise.resolve()

  constructor(db: Queryable, archive: ArchiveReader, options: ProofOptions = {}) {
    this.#db = db
    this.#archive = archive
    const defaults = { keptBytes: KEPT_BYTES, maxWaiting: MAX_WAITING, readDay: readDayRecords }
    this.#options = { ...defaults, ...options }
    this.#kept = new Bounded(this.#options.keptBytes, bytesOf)
  }

  /** The days that are being read, or wait for it. */
  get waiting(): number {
    return this.#pending.size
  }

  /** @throws Problem `message_not_found`, `proof_not_ready`, `proof_not_available`, `archive_unavailable`, `overloaded` */
  async proofOf(id: bigint): Promise<MessageProof> {
    const message = await findRecorded(this.#db, id)
    if (!message) throw new Problem('message_not_found', `there is no message ${id}`)
    const day = dayOf(Date.parse(message.publishAt))
    const manifest = (await this.#archive.manifest(day))?.manifest
    if (!manifest) throw new Problem('proof_not_ready', `${day} is not sealed yet`)
    const { records } = manifest.snapshot
    if (!records)
      throw new Problem(
        'proof_not_available',
        `${day} was sealed without the records of its messages`,
      )
    const { index, hashes } = await this.#pathOf(message, day, await this.#recordsOf(day, records))
    return {
      message_id: id,
      day,
      index,
      count: Number(records.count),
      leaf: messageLeafData(message),
      hashes: hashes.map((hash) => Buffer.from(hash).toString('hex')),
      root: records.root,
      snapshot_sha256: manifest.snapshot_file.sha256,
    }
  }

  /** Through its block, whose few messages are read again, and from there through the kept nodes. */
  async #pathOf(
    message: RecordedMessage,
    day: string,
    { tree, bounds }: DayRecords,
  ): Promise<{ index: number; hashes: Hash[] }> {
    const block = blockOf(message.id, bounds)
    const range = { first: bounds[block] as bigint, last: lastIdOf(block, bounds) }
    const messages =
      tree.blockSize === 1 ? [message] : await readRecordedRange(this.#db, range, daySpan(day))
    const leaves = messages.map(messageLeaf)
    const within = messages.findIndex(({ id }) => id === message.id)
    if (within < 0 || !equal(rootOf(leaves), tree.blockRoot(block))) throw notAsSealed(day)
    const hashes = [...inclusionProof(leaves, within), ...tree.proofOfBlock(block)]
    return { index: block * tree.blockSize + within, hashes }
  }

  /** @throws Problem `archive_unavailable` when the database has other messages than were sealed */
  async #recordsOf(day: string, sealed: Records): Promise<DayRecords> {
    const kept = this.#kept.get(day)
    const found = kept ?? (await (this.#pending.get(day) ?? this.#read(day)))
    if (differingRecords(sealed, found.records).length > 0) throw notAsSealed(day)
    // At each use, so that the day that was asked for last is evicted last.
    this.#kept.set(day, found)
    return found
  }

  /** One day after another, so that many requests for many days do not take the server from the others. */
  #read(day: string): Promise<DayRecords> {
    if (this.waiting >= this.#options.maxWaiting)
      throw new Problem('overloaded', 'too many days are being read for proofs', {
        'retry-after': RETRY_S,
      })
    const reading = this.#lastRead
      .then(() => this.#options.readDay(this.#db, day))
      .finally(() => this.#pending.delete(day))
    this.#lastRead = reading.catch(() => {})
    this.#pending.set(day, reading)
    return reading
  }
}

function bytesOf({ tree, bounds }: DayRecords): number {
  return tree.bytes + bounds.byteLength
}

/** The last block that begins with this id or a smaller one. */
function blockOf(id: bigint, bounds: BigInt64Array): number {
  let [low, high] = [0, bounds.length - 1]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((bounds[middle] as bigint) <= id) low = middle
    else high = middle
  }
  return low
}

/** The last id that can be in a block. */
function lastIdOf(block: number, bounds: BigInt64Array): bigint {
  const next = bounds[block + 1] as bigint
  return block + 2 === bounds.length ? next : next - 1n
}

function notAsSealed(day: string): Problem {
  return new Problem(
    'archive_unavailable',
    `the database does not have the messages of ${day} as they were sealed`,
  )
}
