// Caches blocks of neighbouring messages as JSON. A full page of all messages is a few slices of them, without a query.
//
// A block contains the visible messages among SIZE consecutive ids. Ids become visible in ascending order (API.md 4.5),
// so once a message after the block is visible, only moderation changes the block.
import { BoundedMap } from '../bounded-map.ts'
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

/** The low bits of an id, which number the messages within a block. */
const SIZE_BITS = 5n
const SIZE = 2 ** Number(SIZE_BITS)

/** Size of the cache: enough for 10,000 messages of 300 characters [bytes]. */
const MAX_CACHED_BYTES = 8 * 1024 * 1024
/** Estimated memory of a block in addition to its JSON [bytes]. */
const OVERHEAD_BYTES = 3_000
/** The JSON of a longer block is not cached, and its messages are read without blocks [bytes]. */
const LONG_BYTES = 40 * 1024
/** Enough for a page of 100 messages with some hidden ones between them; limits a page to 240 KiB. */
const MAX_BLOCKS = 6

interface Block {
  /** Ascending. */
  ids: readonly bigint[]
  /** The records in UTF-8, each followed by a comma; null for a long block. */
  json: Buffer | null
  /** The offset in `json` after each record and its comma. */
  ends: readonly number[]
  /** The digests of the records, concatenated. */
  digests: string
  /** The id of the first visible message after the block. */
  next: bigint
}

/** The records of a block with indices from `from` up to but excluding `to`. */
interface Slice {
  block: Block
  from: number
  to: number
}

/** A page whose body is slices of blocks between its opening and its end. */
type BlockPage = PageText<BytesInParts>

const OPENING_BYTES = Buffer.from(OPENING)

const blockNumber = (id: bigint): bigint => id >> SIZE_BITS

/** The cached blocks. Valid until the next operator action; the caller then discards the instance. */
export class MessageBlocks {
  readonly #store: Store
  readonly #moderation: bigint
  readonly #blocks = new BoundedMap<bigint, Block>(
    MAX_CACHED_BYTES,
    ({ json }) => OVERHEAD_BYTES + (json?.length ?? 0),
  )
  /** The newest block, which still grows, and the database version at which it was the newest. */
  #last: { number: bigint; version: number } | undefined

  /** @param moderation the latest operator action */
  constructor(store: Store, moderation: bigint) {
    this.#store = store
    this.#moderation = moderation
  }

  /** Returns a full page of all messages if it is in memory. */
  find(request: PageRequest<bigint>): BlockPage | undefined {
    const found = findSlices(request, this.#blocks)
    return found && 'slices' in found ? joinSlices(found.slices) : undefined
  }

  /**
   * Returns a full page of all messages, and reads the blocks that are not in memory.
   * @param version of the database
   * @returns undefined for a page that must be read without blocks
   */
  async read(request: PageRequest<bigint>, version: number): Promise<BlockPage | undefined> {
    const found = findSlices(request, this.#blocks)
    if (!found) return undefined
    if ('slices' in found) return joinSlices(found.slices)
    if (found.missing === this.#last?.number && version === this.#last.version) return undefined
    const slices = await this.#readSlices(request, version)
    return slices && joinSlices(slices)
  }

  #readSlices(request: PageRequest<bigint>, version: number): Promise<Slice[] | undefined> {
    return this.#store.read(async (tx) => {
      // Cached blocks are consistent with those read here only if there was no operator action in between.
      if ((await lastModeration(tx)) !== this.#moderation) return undefined
      // Holds the blocks of this page, because concurrent pages may evict them from the cache.
      const read = new Map<bigint, Block>()
      const blocks = { get: (number: bigint) => read.get(number) ?? this.#blocks.get(number) }
      for (;;) {
        const found = findSlices(request, blocks)
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

/** The slices of a page, or the number of its first block that is not in memory. */
type Found = { slices: Slice[] } | { missing: bigint }

/** @returns undefined for a page with a long block, or with more than MAX_BLOCKS blocks */
function findSlices(
  { after, limit }: PageRequest<bigint>,
  blocks: { get(number: bigint): Block | undefined },
): Found | undefined {
  const slices: Slice[] = []
  let [first, remaining] = [after + 1n, limit]
  for (let count = 0; count < MAX_BLOCKS; count++) {
    const number = blockNumber(first)
    const block = blocks.get(number)
    if (!block) return { missing: number }
    const { ids, json, next } = block
    if (!json) return undefined
    let from = 0
    while (from < ids.length && (ids[from] as bigint) < first) from++
    const to = Math.min(from + remaining, ids.length)
    if (from < to) slices.push({ block, from, to })
    remaining -= to - from
    if (remaining === 0) return { slices }
    first = next
  }
  return undefined
}

/** @returns undefined for the newest block, which is not complete */
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
    // Drop the comma after the last record of the page.
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
