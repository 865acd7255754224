// The records of a day (FORMAT.md 18): the leaf of each message, the `records` of `<day>.json`, and how leaves differ from them
// (FORMAT.md 22.1).
import { sha256Of } from '../format/hash.ts'
import type { SealedRecords } from '../format/snapshot.ts'
import { equal, GrowingTree, type Hash, leafHash } from './tree.ts'

/** The first line of a leaf, which names its form. */
export const MESSAGE_LEAF = 'daysignal-message-v1'

/** The properties of a message, hidden or not, that its leaf covers. */
export interface RecordedMessage {
  id: bigint
  /** The directory's path. */
  directory: string
  /** SHA-256 of the body, 64 lowercase hex digits. */
  bodyHash: string
  /** RFC 3339, like `publishAt`, as in the record. */
  receivedAt: string
  publishAt: string
  authorLabel: string
  /** Null for a plain message. */
  entry: RecordedEntry | null
  /** 16 random bytes, 32 lowercase hex digits. */
  salt: string
}

/** A message whose content was erased (FORMAT.md 18.5). Its leaf was computed before. */
export interface ErasedMessage {
  id: bigint
  leaf: Hash
}

/** A question or a contribution. */
export interface RecordedEntry {
  investigationId: bigint
  kind: string
  /** Null unless this is a question. */
  title: string | null
  /** Compact JSON, as in the record. */
  sources: string
  /** Compact JSON; `[]` for questions. */
  links: string
}

/** The data of a message's leaf, before hashing. */
export function messageLeafData(message: RecordedMessage): string {
  const lines = [
    MESSAGE_LEAF,
    message.id,
    message.directory,
    message.bodyHash,
    message.receivedAt,
    message.publishAt,
    sha256Of(message.authorLabel),
    sha256Of(entryText(message.entry)),
    message.salt,
  ]
  return `${lines.join('\n')}\n`
}

export function messageLeaf(message: RecordedMessage | ErasedMessage): Hash {
  return 'leaf' in message ? message.leaf : leafHash(Buffer.from(messageLeafData(message)))
}

/** Composes `records` from the ids, ascending, and the root. */
export function sealedRecordsWith(
  ids: BigInt64Array | readonly bigint[],
  root: Hash,
): SealedRecords {
  return {
    count: String(ids.length),
    first_message_id: ids.at(0)?.toString() ?? null,
    last_message_id: ids.at(-1)?.toString() ?? null,
    root: Buffer.from(root).toString('hex'),
  }
}

/** The names of the properties that differ. */
export function differingRecords(
  sealed: SealedRecords,
  found: SealedRecords,
): (keyof SealedRecords)[] {
  return (Object.keys(sealed) as (keyof SealedRecords)[]).filter(
    (name) => sealed[name] !== found[name],
  )
}

function entryText(entry: RecordedEntry | null): string {
  if (!entry) return ''
  const { investigationId, kind, title, sources, links } = entry
  const head = `"investigation_id":${investigationId},"kind":${JSON.stringify(kind)}`
  return `{${head},"title":${JSON.stringify(title)},"sources":${sources},"links":${links}}`
}

/**
 * Compares leaves with the records of their day, in memory that does not depend on their number.
 * @param leaves ascending by id
 * @param index that of a leaf to return
 * @returns how they differ, null if they do not; and that leaf, null if there is none
 */
export async function compareLeaves(
  leaves: AsyncIterable<Hash> | Iterable<Hash>,
  records: SealedRecords,
  index = -1n,
) {
  const tree = new GrowingTree()
  let wanted: Hash | null = null
  for await (const leaf of leaves) {
    if (BigInt(tree.size) === index) wanted = leaf
    tree.add(leaf)
  }
  return { fault: faultIn(tree, records), wanted }
}

function faultIn(tree: GrowingTree, records: SealedRecords): string | null {
  const [count, expected] = [BigInt(tree.size), BigInt(records.count)]
  if (count > expected) return `has more than the ${expected} leaves of the day`
  if (count < expected) return `has ${count} of the ${expected} leaves of the day`
  return equal(tree.root(), Buffer.from(records.root, 'hex'))
    ? null
    : 'has another root than the records of the day'
}
