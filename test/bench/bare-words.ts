// A server to compare with: bare node:http that reads all messages of a SQLite file with one statement, and sends each row as
// a line of JSON.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'

const [port, file, first, last] = process.argv.slice(2) as [string, string, string, string]
const db = new DatabaseSync(file, { readOnly: true })
const CHUNK = 64 * 1024
const rows = db.prepare(`select m.id, d.path as directory, m.body, m.body_hash, m.author_label,
    m.received_at, m.publish_at, e.investigation_id, e.kind, i.title, e.sources, e.links, m.salt
  from messages m join directories d on d.id = m.directory_id
    left join entries e on e.message_id = m.id left join investigations i on i.root_message_id = m.id
  where m.id between ? and ? and m.visible = 1 order by m.id`)

createServer(async (_, response) => {
  let text = ''
  for (const row of rows.iterate(Number(first), Number(last))) {
    text += `${JSON.stringify(row)}\n`
    if (text.length < CHUNK) continue
    if (!response.write(text)) await once(response, 'drain')
    text = ''
  }
  response.end(text)
}).listen(Number(port), '127.0.0.1')
