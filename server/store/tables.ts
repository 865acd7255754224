// Every table of the schema by its key and its columns: what inserts write, and what an export carries row for row.
import type { Schema } from './schema.ts'

export type TableName = keyof Schema

export type ColumnType = 'integer' | 'integer or null' | 'text'

export interface Table {
  /** The primary key, by which rows are read in order. */
  key: readonly string[]
  columns: Readonly<Record<string, ColumnType>>
}

/** Holds the tables below to the schema: none, and no column, can be forgotten. */
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
    },
  },
  clock_steps: {
    key: ['id'],
    columns: { id: 'integer', server: 'text', expected_at: 'integer', actual_at: 'integer' },
  },
}

/** In an order in which every row comes after the rows that it refers to. */
export const TABLES: Readonly<Record<TableName, Table>> = TABLES_OF_SCHEMA

export const TABLE_NAMES = Object.keys(TABLES) as TableName[]

/** All columns of a table. */
export const columnsOf = (table: TableName): string[] => Object.keys(TABLES[table].columns)
