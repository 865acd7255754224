// The tables of the database, as kysely sees them; migrations.ts creates exactly these.
import type { ColumnType, Selectable } from 'kysely'

/** A 64-bit integer: always read as bigint, written as either. Times are ms since 1970-01-01Z. */
type Int = ColumnType<bigint, bigint | number, bigint | number>

/** An id is a bigint everywhere: the greatest ones are beyond the integers of a number. */
type Id = ColumnType<bigint, bigint, bigint>
type OptionalId = ColumnType<bigint | null, bigint | null, never>

/** The greatest id, at which every sequence ends. */
export const MAX_ID = 2n ** 63n - 1n

/** 0 or 1, the boolean that every engine and every partial index understands. */
type Flag = ColumnType<bigint, 0 | 1, 0 | 1>

/**
 * `hidden` is what an operator said of the record itself. `visible` is what readers may see: 1 when
 * neither the record nor anything above it is hidden. It is kept with the record, so that a page
 * costs the same whatever has been hidden (partial indexes hold visible rows only).
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

/** What a question or a contribution says beyond its message. */
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

/** The links of all entries once more, found from either end. */
interface LinkTable {
  message_id: Id
  target_id: Id
  relation: Relation
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

/** The first answer to a create that carried a key (API.md 5). */
interface IdempotencyKeyTable {
  operation: string
  /** Keyed hash of the source address. */
  origin: string
  key: string
  /** SHA-256 of the request's parsed content, path included. */
  request_hash: string
  /** The first answer's JSON body and Location. */
  answer: string
  location: string
  created_at: Int
}

/** How many publications of all origins one fixed UTC window has seen (API.md 6). */
interface RateWindowTable {
  /** With the limit, it tells when the window began. */
  ends_at: Int
  /** A limit's name: messages_global_minute, ... */
  name: string
  /** Empty: what one origin has published is in origin_counts. */
  origin: string
  count: Int
}

/** What a batch has added to one fixed UTC window that each origin has to itself (API.md 6). */
interface OriginCountTable {
  ends_at: Int
  /** A limit's name: messages_origin_minute, ... */
  name: string
  /** Counts up in each window. */
  batch: Int
  /** JSON array of pairs: the keyed hash of a source address, and how many it has published. */
  counts: string
}

/** Every action of an operator, in order; rows are only ever added. */
interface ModerationLogTable {
  id: Id
  at: Int
  act: 'hide' | 'show' | 'erase' | 'mode' | 'feature' | 'review'
  target_kind: 'message' | 'directory' | 'investigation' | 'service'
  /** An id, a path, or what was switched. */
  target: string
  reason: string
}

/**
 * One interval through which one server was there, in one state. `to_at` moves forward with
 * each heartbeat; a change of state, a clock step or a silence of more than 30 s opens a new row.
 */
interface LivenessTable {
  id: Id
  server: string
  from_at: Int
  to_at: Int
  read_only: Flag
  /** Feature names joined by commas, sorted; empty for none. */
  disabled_features: string
}

/** Wall time and monotonic time of a running server moved apart by more than 1 s. */
interface ClockStepTable {
  id: Id
  server: string
  /** Wall time that the monotonic clock promised, and the one that was read. */
  expected_at: Int
  actual_at: Int
}

/** A directory out of sight, whose messages are brought to `visible` in slices (moderation/sweeps.ts). */
interface SweepTable {
  directory_id: Id
  visible: Flag
}

/** The operator's switches and the service's own secrets, by name. */
interface SettingTable {
  name: string
  value: string
}

/**
 * The last id given out of each sequence. Taking the next one locks the row until commit. `publish_at` is the latest
 * time of publication, or the floor below which no record is dated, if that is later [ms since 1970].
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
  reviews: ReviewTable
  idempotency_keys: IdempotencyKeyTable
  rate_windows: RateWindowTable
  origin_counts: OriginCountTable
  moderation_log: ModerationLogTable
  liveness: LivenessTable
  clock_steps: ClockStepTable
  settings: SettingTable
  sweeps: SweepTable
  sequences: SequenceTable
}

export type DirectoryRow = Selectable<DirectoryTable>
export type MessageRow = Selectable<MessageTable>
export type ReviewRow = Selectable<ReviewTable>
export type LivenessRow = Selectable<LivenessTable>
