// Describes every table once: its key and its columns, and the kinds of columns. The types for kysely, compiled inserts and
// exports follow from this list; the migrations create exactly these tables.
import type { ColumnType, Selectable } from 'kysely'
import type {
  CONTRIBUTION_KINDS,
  OUTCOMES,
  RELATIONS,
} from '../../../archive/format/record-lines.ts'

/** A kind of column. @template Value its type for kysely */
interface Column<Value = unknown> {
  /** How an export writes its values (COMMANDS.md 6.7). */
  readonly form: 'integer' | 'integer or null' | 'text'
  /** Exists in types only. */
  readonly value?: Value
}

/** A 64-bit integer: read as bigint, written as bigint or number. Times are ms since 1970-01-01Z. */
const int: Column<ColumnType<bigint, bigint | number, bigint | number>> = { form: 'integer' }

/** An id is always a bigint, since large ones exceed the safe integers of a number. */
const id: Column<ColumnType<bigint, bigint, bigint>> = { form: 'integer' }
const optionalId: Column<ColumnType<bigint | null, bigint | null, never>> = {
  form: 'integer or null',
}

/** A boolean as 0 or 1, which every engine and every partial index supports. */
const flag: Column<ColumnType<bigint, 0 | 1, 0 | 1>> = { form: 'integer' }

const text: Column<string> = { form: 'text' }

/** A text with one of a few values. */
const oneOf = <Value extends string>(): Column<Value> => ({ form: 'text' })

export type EntryKind = 'question' | (typeof CONTRIBUTION_KINDS)[number]
export type Relation = (typeof RELATIONS)[number]
export type ReviewOutcome = (typeof OUTCOMES)[number]

export const ACTS = [
  'hide',
  'show',
  'erase',
  'mode',
  'feature',
  'review',
  'clock',
  'restored',
] as const

/** What an action concerns; the service itself for switches, clocks and lost messages. */
export const ACTION_TARGETS = [
  'message',
  'directory',
  'investigation',
  'review',
  'action',
  'service',
] as const

export type SequenceName =
  | 'directory'
  | 'message'
  | 'investigation'
  | 'review'
  | 'moderation'
  | 'liveness'
  | 'clock_step'
  | 'publish_at'

/**
 * `hidden` is the operator's decision on the record itself. `visible` is 1 if neither the record nor anything above it
 * is hidden. It is stored with the record, so that a page costs the same however much is hidden: the partial indexes
 * contain visible rows only.
 */
const MODERATED = { hidden: flag, visible: flag }

