// The operator's acts: review, hide, show, mode, feature. Each is one transaction with its log row.

import { logAct } from '../moderation/log.ts'
import { moderate } from '../moderation/queries.ts'
import { nameOf, readTarget, reasonInput, type TargetKind } from '../moderation/rules.ts'
import { readModes, setFeature, setReadOnly } from '../modes/queries.ts'
import type { Feature } from '../modes/rules.ts'
import { recordReview } from '../reviews/queries.ts'
import { reviewInput } from '../reviews/rules.ts'
import type { Store } from '../store/database.ts'
import { readId } from '../wire/query.ts'
import { readShape } from '../wire/shape.ts'
import type { Arguments } from './usage.ts'

/** What a command prints: JSON for programs, text for people. */
export interface Output {
  json: unknown
  text: string
}

/** @param now ms since 1970; read again once the write lock is held */
export type Act = (store: Store, args: Arguments, now: () => number) => Promise<Output>

export const review: Act = async (store, { words: [id], options }, now) => {
  const input = readShape(reviewInput, {
    message_id: readId(id),
    outcome: options.outcome,
    reason: options.reason,
    evidence_note: options['evidence-note'],
  })
  const record = await store.write((tx) => recordReview(tx, input, now()))
  const superseded =
    record.supersedes_id === null ? '' : `, supersedes review ${record.supersedes_id}`
  return {
    json: record,
    text: `review ${record.id} of message ${record.message_id}: ${record.outcome}${superseded}`,
  }
}

const moderation =
  (act: 'hide' | 'show'): Act =>
  async (store, { words: [kind, id], options }, now) => {
    const target = readTarget(kind as TargetKind, id as string)
    const { reason } = readShape(reasonInput, { reason: options.reason })
    const { visible } = await store.write((tx) => moderate(tx, { act, reason, ...target }, now()))
    const hidden = act === 'hide'
    const still = !hidden && !visible ? '; what it belongs to is hidden still' : ''
    return {
      json: { act, target_kind: kind, target: nameOf(target), hidden, visible, reason },
      text: `${kind} ${nameOf(target)} is ${hidden ? 'hidden' : 'shown'}${still}`,
    }
  }

export const hide = moderation('hide')
export const show = moderation('show')

export const mode: Act = async (store, { words: [name = ''], options }, now) => {
  const readOnly = name === 'read-only'
  const reason = optionalReason(options.reason)
  const changed = await store.write(async (tx) => {
    if ((await readModes(tx)).readOnly === readOnly) return false
    await setReadOnly(tx, readOnly)
    await logAct(tx, { act: 'mode', target_kind: 'service', target: name, reason }, now())
    return true
  })
  return {
    json: { mode: name, changed },
    text: `the mode is ${name}${changed ? '' : ' already'}`,
  }
}

export const feature: Act = async (store, { words: [name = '', to = ''], options }, now) => {
  const on = to === 'on'
  const reason = optionalReason(options.reason)
  const changed = await store.write(async (tx) => {
    if ((await readModes(tx)).disabled.includes(name as Feature) !== on) return false
    await setFeature(tx, name as Feature, on)
    const act = { act: 'feature', target_kind: 'service', target: `${name} ${to}`, reason } as const
    await logAct(tx, act, now())
    return true
  })
  return {
    json: { feature: name, switch: to, changed },
    text: `the feature ${name} is ${to}${changed ? '' : ' already'}`,
  }
}

const optionalReason = (reason: string | undefined): string =>
  reason === undefined ? '' : readShape(reasonInput, { reason }).reason
