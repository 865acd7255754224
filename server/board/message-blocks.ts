// Neighbouring messages as bytes of JSON in memory: a full page of all messages is a few slices of them, without a query.
//
// A block contains the visible messages among SIZE consecutive ids. Ids become visible in ascending order (API.md 4.5), so
// once a later message exists, only moderation changes the block.
import { Bounded } from '../bounded.ts'
import type { BytesInParts } from '../http/answer.ts'
import type { Queryable, Store } from '../store/database.ts'
import { lastModeration } from '../store/sequences.ts'
import type { PageRequest } from '../wire/page.ts'
import { listMessageIds, recordsOf } from './queries.ts'
import {
  DIGEST_LENGTH,
  etagOfPage,
  OPENING,
  type PageText,
  pageEnd,
  textOf,
} from './record-text.ts'

/** Binary digits of an id that number the messages of a block. */
const SIZE_BITS = 5n
const SIZE = 2 ** Number(SIZE_BITS)

/** Memory for all blocks: 10,000 messages of 300 characters and more [bytes]. */
const ROOM_BYTES = 8 * 1024 * 1024
/** What a block takes apart from its JSON [bytes]. */
const OVERHEAD_BYTES = 3_000
/** A block with more JSON is not kept, and a page that it is part of is read without blocks [bytes]. */
const LONG_BYTES = 40 * 1024
/** 100 messages with some hidden ones between them lie in so many; a page is at most 240 KiB. */
const MAX_BLOCKS = 6

interface Block {
  /** Ascending. */
  ids: readonly bigint[]
  /** The records in UTF-8, a comma after each; null for a long block. */
  json: Buffer | null
  /** Where each record ends in `json`, after its comma. */
  ends: readonly number[]
  /** The digests of the records, one after the other. */
  digests: string
  /** The first visible message after the block. */
  next: bigint
}

/** The records of a block from the index `from` up to, and without, the index `to`. */
interface Slice {
  block: Block
  from: number
  to: number
}

/** Slices of blocks between what a page has around its records. */
type BlockPage = PageText<BytesInParts>

const OPENING_BYTES = Buffer.from(OPENING)

const blockNumber = (id: bigint): bigint => id >> SIZE_BITS

/** The blocks of what is visible between two operator actions. */
export class MessageBlocks {
  readonly #store: Store
  readonly #moderation: bigint
  readonly #blocks = new Bounded<bigint, Block>(
    ROOM_BYTES,
    ({ json }) => OVERHEAD_BYTES + (json?.length ?? 0),
  )
  /** The last block, which still grows, and the version of the database at which it was the last. */
  #last: { number: bigint; version: number } | undefined

  /** @param moderation the latest operator action */
  constructor(store: Store, moderation: bigint) {
    this.#store = store
    this.#moderation = moderation
  }

  /** A full page of all messages, if it is in memory. */
  find(asked: PageRequest<bigint>): BlockPage | undefined {
    const found = findSlices(asked, this.#blocks)
    return found && 'slices' in found ? joinSlices(found.slices) : undefined
  }

  /**
   * A full page of all messages; reads the blocks that it lacks.
   * @param version of the database
   * @returns undefined for a page that has to be read without blocks
   */
  async read(asked: PageRequest<bigint>, version: number): Promise<BlockPage | undefined> {
    const found = findSlices(asked, this.#blocks)
    if (!found) return undefined
    if ('slices' in found) return joinSlices(found.slices)
    if (found.missing === this.#last?.number && version === this.#last.version) return undefined
    const slices = await this.#readSlices(asked, version)
    return slices && joinSlices(slices)
  }

  #readSlices(asked: PageRequest<bigint>, version: number): Promise<Slice[] | undefined> {
    return this.#store.read(async (tx) => {
      // Blocks in memory and those read now belong together only if no operator has acted in between.
      if ((await lastModeration(tx)) !== this.#moderation) return undefined
      // Keeps them for this page, even if others evict them meanwhile.
      const read = new Map<bigint, Block>()
      const blocks = { get: (number: bigint) => read.get(number) ?? this.#blocks.get(number) }
      for (;;) {
        const found = findSlices(asked, blocks)
        if (!found || 'slices' in found) return found?.slices
        const number = found.missing
        const block = await readBlock(tx, number)
        if (!block) {
          this.#last = { number, version }
          return undefined
        }
        read.set(number, block)
        this.#blocks.set(number, block)
      }
    })
  }
}

/** The slices of a page, or the number of the first block that is missing for it. */
type Found = { slices: Slice[] } | { missing: bigint }

/** @returns undefined for a page that blocks do not help with */
function findSlices(
  { after, limit }: PageRequest<bigint>,
  blocks: { get(number: bigint): Block | undefined },
): Found | undefined {
  const slices: Slice[] = []
  let [first, left] = [after + 1n, limit]
  for (let count = 0; count < MAX_BLOCKS; count++) {
    const number = blockNumber(first)
    const block = blocks.get(number)
    if (!block) return { missing: number }
    const { ids, json, next } = block
    if (!json) return undefined
    let from = 0
    while (from < ids.length && (ids[from] as bigint) < first) from++
    const to = Math.min(from + left, ids.length)
    if (from < to) slices.push({ block, from, to })
    left -= to - from
    if (left === 0) return { slices }
    first = next
  }
  return undefined
}

/** @returns undefined for the last block */
async function readBlock(tx: Queryable, number: bigint): Promise<Block | undefined> {
  const after = (number << SIZE_BITS) - 1n
  const found = await listMessageIds(tx, { after, limit: SIZE + 1 })
  const count = found.findIndex((id) => blockNumber(id) !== number)
  if (count === -1) return undefined
  const ids = found.slice(0, count)
  const records = await recordsOf(tx, ids)
  const texts = records.sort((a, b) => (a.id < b.id ? -1 : 1)).map(textOf)
  let length = 0
  const ends = texts.map(({ bytes }) => {
    length += bytes + 1
    return length
  })
  const json = length > LONG_BYTES ? null : Buffer.allocUnsafeSlow(length)
  json?.write(texts.map((text) => `${text.json},`).join(''))
  const digests = texts.map(({ digest }) => digest).join('')
  return { ids, json, ends, digests, next: found[count] as bigint }
}

function joinSlices(slices: readonly Slice[]): BlockPage {
  const parts: Uint8Array[] = [OPENING_BYTES]
  let length = OPENING_BYTES.length
  let digests = ''
  for (const { block, from, to } of slices) {
    // The end of the page replaces the comma of the last record.
    const comma = block === slices.at(-1)?.block ? 1 : 0
    const part = (block.json as Buffer).subarray(startOf(block, from), startOf(block, to) - comma)
    parts.push(part)
    length += part.length
    digests += block.digests.slice(from * DIGEST_LENGTH, to * DIGEST_LENGTH)
  }
  const { block, to } = slices.at(-1) as Slice
  const next = block.ids[to - 1] as bigint
  const end = Buffer.from(pageEnd(next))
  parts.push(end)
  return { body: { length: length + end.length, parts }, etag: etagOfPage(digests, next) }
}

const startOf = ({ ends }: Block, index: number): number => ends[index - 1] ?? 0
