// npm run demo: a throw-away data folder with a week of sample activity, its transmissions, and the server on it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Transaction } from 'kysely'
import pino from 'pino'
import { createDirectory, createMessage } from './board/queries.ts'
import { loadDotEnv, readConfig } from './config.ts'
import { type Act, DEMO_WEEK, type DemoDay } from './demo-week.ts'
import { contribute, createInvestigation } from './investigations/queries.ts'
import { beginStretch, extendStretch } from './liveness/queries.ts'
import { startService } from './main.ts'
import { moderate } from './moderation/queries.ts'
import { recordReview } from './reviews/queries.ts'
import { openStore, type Store } from './store/database.ts'
import type { Schema } from './store/schema.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const PIPELINE = fileURLToPath(new URL('../pipeline/cli.ts', import.meta.url))

const USAGE = `Usage: npm run demo

Makes a throw-away data folder with a week of sample activity, renders the seven
transmissions, and serves them at HOST and PORT until it is stopped.
`

/** A record that later acts refer to by name. */
interface Named {
  message: bigint
  /** Set for a question. */
  investigation?: bigint
}

/** Fills the seven days before the one that `now` is in. */
export async function liveDemoWeek(store: Store, now: number): Promise<void> {
  const today = Math.floor(now / DAY_MS) * DAY_MS
  const named = new Map<string, Named>()
  for (const [i, day] of DEMO_WEEK.entries()) {
    const midnight = today - (DEMO_WEEK.length - i) * DAY_MS
    await store.write((tx) => noteLife(tx, midnight, day))
    for (const act of day.acts) {
      const at = midnight + timeOfDay(act.at)
      await store.write((tx) => perform(tx, act, at, named))
    }
  }
}

/** `08:15` as ms since midnight. */
function timeOfDay(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return (hours * 60 + minutes) * 60_000
}

/** One server, there all day but for the outage. */
async function noteLife(tx: Transaction<Schema>, midnight: number, day: DemoDay): Promise<void> {
  const { from, to } = day.outage ?? { from: '24:00', to: '24:00' }
  const stretches = [
    [midnight, midnight + timeOfDay(from)],
    [midnight + timeOfDay(to), midnight + DAY_MS],
  ] as const
  for (const [begin, end] of stretches) {
    if (begin === end) continue
    const id = await beginStretch(tx, 'demo', begin, { readOnly: false, disabled: [] })
    await extendStretch(tx, id, end)
  }
}

/** Does one act through the functions that the routes and the operator's command use. */
async function perform(
  tx: Transaction<Schema>,
  act: Act,
  at: number,
  named: Map<string, Named>,
): Promise<void> {
  const author_label = act.by ?? ''
  const times = { receivedAt: at, publishAt: at }
  const find = (name: string) => named.get(name) as Named
  if ('directory' in act) await createDirectory(tx, { path: act.directory, author_label }, at)
  else if ('say' in act) {
    const { body, say: directory } = act
    const { id } = await createMessage(tx, { directory, body, author_label }, at, at)
    if (act.name) named.set(act.name, { message: id })
  } else if ('ask' in act) {
    const { ask: directory, title, body } = act
    const request = { directory, title, body, author_label, sources: sourcesOf(act) }
    const { id, root_message_id } = await createInvestigation(tx, request, times)
    named.set(act.name, { message: root_message_id, investigation: id })
  } else if ('add' in act) {
    const { kind, body } = act
    const links = (act.links ?? []).map(({ to, relation }) => ({
      message_id: find(to).message,
      relation,
    }))
    const request = { kind, body, author_label, sources: sourcesOf(act), links }
    const { message_id } = await contribute(
      tx,
      find(act.add).investigation as bigint,
      request,
      times,
    )
    if (act.name) named.set(act.name, { message: message_id })
  } else if ('review' in act) {
    const { outcome, reason, note: evidence_note = '' } = act
    const message_id = find(act.review).message
    await recordReview(tx, { message_id, outcome, reason, evidence_note }, at)
  } else {
    const { hide, reason } = act
    await moderate(tx, { act: 'hide', kind: 'message', id: find(hide).message, reason }, at)
  }
}

const sourcesOf = (act: { sources?: { url: string; note?: string }[] }) =>
  (act.sources ?? []).map(({ url, note = '' }) => ({ url, note }))

/** Renders what is missing, with the command's own progress bar. */
async function renderWeek(env: NodeJS.ProcessEnv): Promise<void> {
  const run = spawn(process.execPath, [PIPELINE], { env, stdio: 'inherit' })
  const [code] = (await once(run, 'close')) as [number | null]
  if (code !== 0) throw new Error('the transmissions could not be made')
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } })
  if (values.help) {
    process.stdout.write(USAGE)
    return
  }
  loadDotEnv()
  const dataDir = await mkdtemp(join(tmpdir(), 'daysignal-demo-'))
  const { DATABASE_URL: _, ARCHIVE_DIR: __, ...kept } = process.env
  const env = { ...kept, DATA_DIR: dataDir }
  const config = readConfig(env)

  const store = await openStore(config.database, { create: true })
  await liveDemoWeek(store, Date.now())
  await store.close()
  console.error(`A week of sample activity lies in ${dataDir}; now its seven transmissions:`)
  await renderWeek(env)

  const service = await startService({ ...config, schedule: undefined }, pino({ level: 'warn' }))
  console.error(
    `The demo listens on ${service.url} (its transmissions: ${service.url}transmissions)`,
  )
  const stop = async () => {
    await service.stop()
    await rm(dataDir, { recursive: true, force: true })
    process.exit(0)
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

main().catch((error: Error & { code?: string }) => {
  console.error(`demo: ${error.message}`)
  process.exit(error.code?.startsWith('ERR_PARSE_ARGS') ? 2 : 1)
})
