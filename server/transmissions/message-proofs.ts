// Proves that a message is among the records of its day (API.md 9.9). Caches the trees of days: they are slow to build.
import { BoundedMap } from '../../archive/base/bounded-map.ts'
import { Queue } from '../../archive/base/queue.ts'
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
import type { Queryable } from '../database/database.ts'
import { findRecorded, readRecordedRange } from '../database/records/recorded.ts'
import type { Clock } from '../system.ts'
import { Problem } from '../wire/problem.ts'
import type { MessageProof } from './api.ts'
import { type DayRecords, readDayRecords } from './records.ts'

/** Size of the cache of trees [bytes]: eight large days, or thousands of small ones. */
const CACHE_BYTES = 16 * 1024 * 1024
/** Days that may be queued for reading, which is done one at a time; requests for further days get 503. */
const MAX_PENDING = 16
const RETRY_S = '5'
/** How long a day that does not match its seal is not read again [ms]. The database may be restored meanwhile. */
const MISMATCH_TTL_MS = 60_000

export interface ProofOptions {
  cacheBytes?: number
  maxPending?: number
  readDay?: (db: Queryable, day: string) => Promise<DayRecords>
}

export class MessageProofs {
  readonly #db: Queryable
  readonly #archive: ArchiveReader
  readonly #clock: Clock
  readonly #options: Required<ProofOptions>
  readonly #cache: BoundedMap<string, DayRecords>
  /** The days that did not match their seals, and when each may be read again [monotonic ms]. */
  readonly #mismatches = new Map<string, { problem: Problem; until: number }>()
  readonly #pending = new Map<string, Promise<DayRecords>>()
  readonly #reads = new Queue()

  constructor(db: Queryable, archive: ArchiveReader, clock: Clock, options: ProofOptions = {}) {
    this.#db = db
    this.#archive = archive
    this.#clock = clock
    const defaults = { cacheBytes: CACHE_BYTES, maxPending: MAX_PENDING, readDay: readDayRecords }
    this.#options = { ...defaults, ...options }
    this.#cache = new BoundedMap(this.#options.cacheBytes, bytesOf)
  }

  /** The number of days that are being read or queued. */
  get pending(): number {
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

  /** Builds the path within the message's block from its messages, read again, and appends the cached path above it. */
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
    if (within < 0 || !equal(rootOf(leaves), tree.blockRoot(block))) throw sealMismatch(day)
    const hashes = [...inclusionProof(leaves, within), ...tree.proofOfBlock(block)]
    return { index: block * tree.blockSize + within, hashes }
  }

  /** @throws Problem `proof_not_available`, `archive_unavailable` if the database lacks sealed messages, or has others */
  async #recordsOf(day: string, sealed: Records): Promise<DayRecords> {
    const known = this.#mismatches.get(day)
    if (known && this.#clock.monotonic() < known.until) throw known.problem
    const cached = this.#cache.get(day)
    const found = cached ?? (await (this.#pending.get(day) ?? this.#read(day)))
    if (differingRecords(sealed, found.records).length > 0) {
      const problem = whyDifferent(day, sealed, found.records)
      const until = this.#clock.monotonic() + MISMATCH_TTL_MS
      this.#mismatches.set(day, { problem, until })
      throw problem
    }
    this.#mismatches.delete(day)
    if (!cached) this.#cache.set(day, found)
    return found
  }

  /** Reads one day at a time, so that proofs of many days cannot slow down the other requests. */
  #read(day: string): Promise<DayRecords> {
    if (this.pending >= this.#options.maxPending)
      throw new Problem('overloaded', 'too many days are being read for proofs', {
        'retry-after': RETRY_S,
      })
    const reading = this.#reads
      .run(() => this.#options.readDay(this.#db, day))
      .finally(() => this.#pending.delete(day))
    this.#pending.set(day, reading)
    return reading
  }
}

function bytesOf({ tree, bounds }: DayRecords): number {
  return tree.bytes + bounds.byteLength
}

/** Finds the last block whose first id is not above this id. */
function blockOf(id: bigint, bounds: BigInt64Array): number {
  let [low, high] = [0, bounds.length - 1]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((bounds[middle] as bigint) <= id) low = middle
    else high = middle
  }
  return low
}

/** The largest id that a block can contain. */
function lastIdOf(block: number, bounds: BigInt64Array): bigint {
  const next = bounds[block + 1] as bigint
  return block + 2 === bounds.length ? next : next - 1n
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
