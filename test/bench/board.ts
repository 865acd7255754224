// The board under load: writers and readers on two servers; pages beside hidden rows; hiding a large tree.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { listMessages } from '../../server/board/queries.ts'
import { moderate } from '../../server/moderation/queries.ts'
import { openStore, type Store } from '../../server/store/database.ts'
import { traffic } from '../support/traffic.ts'

const WRITERS = 16
const TRAFFIC_MS = 30_000

const HIDDEN_ROWS = 900_000
const VISIBLE_ROWS = 100_000
const ROUNDS = 101

export async function benchBoard(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'bench-board-'))
  try {
    await measureTraffic(join(dir, 'traffic'))
    await measurePages(join(dir, 'pages.sqlite'))
  } finally {
    rmSync(dir, { recursive: true })
  }
}

/** 16 writers and 4 cursor readers for 30 s, on two server processes of one database. */
async function measureTraffic(dataDir: string): Promise<void> {
  const servers: ChildProcess[] = []
  const urls: string[] = []
  for (let i = 0; i < 2; i++) {
    const { server, url } = await startServer(dataDir)
    servers.push(server)
    urls.push(url)
  }
  try {
    const { all, seen, writesPerSecond, readsPerSecond } = await traffic(urls, WRITERS, TRAFFIC_MS)
    const missed = seen.all.map((ids) => all.length - new Set(ids).size)
    console.log(
      `board: ${WRITERS} writers and 4 cursor readers for ${TRAFFIC_MS / 1000} s on 2 servers`,
    )
    console.log(
      `  ${all.length} publications, missed by the readers of all: ${missed.join(' and ')}`,
    )
    console.log(
      `  ${writesPerSecond.toFixed(0)} publications/s, ${readsPerSecond.toFixed(0)} pages/s`,
    )
  } finally {
    for (const server of servers) {
      server.kill('SIGTERM')
      await once(server, 'exit')
    }
  }
}

async function startServer(dataDir: string): Promise<{ server: ChildProcess; url: string }> {
  const port = await freePort()
  const unlimited = Object.fromEntries(
    ['MESSAGES_ORIGIN_MINUTE', 'MESSAGES_GLOBAL_MINUTE', 'MESSAGES_GLOBAL_DAY'].map((name) => [
      `LIMIT_${name}`,
      '0',
    ]),
  )
  const env = {
    DATA_DIR: dataDir,
    PORT: String(port),
    SCHEDULE: 'off',
    LOG_LEVEL: 'warn',
    ...unlimited,
  }
  const server = spawn(process.execPath, ['server/start.js'], { env, stdio: 'inherit' })
  const url = `http://127.0.0.1:${port}`
  while (
    !(await fetch(`${url}/healthz`).then(
      (answer) => answer.ok,
      () => false,
    ))
  )
    if (server.exitCode !== null) throw new Error('the server did not start')
  return { server, url }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  probe.close()
  return port
}

/** A page beyond 900,000 hidden rows, and hiding and showing a tree of 100,000 messages. */
async function measurePages(path: string): Promise<void> {
  await (await openStore(path, { create: true })).close()
  fill(path)
  const store = await openStore(path, { create: false })
  const page = async (after: bigint) => {
    const times: number[] = []
    for (let i = 0; i < ROUNDS; i++)
      times.push(await timed(() => listMessages(store.db, { after, limit: 50 })))
    return median(times)
  }
  console.log(`board: ${HIDDEN_ROWS} hidden and ${VISIBLE_ROWS} visible messages`)
  console.log(`  a page of 50 beyond the hidden ones   ${(await page(0n)).toFixed(2)} ms`)
  console.log(`  a page of 50 among the visible ones   ${(await page(950_000n)).toFixed(2)} ms`)
  for (const act of ['hide', 'show'] as const)
    console.log(
      `  ${act} the directory of the visible ones ${(await timed(() => turn(store, act))).toFixed(0)} ms`,
    )
  await store.close()
}

const turn = (store: Store, act: 'hide' | 'show') =>
  store.write((tx) =>
    moderate(tx, { act, kind: 'directory', path: 'shown', reason: 'a bench' }, Date.now()),
  )

function fill(path: string): void {
  const db = new DatabaseSync(path)
  db.exec(`
    begin;
    insert into directories (id, path, parent_id, author_label, created_at, hidden, visible)
      values (1, 'gone', null, '', 0, 1, 0), (2, 'shown', null, '', 0, 0, 1);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${HIDDEN_ROWS + VISIBLE_ROWS})
    insert into messages (id, directory_id, body, body_hash, body_bytes, author_label, received_at, publish_at, hidden, visible)
      select i, iif(i <= ${HIDDEN_ROWS}, 1, 2), hex(randomblob(100)), hex(randomblob(32)), 200, '', i, i,
        0, iif(i <= ${HIDDEN_ROWS}, 0, 1) from n;
    commit`)
  db.close()
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

const median = (values: number[]): number =>
  values.sort((a, b) => a - b)[values.length >> 1] as number
