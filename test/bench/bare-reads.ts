// A server to compare with: bare h3 that reads a page of messages from SQLite or PostgreSQL with one prepared statement,
// and sends its rows as JSON.
import { DatabaseSync } from 'node:sqlite'
import { H3, HTTPResponse, serve } from 'h3'
import pg from 'pg'

type Rows = unknown[] | Promise<unknown[]>
type Statement = (...values: (string | number)[]) => Rows

const [port, address] = process.argv.slice(2) as [string, string]

/** As many connections as the service reads with. */
const CONNECTIONS = 10

function onSqlite(): (text: string) => Statement {
  const db = new DatabaseSync(address, { readOnly: true })
  return (text) => {
    const statement = db.prepare(text)
    return (...values) => statement.all(...values)
  }
}

function onPostgres(): (text: string) => Statement {
  const pool = new pg.Pool({ connectionString: address, max: CONNECTIONS })
  // The database may stop before this server.
  pool.on('error', () => {})
  let names = 0
  return (text) => {
    let parameters = 0
    const numbered = text.replaceAll('?', () => `$${++parameters}`)
    const name = `read ${++names}`
    return async (...values) => (await pool.query({ name, text: numbered, values })).rows
  }
}

const prepare = address.startsWith('postgres:') ? onPostgres() : onSqlite()

// SQLite prepares a statement again whenever a value is bound to its limit, unless it has to compute the limit.
const LIMIT = 'limit cast(? as integer)'
const messages = (where: string) =>
  prepare(`select m.id, d.path as directory, m.body, m.body_hash, m.author_label, m.received_at, m.publish_at
    from messages m join directories d on d.id = m.directory_id
    where m.visible = 1 and ${where} and m.id > ? order by m.id ${LIMIT}`)

const all = messages('true')
const inDirectory = messages('m.directory_id = (select id from directories where path = ?)')
const entries =
  prepare(`select m.id, m.body, m.body_hash, m.author_label, m.received_at, m.publish_at,
    e.kind, e.sources, e.links, r.outcome, r.reason, r.evidence_note, r.created_at
  from messages m join entries e on e.message_id = m.id
    left join reviews r on r.id = (select max(id) from reviews where message_id = m.id)
  where m.visible = 1 and m.investigation_id = ? and m.id > ? order by m.id ${LIMIT}`)

function read({ pathname, searchParams }: URL): Rows {
  const after = Number(searchParams.get('after'))
  const limit = Number(searchParams.get('limit'))
  const directory = searchParams.get('directory')
  const [, investigation] = /^\/investigations\/(\d+)/.exec(pathname) ?? []
  if (investigation) return entries(Number(investigation), after, limit)
  return directory === null ? all(after, limit) : inDirectory(directory, after, limit)
}

const headers = { 'content-type': 'application/json; charset=utf-8' }
const answer = (rows: unknown[]) =>
  new HTTPResponse(JSON.stringify({ messages: rows }), { headers })
serve(
  new H3().all('/**', ({ url }) => {
    const rows = read(url)
    return rows instanceof Promise ? rows.then(answer) : answer(rows)
  }),
  { hostname: '127.0.0.1', port: Number(port), silent: true },
)
