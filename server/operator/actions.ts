// The operator commands that change something: reviews, moderation and modes. Each writes the moderation log in the
// transaction that makes the change visible.
import { admitCommand } from '../clock/command.ts'
import { eraseMessage } from '../moderation/erase.ts'
import { nameOf } from '../moderation/rules.ts'
import { moderateInSlices } from '../moderation/sweeps.ts'
import { readModes, setFeature, setReadOnly } from '../modes/queries.ts'
import { recordReview } from '../reviews/queries.ts'
import { logAction } from '../store/action-log.ts'
import type { Store } from '../store/database.ts'
import type { Clock } from '../system.ts'
import type { Command } from './command.ts'

/** The output of a command: JSON with `--json`, text otherwise. */
export interface Output {
  json: unknown
  text: string
  /** The reason why a check failed; the exit code is then 1. */
  failedCheck?: string
}

/** Styles a heading for the terminal. */
export type Style = (line: string) => string

/** Returns the wall time [ms since 1970]. Called once the write lock is held. */
type Now = () => number

type CommandOf<Name extends Command['name']> = Extract<Command, { name: Name }>

export async function review(
  store: Store,
  { input }: CommandOf<'review'>,
  clock: Clock,
): Promise<Output> {
  const record = await store.write(async (tx, opening) =>
    recordReview(tx, input, await admitCommand(tx, opening, clock)),
  )
  const superseded =
    record.supersedes_id === null ? '' : `, supersedes review ${record.supersedes_id}`
  return {
    json: record,
    text: `review ${record.id} of message ${record.message_id}: ${record.outcome}${superseded}`,
  }
}

export async function moderation(
  store: Store,
  { moderation: request }: CommandOf<'hide' | 'show'>,
  now: Now,
): Promise<Output> {
  const { act, kind, reason } = request
  const { changed, visible } = await moderateInSlices(store, request, now)
  const target = nameOf(request)
  const hidden = act === 'hide'
  const already = changed ? '' : 'already '
  const still = !hidden && !visible ? '; what it belongs to is still hidden' : ''
  return {
    json: { act, target_kind: kind, target, hidden, visible, reason, changed },
    text: `${kind} ${target} is ${already}${hidden ? 'hidden' : 'shown'}${still}`,
  }
}

export async function erase(
  store: Store,
  { erasure }: CommandOf<'erase'>,
  now: Now,
): Promise<Output> {
  const { id, reason } = erasure
  const changed = await store.write((tx) => eraseMessage(tx, erasure, now()))
  return {
    json: { act: 'erase', target_kind: 'message', target: String(id), reason, changed },
    text: changed
      ? `message ${id} is erased; API.md 10.5 names what remains, and backups still contain it`
      : `message ${id} is already erased`,
  }
}

export async function mode(
  store: Store,
  { readOnly, reason }: CommandOf<'mode'>,
  now: Now,
): Promise<Output> {
  const target = readOnly ? 'read-only' : 'open'
  const changed = await store.write(async (tx) => {
    if ((await readModes(tx)).readOnly === readOnly) return false
    await setReadOnly(tx, readOnly, reason)
    await logAction(tx, { act: 'mode', target_kind: 'service', target, reason }, now())
    return true
  })
  return {
    json: { mode: target, changed },
    text: `the mode is ${changed ? '' : 'already '}${target}`,
  }
}

export async function feature(
  store: Store,
  { feature: name, on, reason }: CommandOf<'feature'>,
  now: Now,
): Promise<Output> {
  const to = on ? 'on' : 'off'
  const changed = await store.write(async (tx) => {
    if ((await readModes(tx)).disabled.includes(name) !== on) return false
    await setFeature(tx, name, on)
    const act = { act: 'feature', target_kind: 'service', target: `${name} ${to}`, reason } as const
    await logAction(tx, act, now())
    return true
  })
  return {
    json: { feature: name, switch: to, changed },
    text: `the feature ${name} is ${changed ? '' : 'already '}${to}`,
  }
}
