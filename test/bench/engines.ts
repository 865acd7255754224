// npm run bench -- engines: measures writes on PostgreSQL, and on SQLite in the same run. It calls the publisher
// directly, without HTTP, so that only the engine differs.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { directoryCreation, messageCreation } from '../../server/board/creations.ts'
import type { Database } from '../../server/database/database.ts'
import { isUnavailable } from '../../server/database/errors.ts'
import { openDatabase } from '../../server/database/open.ts'
import { readModes } from '../../server/modes/queries.ts'
import {
  type BatchDeps,
  publishAt,
  publishBatch,
  type Request,
} from '../../server/publishing/batch.ts'
import { LIMITS, type Quotas } from '../../server/publishing/limits.ts'
import { startPublisher } from '../../server/publishing/publisher.ts'
import { system } from '../../server/system/system.ts'
import { guardOf } from '../support/clock-guard.ts'
import { startCluster } from '../support/postgres.ts'

const ROUNDS = 3
const WRITERS = [16, 64]
const RUN_MS = 4_000
/** Number of origins that the writers have; each has its own windows. */
const ORIGINS = 200

const DEPS: BatchDeps = {
  quotas: Object.fromEntries(Object.keys(LIMITS).map((name) => [name, 1e9])) as Quotas,
  clock: system.clock,
  randomHex: system.randomHex,
  clockGuard: guardOf(system.clock),
  modes: { in: readModes },
  restoreGuard: () => null,
}

export async function surveyEngines(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'daysignal-bench-'))
  const cluster = await startCluster({ durable: true })
  try {
    const sqlite = await prepared(join(dir, 'bench.sqlite'))
    const postgres = await prepared(cluster.primary.url())
    await benchWrites({ postgres, sqlite })
    await sqlite.close()
    await postgres.close()
  } finally {
    await cluster.stop()
    rmSync(dir, { recursive: true })
  }
}

async function prepared(address: string): Promise<Database> {
  const database = await openDatabase(address, { clock: system.clock, create: true })
  const input = { path: 'bench', author_label: '' }
  await database.write((tx) =>
    publishAt(tx, directoryCreation, input, { at: Date.now(), randomHex: system.randomHex }),
  )
  return database
}

let requests = 0
/** Makes a request for a message of 200 characters, with a new key. */
function nextRequest(): Request {
  const n = String(requests++)
  const input = { directory: 'bench', body: n.padEnd(200, 'x'), author_label: '' }
  const { limits, operation } = messageCreation
  const origin = `origin ${requests % ORIGINS}`
  const keyed = { operation, origin, key: n, requestHash: n.padEnd(64, '0') }
  const creation = messageCreation
  return { creation, input, limits, origin, keyed, arrivedAt: system.clock.monotonic() }
}

type Publish = (request: Request) => Promise<unknown>

const log = pino({ level: 'silent' })
const batched = (database: Database): Publish => startPublisher({ ...DEPS, database, log }).publish
const oneByOne =
  (database: Database): Publish =>
  (request) =>
    database.write((tx, opening) => publishBatch(tx, opening, [request], DEPS))

async function benchWrites({ postgres, sqlite }: Record<'postgres' | 'sqlite', Database>) {
  const ways: Record<string, Publish> = {
    'PostgreSQL, batched': batched(postgres),
    'PostgreSQL, one transaction per request': oneByOne(postgres),
    'SQLite, batched': batched(sqlite),
  }
  for (const writers of WRITERS) {
    const found = new Map<string, number[]>()
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, publish] of Object.entries(ways))
        found.set(name, [...(found.get(name) ?? []), await writesPerSecond(publish, writers)])
    for (const [name, rates] of found)
      console.log(`${writers} writers, ${name}: ${rates.map(Math.round).join(', ')} messages/s`)
  }
}

async function writesPerSecond(publish: Publish, writers: number): Promise<number> {
  const began = performance.now()
  let done = 0
  const work = Array.from({ length: writers }, async () => {
    while (performance.now() - began < RUN_MS) {
      // A request that times out in the queue was not written, and is not counted.
      const isDone = await publish(nextRequest()).then(() => true, falseIfUnavailable)
      if (isDone) done++
    }
  })
  await Promise.all(work)
  return (done * 1000) / (performance.now() - began)
}

function falseIfUnavailable(error: unknown): false {
  if (!isUnavailable(error)) throw error
  return false
}
