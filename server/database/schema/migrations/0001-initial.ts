// Creates the tables and indexes. schema.ts describes what the columns mean; this file states how they are stored.
//
// The indexes on `visible` are partial: those of what readers see contain visible rows only, so that a page costs the same
// however much is hidden. PostgreSQL uses a partial index only for a query with the same condition.
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { isSqlite } from '../../database.ts'
import { NOTE_CUT, WORDS_INDEX } from '../../words/engines.ts'

/** What the engines spell differently. */
interface Engine {
  /** The type of an id that is the primary key. */
  key: string
  /** A text that is compared by its bytes. */
  bytes: string
  /** How a table is stored whose rows are updated again and again. */
  updated: string
  /** The index of words (words/engines.ts), which is made from the messages and so is in no export. */
  words: readonly string[]
}

const SQLITE: Engine = {
  // Only with this type is the id the row id, which saves an index.
  key: 'integer',
  bytes: 'text',
  updated: '',
  words: [
    // Words are given one by one: every character that is in one counts as a letter. Without their number of words, which
    // only a ranking would use, messages take less room.
    `create virtual table message_words using fts5 (
      words, content = '', columnsize = 0, tokenize = "ascii tokenchars '''_/:.-'"
    )`,
    // Otherwise the words of an erased message would stay in the file until its part of the index is merged.
    `insert into message_words (message_words, rank) values ('secure-delete', 1)`,
    NOTE_CUT,
  ],
}

const POSTGRES: Engine = {
  key: 'bigint',
  // Without it, the database's locale would decide the order.
  bytes: 'text collate "C"',
  // Each batch updates the counts of the current windows. With half of each page free, PostgreSQL stores the new version of
  // a row on the same page; fuller pages would move it and update the index, emptier ones spread the rows further.
  updated: 'with (fillfactor = 50)',
  words: [
    `create table message_words (
      message_id bigint primary key,
      words tsvector not null
    )`,
    WORDS_INDEX,
  ],
}

const flag = (name: string) => `${name} smallint not null check (${name} in (0, 1))`

const MODERATED = `${flag('hidden')}, ${flag('visible')}`

const DIRECTORIES = ({ key, bytes }: Engine) => [
  `create table directories (
    id ${key} primary key,
    path ${bytes} not null unique,
    parent_id bigint references directories (id),
    author_label text not null,
    created_at bigint not null,
    ${MODERATED}
  )`,
  'create index directories_visible_path on directories (path) where visible = 1',
  'create index directories_visible_children on directories (parent_id, path) where visible = 1',
  'create index directories_created on directories (created_at)',
  `create table sweeps (
    directory_id ${key} primary key references directories (id),
    ${flag('visible')}
  )`,
]

const MESSAGES = ({ key }: Engine) => [
  // The long text is the last column, so that reading the others does not have to skip it.
  `create table messages (
    id ${key} primary key,
    directory_id bigint not null references directories (id),
    investigation_id bigint,
    body_hash text not null,
    body_bytes bigint not null,
    author_label text not null,
    received_at bigint not null,
    publish_at bigint not null,
    salt text not null,
    ${MODERATED},
    body text not null
  )`,
  // Covers the directory, so that listing and counting need not read the row to know whether the directory is being swept.
  'create index messages_visible on messages (id, directory_id) where visible = 1',
  'create index messages_visible_directory on messages (directory_id, id) where visible = 1',
  'create index messages_visible_investigation on messages (investigation_id, id) where visible = 1',
  // Moderation looks up invisible messages to show them again.
  'create index messages_hidden_directory on messages (directory_id) where visible = 0',
  'create index messages_hidden_investigation on messages (investigation_id) where visible = 0',
  // Covers the day's counters, so that a count reads no bodies.
  `create index messages_visible_day on messages (publish_at, directory_id, body_bytes)
    where visible = 1`,
  // Likewise for the day's questions and contributions, which are joined with their entries.
  `create index messages_visible_day_entries
    on messages (publish_at, id, investigation_id, directory_id)
    where visible = 1 and investigation_id is not null`,
  // A day's records include hidden messages (FORMAT.md 18).
  'create index messages_hidden_day on messages (publish_at) where visible = 0',
  // The few messages that were published long after they were received, as when the clock was set. The condition is that of
  // readDisplaced in pipeline/days/queries.ts: without the index, it reads all messages for each day that is sealed.
  `create index messages_displaced on messages (publish_at)
    where publish_at - received_at > 60000`,
  `create table erasures (
    message_id ${key} primary key references messages (id),
    leaf text not null
  )`,
  `create table mentions (
    message_id bigint not null references messages (id),
    target_id bigint not null references messages (id),
    host text not null,
    answers bigint not null,
    primary key (message_id, target_id, host)
  )`,
  'create index mentions_target on mentions (target_id, message_id)',
  // The answers to a message, for their number and for its thread.
  'create index mentions_answers on mentions (target_id, message_id, host) where answers = 1',
]

