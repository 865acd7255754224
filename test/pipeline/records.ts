// Inserts records directly into the tables, for tests of the pipeline's queries.
import type { Insertable } from 'kysely'
import type { Database } from '../../server/database/database.ts'
import type { EntryKind, Schema } from '../../server/database/schema/schema.ts'

export interface Records {
  directory(path: string, createdAt: number, visible?: 0 | 1): Promise<bigint>
  message(directory: bigint, publishAt: number, body: string, visible?: 0 | 1): Promise<bigint>
  /** Opens an investigation with its root message. */
  investigation(
    directory: bigint,
    at: number,
    sources: number,
    visible?: 0 | 1,
  ): Promise<{ id: bigint; root: bigint }>
  entry(
    investigation: bigint,
    directory: bigint,
    at: number,
    kind: EntryKind,
    sources: number,
    visible?: 0 | 1,
  ): Promise<bigint>
  review(message: bigint, at: number): Promise<void>
  /** Adds a heartbeat row of one server. */
  alive(
    from: number,
    to: number,
    state?: { server?: string; readOnly?: 0 | 1; disabled?: string },
  ): Promise<void>
}

/** Returns functions that insert into an open database. Ids count up from 1. */
export function recordsOf({ write }: Database): Records {
  let last = 0n
  const nextId = () => ++last
  const insert = <Table extends keyof Schema>(table: Table, row: Insertable<Schema[Table]>) =>
    write((tx) =>
      tx
        .insertInto(table)
        .values(row as never)
        .execute(),
    )

  const insertMessage = async (
    directory: bigint,
    publishAt: number,
    body: string,
    visible: 0 | 1,
    investigation: bigint | null,
  ): Promise<bigint> => {
    const id = nextId()
    await insert('messages', {
      id,
      directory_id: directory,
      investigation_id: investigation,
      body,
      body_hash: '0'.repeat(64),
      body_bytes: Buffer.byteLength(body),
      author_label: '',
      received_at: publishAt,
      publish_at: publishAt,
      hidden: visible ? 0 : 1,
      visible,
      salt: String(id).padStart(32, '0'),
    })
    return id
  }

  const insertEntry = (message_id: bigint, investigation_id: bigint, kind: EntryKind, n: number) =>
    insert('entries', {
      message_id,
      investigation_id,
      kind,
      sources: JSON.stringify(Array(n).fill({ url: 'https://example.org/', note: '' })),
      source_count: n,
      links: '[]',
    })

  return {
    async directory(path, createdAt, visible = 1) {
      const id = nextId()
      const row = { id, path, parent_id: null, author_label: '', created_at: createdAt }
      await insert('directories', { ...row, hidden: visible ? 0 : 1, visible })
      return id
    },
    message: (directory, publishAt, body, visible = 1) =>
      insertMessage(directory, publishAt, body, visible, null),
    async investigation(directory, at, sources, visible = 1) {
      const id = nextId()
      const root = await insertMessage(directory, at, 'a question', visible, id)
      const row = { id, root_message_id: root, directory_id: directory, created_at: at }
      const hidden = visible ? 0 : 1
      await insert('investigations', { ...row, title: 'Why?', hidden, visible })
      await insertEntry(root, id, 'question', sources)
      return { id, root }
    },
    async entry(investigation, directory, at, kind, sources, visible = 1) {
      const id = await insertMessage(directory, at, `an ${kind}`, visible, investigation)
      await insertEntry(id, investigation, kind, sources)
      return id
    },
    async review(message, at) {
      const words = { outcome: 'unsupported' as const, reason: 'no evidence', evidence_note: '' }
      const row = { id: nextId(), message_id: message, created_at: at, supersedes_id: null }
      await insert('reviews', { ...row, ...words })
    },
    async alive(from, to, { server = 'a', readOnly = 0, disabled = '' } = {}) {
      const row = { id: nextId(), server, from_at: from, to_at: to, stopped: 0 as const }
      await insert('liveness', { ...row, read_only: readOnly, disabled_features: disabled })
    },
  }
}
