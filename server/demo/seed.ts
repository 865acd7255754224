// Writes the demo's days to a database, through the functions that the routes and the operator command use.
import { DAY_MS } from '../../protocol/index.ts'
import { directoryCreation, messageCreation } from '../board/creations.ts'
import type { Database, Transaction } from '../database/database.ts'
import type { EntryKind, Relation, ReviewOutcome } from '../database/schema/schema.ts'
import { contributionCreation, investigationCreation } from '../investigations/creations.ts'
import { beginInterval, extendInterval } from '../liveness/queries.ts'
import { moderate } from '../moderation/queries.ts'
import { publishAt } from '../publishing/batch.ts'
import { recordReview } from '../reviews/queries.ts'
import type { System } from '../system/system.ts'
import { messageUrl } from '../wire/addresses.ts'

/** An activity at a time of day, such as `08:15` (UTC). A record that later ones refer to has a `name`. */
export type Activity = { at: string; by?: string } & (
  | { directory: string }
  | { say: string; body: string; name?: string; answers?: string }
  | {
      ask: string
      title: string
      body: string
      answers?: string
      sources?: Source[]
      name: string
    }
  | {
      add: string
      kind: Exclude<EntryKind, 'question'>
      body: string
      sources?: Source[]
      links?: { to: string; relation: Relation }[]
      name?: string
    }
  | { review: string; outcome: ReviewOutcome; reason: string; note?: string }
  | { hide: string; reason: string }
)

interface Source {
  url: string
  note?: string
}

export interface DemoDay {
  activities: readonly Activity[]
  /** The server is down between these times. */
  outage?: { from: string; to: string }
}

type When = Parameters<typeof publishAt>[3]

const MINUTE_MS = 60_000

/** A record that later activities refer to by name. */
interface Named {
  message: bigint
  /** Set for a question. */
  investigation?: bigint
}

/**
 * Writes the given days and today's activities before `now`.
 * @param days the last one is yesterday
 * @param context.now [ms since 1970]
 * @param context.randomHex makes the salts of messages
 */
export async function seedDemo(
  database: Database,
  days: readonly DemoDay[],
  today: readonly Activity[],
  { now, randomHex }: { now: number } & Pick<System, 'randomHex'>,
): Promise<void> {
  const lastMidnight = Math.floor(now / DAY_MS) * DAY_MS
  const named = new Map<string, Named>()
  for (const [i, day] of [...days, { activities: today }].entries()) {
    const midnight = lastMidnight - (days.length - i) * DAY_MS
    await database.write(async (tx) => {
      await writeHeartbeats(tx, midnight, Math.min(now, midnight + DAY_MS), day)
      for (const activity of day.activities) {
        const at = midnight + timeOfDay(activity.at)
        if (at < now) await perform(tx, activity, { at, randomHex }, named)
      }
    })
  }
}

/** Converts `08:15` to the time since midnight [ms]. */
function timeOfDay(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return (hours * 60 + minutes) * MINUTE_MS
}

/** Writes the heartbeats of one server that runs from midnight to `end`, except during the outage. */
async function writeHeartbeats(
  tx: Transaction,
  midnight: number,
  end: number,
  { outage }: DemoDay,
): Promise<void> {
  const write = async (from: number, to: number) => {
    const id = await beginInterval(tx, 'demo', from, { readOnly: false, disabled: [] })
    await extendInterval(tx, id, to)
  }
  if (!outage) return write(midnight, end)
  await write(midnight, midnight + timeOfDay(outage.from))
  await write(midnight + timeOfDay(outage.to), end)
}

async function perform(tx: Transaction, activity: Activity, when: When, named: Map<string, Named>) {
  if ('directory' in activity) {
    const directory = { path: activity.directory, author_label: activity.by ?? '' }
    await publishAt(tx, directoryCreation, directory, when)
  } else if ('review' in activity) {
    const { outcome, reason, note: evidence_note = '' } = activity
    const { message: message_id } = requireNamed(named, activity.review)
    await recordReview(tx, { message_id, outcome, reason, evidence_note }, when.at)
  } else if ('hide' in activity) {
    const { message: id } = requireNamed(named, activity.hide)
    await moderate(tx, { act: 'hide', kind: 'message', id, reason: activity.reason }, when.at)
  } else {
    const record = await publish(tx, activity, when, named)
    if (activity.name) named.set(activity.name, record)
  }
}

async function publish(
  tx: Transaction,
  activity: Extract<Activity, { body: string }>,
  when: When,
  named: Map<string, Named>,
): Promise<Named> {
  const answered = 'answers' in activity && activity.answers
  const address = answered ? `\n\n${messageUrl(requireNamed(named, answered).message)}` : ''
  const text = { body: activity.body + address, author_label: activity.by ?? '' }
  if ('say' in activity) {
    const input = { directory: activity.say, ...text }
    const { message_id } = await publishAt(tx, messageCreation, input, when)
    return { message: message_id }
  }
  const sources = (activity.sources ?? []).map(({ url, note = '' }) => ({ url, note }))
  if ('ask' in activity) {
    const question = { directory: activity.ask, title: activity.title, ...text, sources }
    const { id, root_message_id } = await publishAt(tx, investigationCreation, question, when)
    return { message: root_message_id, investigation: id }
  }
  const links = (activity.links ?? []).map(({ to, relation }) => ({
    message_id: requireNamed(named, to).message,
    relation,
  }))
  const { investigation } = requireNamed(named, activity.add)
  const contribution = { kind: activity.kind, ...text, sources, links }
  const input = { investigation: investigation as bigint, contribution }
  const { message_id } = await publishAt(tx, contributionCreation, input, when)
  return { message: message_id }
}

/** Returns a record by its name. @throws Error if the data refers to it before it exists */
function requireNamed(named: Map<string, Named>, name: string): Named {
  const record = named.get(name)
  if (!record) throw new Error(`${name}: no earlier record has this name`)
  return record
}