const INVESTIGATIONS = ({ key }: Engine) => [
  `create table investigations (
    id ${key} primary key,
    root_message_id bigint not null unique references messages (id),
    directory_id bigint not null references directories (id),
    title text not null,
    created_at bigint not null,
    ${MODERATED}
  )`,
  'create index investigations_visible on investigations (id) where visible = 1',
  'create index investigations_directory on investigations (directory_id)',
  'create index investigations_created on investigations (created_at)',
  `create table entries (
    message_id ${key} primary key references messages (id),
    investigation_id bigint not null references investigations (id),
    kind text not null,
    source_count bigint not null,
    sources text not null,
    links text not null
  )`,
  `create table links (
    message_id bigint not null references messages (id),
    target_id bigint not null references messages (id),
    relation text not null,
    primary key (message_id, target_id, relation)
  )`,
  'create index links_target on links (target_id, message_id)',
  `create table reviews (
    id ${key} primary key,
    message_id bigint not null references messages (id),
    outcome text not null,
    reason text not null,
    evidence_note text not null,
    created_at bigint not null,
    supersedes_id bigint unique references reviews (id)
  )`,
  'create index reviews_message on reviews (message_id, id)',
  'create index reviews_created on reviews (created_at)',
]

const PUBLISHING = ({ updated }: Engine) => [
  `create table idempotency_keys (
    operation text not null,
    origin text not null,
    key text not null,
    request_hash text not null,
    answer text not null,
    location text not null,
    created_at bigint not null,
    primary key (operation, origin, key)
  )`,
  'create index idempotency_keys_created on idempotency_keys (created_at)',
  `create table rate_windows (
    origin text primary key,
    ends_at bigint not null,
    windows text not null
  ) ${updated}`,
  'create index rate_windows_ends on rate_windows (ends_at)',
]

const OPERATION = ({ key }: Engine) => [
  `create table moderation_log (
    id ${key} primary key,
    at bigint not null,
    act text not null,
    target_kind text not null,
    target text not null,
    reason text not null,
    ranges text not null
  )`,
  'create index moderation_target on moderation_log (target_kind, target, id)',
  `create index moderation_bulk on moderation_log (id) where ranges <> '[]'`,
  `create table liveness (
    id ${key} primary key,
    server text not null,
    from_at bigint not null,
    to_at bigint not null,
    ${flag('read_only')},
    disabled_features text not null,
    ${flag('stopped')}
  )`,
  'create index liveness_to on liveness (to_at)',
  `create table clock_steps (
    id ${key} primary key,
    server text not null,
    expected_at bigint not null,
    actual_at bigint not null
  )`,
  'create table settings (name text primary key, value text not null)',
  'create table sequences (name text primary key, last bigint not null)',
  // Every transaction that issues an id locks one of these rows, so all of them exist from the start.
  `insert into sequences (name, last) values
    ('directory', 0), ('message', 0), ('investigation', 0), ('review', 0),
    ('moderation', 0), ('liveness', 0), ('clock_step', 0), ('publish_at', 0)`,
]

const WORDS = ({ words }: Engine) => words

const PARTS = [DIRECTORIES, MESSAGES, INVESTIGATIONS, PUBLISHING, OPERATION, WORDS]

export const initial: Migration = {
  async up(db: Kysely<unknown>) {
    const engine = isSqlite(db) ? SQLITE : POSTGRES
    for (const statement of PARTS.flatMap((part) => part(engine)))
      await sql.raw(statement).execute(db)
  },
}
