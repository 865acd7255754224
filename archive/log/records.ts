// The records of a day: the leaf of each message, and what `<day>.json` states of them all.
import { hash } from 'node:crypto'
import type { Records } from '../format/snapshot.ts'
import { type Hash, leafHash, rootOf } from './tree.ts'

/** What a message's leaf holds of a message, whether or not it is hidden. */
export interface RecordedMessage {
  id: bigint
  /** The directory's path. */
  directory: string
  /** Of the body, 64 lower-case hex digits. */
  bodyHash: string
  /** RFC 3339, as in the record. */
  receivedAt: string
  publishAt: string
  authorLabel: string
  /** Null for a plain message. */
  entry: RecordedEntry | null
}

/** A question or a contribution. */
export interface RecordedEntry {
  investigationId: bigint
  kind: string
  /** Null but for questions. */
  title: string | null
  /** Compact JSON, as the record returns them. */
  sources: string
  /** Compact JSON; `[]` for questions. */
  links: string
}

/** The data of a message's leaf. */
export function messageLeafData(message: RecordedMessage): string {
  const lines = [
    'daysignal-message-v1',
    message.id,
    message.directory,
    message.bodyHash,
    message.receivedAt,
    message.publishAt,
    sha256(message.authorLabel),
    sha256(entryText(message.entry)),
  ]
  return `${lines.join('\n')}\n`
}

export function messageLeaf(message: RecordedMessage): Hash {
  return leafHash(Buffer.from(messageLeafData(message)))
}

/** The leaves of a day's messages. One that is read twice counts once. */
export class DayLeaves {
  readonly #leaves = new Map<bigint, Hash>()

  add(message: RecordedMessage): void {
    this.#leaves.set(message.id, messageLeaf(message))
  }

  /** Ascending, which is the order of the tree: 200,000 in some 15 ms. */
  ids(): BigInt64Array {
    const ids = new BigInt64Array(this.#leaves.size)
    let count = 0
    for (const id of this.#leaves.keys()) ids[count++] = id
    return ids.sort()
  }

  /** @param id one of a message that was added */
  leafOf(id: bigint): Hash {
    return this.#leaves.get(id) as Hash
  }

  /** Ascending by id. */
  sorted(): { id: bigint; leaf: Hash }[] {
    return Array.from(this.ids(), (id) => ({ id, leaf: this.leafOf(id) }))
  }
}

/** What `<day>.json` states of leaves that ascend by id. */
export function recordsOf(leaves: readonly { id: bigint; leaf: Hash }[]): Records {
  const root = rootOf(leaves.map(({ leaf }) => leaf))
  return recordsWith(
    leaves.map(({ id }) => id),
    root,
  )
}

/** The same of messages by their ids, ascending, and the root over their leaves. */
export function recordsWith(ids: BigInt64Array | readonly bigint[], root: Hash): Records {
  return {
    count: String(ids.length),
    first_message_id: ids.at(0)?.toString() ?? null,
    last_message_id: ids.at(-1)?.toString() ?? null,
    root: Buffer.from(root).toString('hex'),
  }
}

/** What of a day's records differs from its snapshot; nothing when they agree. */
export function differingRecords(sealed: Records, found: Records): (keyof Records)[] {
  return (Object.keys(sealed) as (keyof Records)[]).filter((name) => sealed[name] !== found[name])
}

function entryText(entry: RecordedEntry | null): string {
  if (!entry) return ''
  const { investigationId, kind, title, sources, links } = entry
  const head = `"investigation_id":${investigationId},"kind":"${kind}"`
  return `{${head},"title":${JSON.stringify(title)},"sources":${sources},"links":${links}}`
}

function sha256(text: string): string {
  return hash('sha256', text, 'hex')
}
