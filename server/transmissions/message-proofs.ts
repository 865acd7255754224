// Proves that a message is among the records of its day (API.md 9.9). Caches the trees of days: they are slow to build.
import { BoundedMap } from '../../archive/base/bounded-map.ts'
import { Queue } from '../../archive/base/queue.ts'
import { dayOf } from '../../archive/format/calendar.ts'
import type { Records } from '../../archive/format/snapshot.ts'
import {
  differingRecords,
  messageLeaf,
  messageLeafData,
  type RecordedMessage,
} from '../../archive/log/records.ts'
import { equal, type Hash } from '../../archive/log/tree.ts'
import type { ArchiveReader } from '../../archive/reading/reader.ts'
import type { Queryable } from '../database/database.ts'
import { findRecorded } from '../database/records/recorded.ts'
import { noRecord, Problem } from '../wire/problem.ts'
import type { MessageProof } from './api.ts'
import { type DayRecords, readDayLeaves, readDayRecords } from './records.ts'

/** Size of the cache of trees [bytes]: the trees of a million messages. */
const CACHE_BYTES = 64 * 1024 * 1024
/** Days that may be queued for reading, which is done one at a time; requests for further days get 503. */
const MAX_PENDING = 16
const RETRY_S = '5'

export interface ProofOptions {
  cacheBytes?: number
  maxPending?: number
  readDay?: (day: string, sealed: Records) => Promise<DayRecords>
}

export class MessageProofs {
  readonly #db: Queryable
  readonly #archive: ArchiveReader
  readonly #options: Required<ProofOptions>
  readonly #cache: BoundedMap<string, DayRecords>
  readonly #pending = new Map<string, Promise<DayRecords>>()
  readonly #reads = new Queue()

  constructor(db: Queryable, archive: ArchiveReader, options: ProofOptions = {}) {
    this.#db = db
    this.#archive = archive
    // Days from before there were leaves are read from the database.
    const readDay = async (day: string, sealed: Records) =>
      (await readDayLeaves(archive, day, sealed)) ?? readDayRecords(db, day)
    this.#options = { cacheBytes: CACHE_BYTES, maxPending: MAX_PENDING, readDay, ...options }
    this.#cache = new BoundedMap(this.#options.cacheBytes, bytesOf)
  }

  /** The number of days that are being read or queued. */
  get pending(): number {
    return this.#pending.size
  }

  /** @throws Problem `message_not_found`, `proof_not_ready`, `proof_not_available`, `archive_unavailable`, `overloaded` */
  async proofOf(id: bigint): Promise<MessageProof> {
    const message = await findRecorded(this.#db, id)
    if (!message) throw noRecord('message', id)
    const day = dayOf(Date.parse(message.publishAt))
    const manifest = (await this.#archive.manifest(day))?.manifest
    if (!manifest) throw new Problem('proof_not_ready', `${day} is not sealed yet`)
    const { records } = manifest.snapshot
    if (!records)
      throw new Problem(
        'proof_not_available',
        `${day} was sealed without the records of its messages`,
      )
    const { index, hashes } = pathOf(message, day, await this.#recordsOf(day, records))
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

  /** @throws Problem `proof_not_available`, `archive_unavailable` if the database lacks sealed messages, or has others */
  async #recordsOf(day: string, sealed: Records): Promise<DayRecords> {
    const cached = this.#cache.get(day)
    const found = cached ?? (await (this.#pending.get(day) ?? this.#read(day, sealed)))
    if (!cached) this.#cache.set(day, found)
    if (differingRecords(sealed, found.records).length > 0)
      throw whyDifferent(day, sealed, found.records)
    return found
  }

  /** Reads one day at a time, so that proofs of many days cannot slow down the other requests. */
  #read(day: string, sealed: Records): Promise<DayRecords> {
    if (this.pending >= this.#options.maxPending)
      throw new Problem('overloaded', 'too many days are being read for proofs', {
        'retry-after': RETRY_S,
      })
    const reading = this.#reads
      .run(() => this.#options.readDay(day, sealed))
      .finally(() => this.#pending.delete(day))
    this.#pending.set(day, reading)
    return reading
  }
}

/** @throws Problem `archive_unavailable` unless the message is the one that was sealed */
function pathOf(
  message: RecordedMessage,
  day: string,
  { records, tree, ids }: DayRecords,
): { index: number; hashes: Hash[] } {
  const index = ids
    ? indexIn(ids, message.id)
    : Number(message.id - BigInt(records.first_message_id ?? 0))
  const isThere = index >= 0 && index < tree.size && equal(tree.leafAt(index), messageLeaf(message))
  if (!isThere) throw sealMismatch(day)
  return { index, hashes: tree.proofOf(index) }
}

function bytesOf({ tree, ids }: DayRecords): number {
  return tree.bytes + (ids?.byteLength ?? 0)
}

/** Finds an id among ascending ones. @returns the index of the last one that is not above it */
function indexIn(ids: BigInt64Array, id: bigint): number {
  let [low, high] = [0, ids.length]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((ids[middle] as bigint) <= id) low = middle
    else high = middle
  }
  return low
}

/** A database that was restored from an older copy lacks the messages that came after it. */
function whyDifferent(day: string, sealed: Records, found: Records): Problem {
  const lost = BigInt(sealed.count) - BigInt(found.count)
  if (lost <= 0n || !isWithin(found, sealed)) return sealMismatch(day)
  const them = lost === 1n ? '1 message of this day is' : `${lost} messages of this day are`
  return new Problem(
    'proof_not_available',
    `${them} lost, and without them nothing of ${day} can be proven`,
  )
}

/** Whether the ids of a day are in the range of those that were sealed. */
function isWithin(found: Records, sealed: Records): boolean {
  const range = ({ first_message_id: first, last_message_id: last }: Records) =>
    [BigInt(first ?? 0), BigInt(last ?? 0)] as const
  const [[first, last], [sealedFirst, sealedLast]] = [range(found), range(sealed)]
  return first >= sealedFirst && last <= sealedLast
}

function sealMismatch(day: string): Problem {
  return new Problem(
    'archive_unavailable',
    `the messages of ${day} in the database do not match its seal`,
  )
}
