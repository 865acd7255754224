// The records of a day: the leaf of each message, and what `<day>.json` states of them all.
import { hash } from 'node:crypto'
import { GrowingTree, type Hash, leafHash } from './tree.ts'

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

/** `"records"` of `<day>.json`: which messages a day had. */
export interface Records {
  count: string
  first_message_id: string | null
  last_message_id: string | null
  /** Of the tree over their leaves, 64 lower-case hex digits. */
  root: string
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

/** Sums up a day's messages, which are added ascending by id. */
export class DayRecords {
  readonly #tree = new GrowingTree()
  #first: bigint | null = null
  #last: bigint | null = null

  add(id: bigint, leaf: Hash): void {
    this.#first ??= id
    this.#last = id
    this.#tree.add(leaf)
  }

  records(): Records {
    return {
      count: String(this.#tree.size),
      first_message_id: this.#first?.toString() ?? null,
      last_message_id: this.#last?.toString() ?? null,
      root: Buffer.from(this.#tree.root()).toString('hex'),
    }
  }
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
