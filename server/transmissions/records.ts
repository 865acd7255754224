// The records of sealed days (FORMAT.md 20): their leaves from the database, proofs of messages, a check.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ArchiveError } from '../../archive/errors.ts'
import { dayOf, dayStart, nextDay } from '../../archive/format/paths.ts'
import type { Records } from '../../archive/format/snapshot.ts'
import { DayLeaves, messageLeafData } from '../../archive/log/records.ts'
import {
  GrowingTree,
  HASH_BYTES,
  type Hash,
  inclusionProof,
  type KnownRoots,
} from '../../archive/log/tree.ts'
import type { ArchiveReader } from '../../archive/reader.ts'
import type { Queryable } from '../store/database.ts'
import { findRecorded, readRecorded } from '../store/recorded.ts'
import { Problem } from '../wire/problem.ts'
import type { MessageProof } from './api.ts'

/** Days that are kept, and the size of the leaves up to which one is kept [bytes]. */
const KEPT_DAYS = 8
const KEPT_BYTES = 2 * 1024 * 1024
/** Nodes of a tree that are hashed without a break: some milliseconds. */
const LEAVES_AT_ONCE = 2000

/** The leaves of a day, as the database has them now. */
export interface DayRecords {
  ids: bigint[]
  leaves: Hash[]
  records: Records
  known: KnownRoots
}

/** Lets requests be answered between its slices. @param signal ends it between two of them */
export async function readDayRecords(
  db: Queryable,
  day: string,
  signal?: AbortSignal,
): Promise<DayRecords> {
  const span = { from: dayStart(day), to: dayStart(nextDay(day)) }
  const unsorted = new DayLeaves()
  for await (const page of readRecorded(db, span)) {
    for (const message of page) unsorted.add(message)
    await nextTurn(undefined, { ...(signal && { signal }) })
  }
  const sorted = unsorted.sorted()
  const tree = new GrowingTree()
  for (const [index, { leaf }] of sorted.entries()) {
    tree.add(leaf)
    if (index % LEAVES_AT_ONCE === 0) await nextTurn(undefined, { ...(signal && { signal }) })
  }
  const ids = sorted.map(({ id }) => id)
  const records = {
    count: String(ids.length),
    first_message_id: ids[0]?.toString() ?? null,
    last_message_id: ids.at(-1)?.toString() ?? null,
    root: Buffer.from(tree.root()).toString('hex'),
  }
  return { ids, leaves: sorted.map(({ leaf }) => leaf), records, known: new Map() }
}

/** What of a day's records differs from its snapshot: `count`, `root`, …; nothing when they agree. */
export function differingRecords(sealed: Records, found: Records): string[] {
  return (Object.keys(sealed) as (keyof Records)[]).filter((name) => sealed[name] !== found[name])
}

/** Whether a day was sealed with its records, as far as the archive can be read now. */
export async function hasRecords(archive: ArchiveReader, day: string): Promise<boolean> {
  try {
    return (await archive.manifest(day))?.manifest.snapshot.records !== undefined
  } catch (error) {
    if (error instanceof ArchiveError) return false
    throw error
  }
}

export class MessageProofs {
  readonly #db: Queryable
  readonly #archive: ArchiveReader
  readonly #days = new Map<string, Promise<DayRecords>>()

  constructor(db: Queryable, archive: ArchiveReader) {
    this.#db = db
    this.#archive = archive
  }

  /** @throws Problem `message_not_found`, `proof_not_ready`, `proof_not_available`, `archive_unavailable` */
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
    const { ids, leaves, known } = await this.#recordsOf(day, records)
    const index = ids.indexOf(id)
    return {
      message_id: id,
      day,
      index,
      count: ids.length,
      leaf: messageLeafData(message),
      hashes: inclusionProof(leaves, index, known).map((hash) => Buffer.from(hash).toString('hex')),
      root: records.root,
      snapshot_sha256: manifest.snapshot_file.sha256,
    }
  }

  /** Computed once for several requests, and kept unless it is too large or not what was sealed. */
  async #recordsOf(day: string, sealed: Records): Promise<DayRecords> {
    const reading = this.#days.get(day) ?? readDayRecords(this.#db, day)
    this.#keep(day, reading)
    const found = await reading.catch((error) => {
      this.#days.delete(day)
      throw error
    })
    const isSealed = differingRecords(sealed, found.records).length === 0
    if (!isSealed || found.ids.length * HASH_BYTES > KEPT_BYTES) this.#days.delete(day)
    if (isSealed) return found
    throw new Problem(
      'archive_unavailable',
      `the database does not have the messages of ${day} as they were sealed`,
    )
  }

  #keep(day: string, reading: Promise<DayRecords>): void {
    this.#days.delete(day)
    this.#days.set(day, reading)
    if (this.#days.size > KEPT_DAYS) this.#days.delete(this.#days.keys().next().value as string)
  }
}
