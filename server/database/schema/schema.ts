// The types of the database's tables for kysely; the migrations create exactly these tables.
import type { ColumnType, Selectable } from 'kysely'

/** A 64-bit integer: read as bigint, written as bigint or number. Times are ms since 1970-01-01Z. */
type Int = ColumnType<bigint, bigint | number, bigint | number>

/** An id is always a bigint, since large ones exceed the safe integers of a number. */
type Id = ColumnType<bigint, bigint, bigint>
type OptionalId = ColumnType<bigint | null, bigint | null, never>

/** The largest id, at which every sequence ends. */
export const MAX_ID = 2n ** 63n - 1n

/** A boolean as 0 or 1, which every engine and every partial index supports. */
type Flag = ColumnType<bigint, 0 | 1, 0 | 1>

/**
 * `hidden` is the operator's decision on the record itself. `visible` is 1 if neither the record nor anything above it
 * is hidden. It is stored with the record, so that a page costs the same however much is hidden: the partial indexes
 * contain visible rows only.
 */
interface Moderated {
  hidden: Flag
  visible: Flag
}

interface DirectoryTable extends Moderated {
  id: Id
  /** Unique, compared by bytes. */
  path: string
  /** The directory of the path without its last segment; null for one segment. */
  parent_id: OptionalId
  author_label: string
  created_at: Int
}

interface MessageTable extends Moderated {
  id: Id
  directory_id: Id
  /** Null for a plain message. */
  investigation_id: OptionalId
  body: string
  /** SHA-256 of the UTF-8 body, lowercase hex. */
  body_hash: string
  /** Length of the UTF-8 body. */
  body_bytes: Int
  author_label: string
  received_at: Int
  publish_at: Int
}

interface InvestigationTable extends Moderated {
  id: Id
  root_message_id: Id
  directory_id: Id
  title: string
  created_at: Int
}

export type EntryKind = 'question' | 'observation' | 'attempt' | 'correction' | 'result' | 'reuse'

/** The fields of a question or contribution beyond those of its message. */
interface EntryTable {
  message_id: Id
  investigation_id: Id
  kind: EntryKind
  /** JSON array of Source. */
  sources: string
  source_count: Int
  /** JSON array of Link. */
  links: string
}

export type Relation = 'extends' | 'supports' | 'corrects' | 'reuses'

/** The links of all entries again, as rows that can be looked up from either end. */
interface LinkTable {
  message_id: Id
  target_id: Id
  relation: Relation
}

/** The addresses of earlier messages in the text and the sources of a message (API.md 4.7). */
interface MentionTable {
  message_id: Id
  target_id: Id
  /** The host in the address; empty if it is only a path. */
  host: string
}

export type ReviewOutcome = 'substantiated' | 'unsupported' | 'withdrawn'

interface ReviewTable {
  id: Id
  message_id: Id
  outcome: ReviewOutcome
  reason: string
  evidence_note: string
  created_at: Int
  supersedes_id: OptionalId
}

/** The first response to a create with a key (API.md 5). */
interface IdempotencyKeyTable {
  operation: string
  /** Keyed hash of the source address. */
  origin: string
  key: string
  /** SHA-256 of the request's parsed content, path included. */
  request_hash: string
  /** The first response's JSON body and Location. */
  answer: string
  location: string
  created_at: Int
}

/** The number of publications of all origins in a fixed UTC window (API.md 6). */
interface RateWindowTable {
  /** The window began one period of its limit earlier. */
  ends_at: Int
  /** A limit's name: messages_global_minute, ... */
  name: string
  /** Always empty: counts by origin are in origin_counts. */
  origin: string
  count: Int
}

/** The publications that one batch added to the per-origin counts of a fixed UTC window (API.md 6). */
interface OriginCountTable {
  ends_at: Int
  /** A limit's name: messages_origin_minute, ... */
  name: string
  /** The number of the batch in its window. */
  batch: Int
  /** JSON array of pairs: the keyed hash of a source address, and its number of publications. */
  counts: string
}

/** The log of operators' actions, in order; rows are only added. */
interface ModerationLogTable {
  id: Id
  at: Int
  act: 'hide' | 'show' | 'erase' | 'mode' | 'feature' | 'review' | 'restored' | 'clock'
  target_kind: 'message' | 'directory' | 'investigation' | 'service'
  /** An id, a path, or the name of a switch. */
  target: string
  reason: string
}

/**
 * An interval during which a server was up and in one state. `to_at` advances with each heartbeat; a change of state, a
 * clock step or a silence of more than 30 s begins a new row.
 */
interface LivenessTable {
  id: Id
  server: string
  from_at: Int
  to_at: Int
  read_only: Flag
  /** Feature names joined by commas, sorted; empty for none. */
  disabled_features: string
  /** 1 if the server ended the interval by stopping. */
  stopped: Flag
}

/** A difference of more than 1 s between the wall time that passed on a running server and the time since its boot. */
interface ClockStepTable {
  id: Id
  server: string
  /** The wall time that the time since boot predicted, and the one that was read. */
  expected_at: Int
  actual_at: Int
}

/** A message whose content was erased for good: its leaf, which can no longer be computed (FORMAT.md 20.5). */
interface ErasureTable {
  message_id: Id
  /** The hash of the leaf, lowercase hex. */
  leaf: string
}

/** A directory whose messages are updated to `visible` in slices; none is listed until then (moderation/sweeps.ts). */
interface SweepTable {
  directory_id: Id
  visible: Flag
}

/** Single values by name: the operator's switches, the service's secrets, and state such as the last failure. */
interface SettingTable {
  name: string
  value: string
}

/**
 * The last id issued by each sequence. Taking the next one locks the row until commit. `publish_at` is the latest time
 * of publication, or the floor before which no record may be dated, if that is later [ms since 1970].
 */
interface SequenceTable {
  name: SequenceName
  last: Int
}

export type SequenceName =
  | 'directory'
  | 'message'
  | 'investigation'
  | 'review'
  | 'moderation'
  | 'liveness'
  | 'clock_step'
  | 'publish_at'

export interface Schema {
  directories: DirectoryTable
  messages: MessageTable
  investigations: InvestigationTable
  entries: EntryTable
  links: LinkTable
  mentions: MentionTable
  reviews: ReviewTable
  idempotency_keys: IdempotencyKeyTable
  rate_windows: RateWindowTable
  origin_counts: OriginCountTable
  moderation_log: ModerationLogTable
  liveness: LivenessTable
  clock_steps: ClockStepTable
  settings: SettingTable
  sweeps: SweepTable
  erasures: ErasureTable
  sequences: SequenceTable
}

export type DirectoryRow = Selectable<DirectoryTable>
export type MessageRow = Selectable<MessageTable>
export type ReviewRow = Selectable<ReviewTable>
export type LivenessRow = Selectable<LivenessTable>
