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
import { ARCHIVE_URL } from '../../archive/format/paths.ts'
import { directoryCreation, messageCreation } from '../board/creations.ts'
import { readConfig } from '../config.ts'
import { contributionCreation, investigationCreation } from '../investigations/creations.ts'
import { beginStretch, extendStretch } from '../liveness/queries.ts'
import { moderate } from '../moderation/queries.ts'
import { publishAt } from '../publishing/batch.ts'
import { draftOf } from '../publishing/creation.ts'
import { recordReview } from '../reviews/queries.ts'
import { startService } from '../service.ts'
import { stopSignal } from '../signals.ts'
import { openStore, type Store } from '../store/database.ts'
import { loadDotEnv } from '../store/location.ts'
import type { Schema } from '../store/schema.ts'
import { system } from '../system.ts'
import { type Act, DEMO_WEEK, type DemoDay } from './week.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const PIPELINE = fileURLToPath(new URL('../../pipeline/commands/snapshot.ts', import.meta.url))

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
  if ('directory' in act) {
    const directory = { path: act.directory, author_label: act.by ?? '' }
    await publishAt(tx, draftOf(directoryCreation, directory), at)
  } else if ('review' in act) {
    const { outcome, reason, note: evidence_note = '' } = act
    const { message: message_id } = known(named, act.review)
    await recordReview(tx, { message_id, outcome, reason, evidence_note }, at)
  } else if ('hide' in act) {
    const { message: id } = known(named, act.hide)
    await moderate(tx, { act: 'hide', kind: 'message', id, reason: act.reason }, at)
  } else {
    const record = await publish(tx, act, at, named)
    if (act.name) named.set(act.name, record)
  }
}

type Publication = Extract<Act, { body: string }>

async function publish(
  tx: Transaction<Schema>,
  act: Publication,
  at: number,
  named: Map<string, Named>,
): Promise<Named> {
  const text = { body: act.body, author_label: act.by ?? '' }
  if ('say' in act) {
    const draft = draftOf(messageCreation, { directory: act.say, ...text })
    const { message_id } = await publishAt(tx, draft, at)
    return { message: message_id }
  }
  const sources = (act.sources ?? []).map(({ url, note = '' }) => ({ url, note }))
  if ('ask' in act) {
    const question = { directory: act.ask, title: act.title, ...text, sources }
    const draft = draftOf(investigationCreation, question)
    const { id, root_message_id } = await publishAt(tx, draft, at)
    return { message: root_message_id, investigation: id }
  }
  const links = (act.links ?? []).map(({ to, relation }) => ({
    message_id: known(named, to).message,
    relation,
  }))
  const { investigation } = known(named, act.add)
  const contribution = { kind: act.kind, ...text, sources, links }
  const draft = draftOf(contributionCreation, {
    investigation: investigation as bigint,
    contribution,
  })
  const { message_id } = await publishAt(tx, draft, at)
  return { message: message_id }
}

/** @throws Error when the week names something before it is there */
function known(named: Map<string, Named>, name: string): Named {
  const record = named.get(name)
  if (!record) throw new Error(`${name}: no act before this one has the name`)
  return record
}

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
  const stopped = stopSignal()
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

  const log = pino({ level: 'warn' })
  const service = await startService({ ...config, schedule: undefined }, log, system)
  console.error(
    `The demo listens on ${service.url} (its transmissions: ${new URL(ARCHIVE_URL, service.url)})`,
  )
  await stopped
  await service.stop()
  await rm(dataDir, { recursive: true, force: true })
}

if (import.meta.main)
  main().then(
    () => process.exit(0),
    (error: Error & { code?: string }) => {
      console.error(`demo: ${error.message}`)
      process.exit(error.code?.startsWith('ERR_PARSE_ARGS') ? 2 : 1)
    },
  )
