// A server to compare with: bare h3 that reads a page of messages from a SQLite file with one prepared statement, and
// sends its rows as JSON.
import { DatabaseSync } from 'node:sqlite'
import { H3, HTTPResponse, serve } from 'h3'

const [port, file] = process.argv.slice(2) as [string, string]
const db = new DatabaseSync(file, { readOnly: true })

const messages = (where: string) =>
  db.prepare(`select m.id, d.path as directory, m.body, m.body_hash, m.author_label, m.received_at, m.publish_at
    from messages m join directories d on d.id = m.directory_id
    where m.visible = 1 and ${where} and m.id > ? order by m.id limit ?`)

const all = messages('true')
const inDirectory = messages('m.directory_id = (select id from directories where path = ?)')
const entries =
  db.prepare(`select m.id, m.body, m.body_hash, m.author_label, m.received_at, m.publish_at,
    e.kind, e.sources, e.links, r.outcome, r.reason, r.evidence_note, r.created_at
  from messages m join entries e on e.message_id = m.id
    left join reviews r on r.id = (select max(id) from reviews where message_id = m.id)
  where m.visible = 1 and m.investigation_id = ? and m.id > ? order by m.id limit ?`)

const headers = { 'content-type': 'application/json; charset=utf-8' }
serve(
  new H3().all('/**', ({ url }) => {
    const after = Number(url.searchParams.get('after'))
    const limit = Number(url.searchParams.get('limit'))
    const directory = url.searchParams.get('directory')
    const [, investigation] = /^\/investigations\/(\d+)/.exec(url.pathname) ?? []
    const rows = investigation
      ? entries.all(Number(investigation), after, limit)
      : directory === null
        ? all.all(after, limit)
        : inDirectory.all(directory, after, limit)
    return new HTTPResponse(JSON.stringify({ messages: rows }), { headers })
  }),
  { hostname: '127.0.0.1', port: Number(port), silent: true },
)