/** Ordered so that every row is written after the rows that it references. */
const DESCRIPTIONS = {
  /**
   * The last id issued by each sequence. Taking the next one locks the row until commit. `publish_at` is the latest time
   * of publication, or the floor before which no record may be dated, if that is later [ms since 1970].
   */
  sequences: { key: ['name'], columns: { name: oneOf<SequenceName>(), last: int } },
  /** Single values by name: the operator's switches, the service's secrets, and state such as the last failure. */
  settings: { key: ['name'], columns: { name: text, value: text } },
  directories: {
    key: ['id'],
    columns: {
      id,
      /** Unique, compared by bytes. */
      path: text,
      /** The directory of the path without its last segment; null for one segment. */
      parent_id: optionalId,
      author_label: text,
      created_at: int,
      ...MODERATED,
    },
  },
  messages: {
    key: ['id'],
    columns: {
      id,
      directory_id: id,
      /** Null for a plain message. */
      investigation_id: optionalId,
      body: text,
      /** SHA-256 of the UTF-8 body, lowercase hex. */
      body_hash: text,
      /** Length of the UTF-8 body. */
      body_bytes: int,
      author_label: text,
      received_at: int,
      publish_at: int,
      /** 16 random bytes in lowercase hex; empty for a message that is erased. */
      salt: text,
      ...MODERATED,
    },
  },
  investigations: {
    key: ['id'],
    columns: {
      id,
      root_message_id: id,
      directory_id: id,
      title: text,
      created_at: int,
      ...MODERATED,
    },
  },
  /** The fields of a question or contribution beyond those of its message. */
  entries: {
    key: ['message_id'],
    columns: {
      message_id: id,
      investigation_id: id,
      kind: oneOf<EntryKind>(),
      /** JSON array of Source. */
      sources: text,
      source_count: int,
      /** JSON array of Link. */
      links: text,
    },
  },
  /** The links of all entries again, as rows that can be looked up from either end. */
  links: {
    key: ['message_id', 'target_id', 'relation'],
    columns: { message_id: id, target_id: id, relation: oneOf<Relation>() },
  },
  /** The addresses of earlier messages in the text and the sources of a message (API.md 4.7). */
  mentions: {
    key: ['message_id', 'target_id', 'host'],
    columns: {
      message_id: id,
      target_id: id,
      /** The host in the address; empty if it is only a path. */
      host: text,
      /** 1 if the address ends the text, which makes the message an answer to the target. */
      answers: flag,
    },
  },
  reviews: {
    key: ['id'],
    columns: {
      id,
      message_id: id,
      outcome: oneOf<ReviewOutcome>(),
      reason: text,
      evidence_note: text,
      created_at: int,
      supersedes_id: optionalId,
    },
  },
  /** A message whose content was erased for good: its leaf, which can no longer be computed (FORMAT.md 18.5). */
  erasures: {
    key: ['message_id'],
    columns: {
      message_id: id,
      /** The hash of the leaf, lowercase hex. */
      leaf: text,
    },
  },
  /** A directory whose messages are updated to `visible` in slices; none is listed until then (moderation/sweeps.ts). */
  sweeps: { key: ['directory_id'], columns: { directory_id: id, visible: flag } },
  /** The first response to a create with a key (API.md 5). */
  idempotency_keys: {
    key: ['operation', 'origin', 'key'],
    columns: {
      operation: text,
      /** Keyed hash of the source address. */
      origin: text,
      key: text,
      /** SHA-256 of the request's parsed content, path included. */
      request_hash: text,
      /** The first response's JSON body and Location. */
      answer: text,
      location: text,
      created_at: int,
    },
  },
  /** What an origin has published, or all origins together, in the fixed UTC windows that have not ended (API.md 6). */
  rate_windows: {
    key: ['origin'],
    columns: {
      /** Keyed hash of the source address; empty for the limits that count all origins together. */
      origin: text,
      /** When the last of the windows ends. */
      ends_at: int,
      /** JSON: the name of the limit, the end and the number of publications of each window. */
      windows: text,
    },
  },
  /** The record of moderation: operators' actions in order. Rows are only added; only a reason can be blanked. */
  moderation_log: {
    key: ['id'],
    columns: {
      id,
      at: int,
      act: oneOf<(typeof ACTS)[number]>(),
      target_kind: oneOf<(typeof ACTION_TARGETS)[number]>(),
      /** An id, a path, or the name of a switch; empty for an action on many messages. */
      target: text,
      /** Empty once it was blanked. */
      reason: text,
      /** The messages of an action on many: a JSON array of pairs, the first and the last id of each range. */
      ranges: text,
    },
  },
  /**
   * An interval during which a server was up and in one state. `to_at` advances with each heartbeat; a change of state,
   * a clock step or a silence of more than 30 s begins a new row.
   */
  liveness: {
    key: ['id'],
    columns: {
      id,
      server: text,
      from_at: int,
      to_at: int,
      read_only: flag,
      /** Feature names joined by commas, sorted; empty for none. */
      disabled_features: text,
      /** 1 if the server ended the interval by stopping. */
      stopped: flag,
    },
  },
  /** A difference of more than 1 s between the wall time that passed on a running server and the time since its boot. */
  clock_steps: {
    key: ['id'],
    columns: {
      id,
      server: text,
      /** The wall time that the time since boot predicted, and the one that was read. */
      expected_at: int,
      actual_at: int,
    },
  },
} satisfies Record<string, Table>

export interface Table {
  /** The primary key, which exports order the rows by. */
  readonly key: readonly string[]
  readonly columns: Readonly<Record<string, Column>>
}

type Descriptions = typeof DESCRIPTIONS
export type TableName = keyof Descriptions

type ValueOf<Kind> = Kind extends Column<infer Value> ? Value : never

export type Schema = {
  [Name in TableName]: {
    [ColumnName in keyof Descriptions[Name]['columns']]: ValueOf<
      Descriptions[Name]['columns'][ColumnName]
    >
  }
}

export const TABLES: Readonly<Record<TableName, Table>> = DESCRIPTIONS

export const TABLE_NAMES = Object.keys(TABLES) as TableName[]

export const columnsOf = <Name extends TableName>(table: Name) =>
  Object.keys(TABLES[table].columns) as (keyof Schema[Name] & string)[]

/**
 * Returns a table's columns for `select`. Never select `*`: a newer version may add a column while a server of this one reads
 * on, and then PostgreSQL rejects a prepared `*`, and SQLite's has more values than names.
 */
export const allOf = <Name extends TableName>(table: Name) =>
  columnsOf(table).map((column) => `${table}.${column}` as const)

export type DirectoryRow = Selectable<Schema['directories']>
export type MessageRow = Selectable<Schema['messages']>
export type ReviewRow = Selectable<Schema['reviews']>
export type LivenessRow = Selectable<Schema['liveness']>
