// A server to compare with: bare h3 that inserts messages into SQLite, with one commit per message or per group.
import { hash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { H3, HTTPResponse, serve } from 'h3'

interface Message {
  directory: string
  body: string
}

const [port, file, kind] = process.argv.slice(2) as [string, string, 'single' | 'group']
const db = new DatabaseSync(file)
db.exec(`pragma journal_mode = wal; pragma synchronous = full;
  create table messages (id integer primary key, directory text, body text, body_hash text, publish_at integer)`)
const statement = db.prepare(
  'insert into messages (directory, body, body_hash, publish_at) values (?, ?, ?, ?)',
)
const insert = ({ directory, body }: Message) =>
  statement.run(directory, body, hash('sha256', body), Date.now()).lastInsertRowid

let waiting: { message: Message; resolve(id: number | bigint): void }[] = []

async function commitWaiting(): Promise<void> {
  // Collects a group as the service does: until a turn of the event loop adds no message.
  let size: number
  do {
    size = waiting.length
    await setImmediate()
  } while (waiting.length > size)
  const batch = waiting
  waiting = []
  db.exec('begin immediate')
  const ids = batch.map(({ message }) => insert(message))
  db.exec('commit')
  for (const [i, { resolve }] of batch.entries()) resolve(ids[i] as number | bigint)
}

function publish(message: Message): Promise<number | bigint> | number | bigint {
  if (kind === 'single') return insert(message)
  return new Promise((resolve) => {
    waiting.push({ message, resolve })
    if (waiting.length === 1) void commitWaiting()
  })
}

const headers = { 'content-type': 'application/json; charset=utf-8' }
const app = new H3()
  .get('/', () => new HTTPResponse(''))
  .post('/api/v1/messages', async ({ req }) => {
    const id = await publish((await req.json()) as Message)
    return new HTTPResponse(JSON.stringify({ message_id: Number(id) }), { status: 201, headers })
  })
serve(app, { hostname: '127.0.0.1', port: Number(port), silent: true })
