// Describes every table's key and columns, for compiled inserts and for exports.
import type { Schema } from './schema.ts'

export type TableName = keyof Schema

export type ColumnType = 'integer' | 'integer or null' | 'text'

export interface Table {
  /** The primary key, which exports order the rows by. */
  key: readonly string[]
  columns: Readonly<Record<string, ColumnType>>
}

/** Makes the compiler reject a missing table or column. */
type Tables = {
  [Name in TableName]: {
    key: readonly (keyof Schema[Name] & string)[]
    columns: Record<keyof Schema[Name] & string, ColumnType>
  }
}

const MODERATED = { hidden: 'integer', visible: 'integer' } as const

const TABLES_OF_SCHEMA: Tables = {
  sequences: { key: ['name'], columns: { name: 'text', last: 'integer' } },
  settings: { key: ['name'], columns: { name: 'text', value: 'text' } },
  directories: {
    key: ['id'],
    columns: {
      id: 'integer',
      path: 'text',
      parent_id: 'integer or null',
      author_label: 'text',
      created_at: 'integer',
      ...MODERATED,
    },
  },
  messages: {
    key: ['id'],
    columns: {
      id: 'integer',
      directory_id: 'integer',
      investigation_id: 'integer or null',
      body: 'text',
      body_hash: 'text',
      body_bytes: 'integer',
      author_label: 'text',
      received_at: 'integer',
      publish_at: 'integer',
      ...MODERATED,
    },
  },
  investigations: {
    key: ['id'],
    columns: {
      id: 'integer',
      root_message_id: 'integer',
      directory_id: 'integer',
      title: 'text',
      created_at: 'integer',
      ...MODERATED,
    },
  },
  entries: {
    key: ['message_id'],
    columns: {
      message_id: 'integer',
      investigation_id: 'integer',
      kind: 'text',
      sources: 'text',
      source_count: 'integer',
      links: 'text',
    },
  },
  links: {
    key: ['message_id', 'target_id', 'relation'],
    columns: { message_id: 'integer', target_id: 'integer', relation: 'text' },
  },
  mentions: {
    key: ['message_id', 'target_id', 'host'],
    columns: { message_id: 'integer', target_id: 'integer', host: 'text' },
  },
  reviews: {
    key: ['id'],
    columns: {
      id: 'integer',
      message_id: 'integer',
      outcome: 'text',
      reason: 'text',
      evidence_note: 'text',
      created_at: 'integer',
      supersedes_id: 'integer or null',
    },
  },
  erasures: { key: ['message_id'], columns: { message_id: 'integer', leaf: 'text' } },
  sweeps: { key: ['directory_id'], columns: { directory_id: 'integer', visible: 'integer' } },
  idempotency_keys: {
    key: ['operation', 'origin', 'key'],
    columns: {
      operation: 'text',
      origin: 'text',
      key: 'text',
      request_hash: 'text',
      answer: 'text',
      location: 'text',
      created_at: 'integer',
    },
  },
  rate_windows: {
    key: ['ends_at', 'name', 'origin'],
    columns: { ends_at: 'integer', name: 'text', origin: 'text', count: 'integer' },
  },
  origin_counts: {
    key: ['ends_at', 'name', 'batch'],
    columns: { ends_at: 'integer', name: 'text', batch: 'integer', counts: 'text' },
  },
  moderation_log: {
    key: ['id'],
    columns: {
      id: 'integer',
      at: 'integer',
      act: 'text',
      target_kind: 'text',
      target: 'text',
      reason: 'text',
    },
  },
  liveness: {
    key: ['id'],
    columns: {
      id: 'integer',
      server: 'text',
      from_at: 'integer',
      to_at: 'integer',
      read_only: 'integer',
      disabled_features: 'text',
      stopped: 'integer',
    },
  },
  clock_steps: {
    key: ['id'],
    columns: { id: 'integer', server: 'text', expected_at: 'integer', actual_at: 'integer' },
  },
}

/** Ordered so that every row is written after the rows that it references. */
export const TABLES: Readonly<Record<TableName, Table>> = TABLES_OF_SCHEMA

export const TABLE_NAMES = Object.keys(TABLES) as TableName[]

/** Returns the names of a table's columns. */
export const columnsOf = (table: TableName): string[] => Object.keys(TABLES[table].columns)
