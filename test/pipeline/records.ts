// Inserts records directly into the tables, for tests of the pipeline's queries.
import type { Database } from '../../server/database/database.ts'
import type { EntryKind } from '../../server/database/schema/schema.ts'

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

  const insertMessage = async (
    directory: bigint,
    publishAt: number,
    body: string,
    visible: 0 | 1,
    investigation: bigint | null,
  ): Promise<bigint> => {
    const id = nextId()
    await write((tx) =>
      tx
        .insertInto('messages')
        .values({
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
        .execute(),
    )
    return id
  }

  const insertEntry = (message_id: bigint, investigation_id: bigint, kind: EntryKind, n: number) =>
    write((tx) =>
      tx
        .insertInto('entries')
        .values({
          message_id,
          investigation_id,
          kind,
          sources: JSON.stringify(Array(n).fill({ url: 'https://example.org/', note: '' })),
          source_count: n,
          links: '[]',
        })
        .execute(),
    )

  return {
    async directory(path, createdAt, visible = 1) {
      const id = nextId()
      const hidden = visible ? 0 : 1
      await write((tx) =>
        tx
          .insertInto('directories')
          .values({
            id,
            path,
            parent_id: null,
            author_label: '',
            created_at: createdAt,
            hidden,
            visible,
          })
          .execute(),
      )
      return id
    },
    message: (directory, publishAt, body, visible = 1) =>
      insertMessage(directory, publishAt, body, visible, null),
    async investigation(directory, at, sources, visible = 1) {
      const id = nextId()
      const root = await insertMessage(directory, at, 'a question', visible, id)
      const row = {
        id,
        root_message_id: root,
        directory_id: directory,
        title: 'Why?',
        created_at: at,
      }
      await write((tx) =>
        tx
          .insertInto('investigations')
          .values({ ...row, hidden: visible ? 0 : 1, visible })
          .execute(),
      )
      await insertEntry(root, id, 'question', sources)
      return { id, root }
    },
    async entry(investigation, directory, at, kind, sources, visible = 1) {
      const id = await insertMessage(directory, at, `an ${kind}`, visible, investigation)
      await insertEntry(id, investigation, kind, sources)
      return id
    },
    async review(message, at) {
      await write((tx) =>
        tx
          .insertInto('reviews')
          .values({
            id: nextId(),
            message_id: message,
            outcome: 'unsupported',
            reason: 'no evidence',
            evidence_note: '',
            created_at: at,
            supersedes_id: null,
          })
          .execute(),
      )
    },
    async alive(from, to, { server = 'a', readOnly = 0, disabled = '' } = {}) {
      await write((tx) =>
        tx
          .insertInto('liveness')
          .values({
            id: nextId(),
            server,
            from_at: from,
            to_at: to,
            read_only: readOnly,
            disabled_features: disabled,
            stopped: 0,
          })
          .execute(),
      )
    },
  }
}
