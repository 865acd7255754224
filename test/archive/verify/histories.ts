// Simulates the operator of a board with the archive's own functions: messages with receipts, days that are sealed into
// a log, and one dishonest act.

import { dayStart, nextDay } from '../../../archive/format/calendar.ts'
import { sha256Of } from '../../../archive/format/hash.ts'
import { leavesBytes } from '../../../archive/format/leaves.ts'
import { manifestBytes } from '../../../archive/format/manifest.ts'
import { eachKind } from '../../../archive/format/media.ts'
import {
  CHECKPOINT_FILE,
  KEY_FILE,
  LOG_FILE,
  leavesKey,
  manifestKey,
} from '../../../archive/format/paths.ts'
import { checkpointText } from '../../../archive/log/checkpoint.ts'
import { dayLeaf, type LogEntry, logBytes } from '../../../archive/log/days.ts'
import { signNote } from '../../../archive/log/note.ts'
import { signReceipt } from '../../../archive/log/receipt.ts'
import { leafHash, rootOf } from '../../../archive/log/tree.ts'
import type { Random } from '../../support/random.ts'
import { makeManifest, makeSnapshot, perCounter, sealedRecordsOf } from '../days.ts'
import { ORIGIN, testKey, vkeyOf } from '../signing.ts'

const DAY_MS = 86_400_000
const KEY = testKey(1)
const MEDIA = eachKind((kind) => Buffer.from(kind))

/** A message in the operator's database. */
export interface Posted {
  id: bigint
  text: string
  publishAt: number
  salt: string
}

export interface Issued {
  /** The day that the receipt states. */
  day: string
  publishAt: number
  id: bigint
  note: Uint8Array
}

/** What the operator does to one message, or to one day. */
export const ACTS = [
  'drop',
  'swap',
  'edit',
  'salt',
  'backdate',
  'postpone',
  'renumber',
  'drop all',
  'withhold leaves',
  'never seal',
  'seal late',
  'issue twice',
  'reseal as a further leaf',
  'reseal with a new log',
] as const
export type Act = (typeof ACTS)[number]

export interface History {
  files: Map<string, Uint8Array>
  receipts: Issued[]
  /** The message that the act is about, if there is one. */
  target: bigint
  /** The signed checkpoint before the act, if it comes after the seal. */
  earlier: Uint8Array | null
  /** The time of the reader [ms since 1970]. */
  now: number
}

const count = (from: number, to: number, { below }: Random): number => from + below(to - from + 1)
const hex = (bytes: number, { below }: Random): string =>
  Array.from({ length: 2 * bytes }, () => below(16).toString(16)).join('')

/** The data of a leaf, written out by FORMAT.md 18.2. */
function leafData({ id, text, publishAt, salt }: Posted): string {
  const at = new Date(publishAt).toISOString()
  const empty = sha256Of(Buffer.of())
  const body = sha256Of(Buffer.from(text))
  const lines = ['daysignal-message-v1', id, 'garden', body, at, at, empty, empty, salt]
  return lines.map((line) => `${line}\n`).join('')
}

const receiptOf = (message: Posted): Issued => ({
  day: dayOf(message),
  publishAt: message.publishAt,
  id: message.id,
  note: Buffer.from(signReceipt({ origin: ORIGIN, leafData: leafData(message) }, KEY)),
})

const dayOf = ({ publishAt }: Posted): string => new Date(publishAt).toISOString().slice(0, 10)

/** The archive of the operator. */
class Archive {
  readonly files = new Map<string, Uint8Array>([[KEY_FILE, Buffer.from(`${vkeyOf(1)}\n`)]])
  entries: LogEntry[] = []

  /** Seals a day with these messages, ascending by id. */
  seal(day: string, messages: readonly Posted[]): void {
    const leaves = messages.map((message) => ({
      id: message.id,
      leaf: leafHash(Buffer.from(leafData(message))),
    }))
    const counters = perCounter(() => (leaves.length === 0 ? '0' : '1'))
    const conclusion = leaves.length === 0 ? 'quiet' : 'active'
    const snapshot = makeSnapshot(day, { records: sealedRecordsOf(leaves), counters, conclusion })
    const manifest = manifestBytes(makeManifest(snapshot, MEDIA))
    if (leaves.length > 0)
      this.files.set(leavesKey(day), leavesBytes(leaves.map(({ leaf }) => leaf)))
    else this.files.delete(leavesKey(day))
    this.files.set(manifestKey(day), manifest)
    this.entries.push({ day, sha256: sha256Of(manifest) })
  }

  sign(): void {
    const { entries } = this
    const root = rootOf(entries.map(dayLeaf))
    const text = checkpointText({ origin: ORIGIN, size: entries.length, root })
    const note = signNote(text, [{ name: ORIGIN, privateKey: KEY }])
    this.files.set(LOG_FILE, logBytes(entries))
    this.files.set(CHECKPOINT_FILE, Buffer.from(note))
  }
}

const FIRST_DAY = '2026-11-01'

function daysAfter(first: string, length: number): string[] {
  const days = [nextDay(first)]
  while (days.length < length) days.push(nextDay(days.at(-1) ?? first))
  return days
}

/** Makes a history with one act of the operator; an honest one with null. */
export function makeHistory(random: Random, act: Act | null): History {
  const days = daysAfter(FIRST_DAY, count(4, 6, random))
  const posted = postMessages(days, random)
  const receipts = posted.map(receiptOf)
  const last = days.at(-1) as string
  // The newest days may not be due yet.
  const due = days.slice(0, days.length - (act === null ? count(0, 2, random) : 0))
  const target = random.one(posted.filter((message) => dayOf(message) < (days[2] as string)))
  const board = changed(posted, target, act, random)
  if (act === 'issue twice') {
    const texts: Partial<Posted>[] = [{ text: `${target.text}?` }, { salt: hex(16, random) }]
    const other = random.one(texts)
    receipts.push(receiptOf({ ...target, ...other }))
  }
  const archive = new Archive()
  const sealed = (day: string) => board.filter((message) => dayOf(message) === day)
  const sealing = orderOf(due, dayOf(target), act)
  for (const day of sealing) archive.seal(day, sealed(day))
  if (archive.entries.length > 0) archive.sign()
  const earlier = resealed(archive, sealed, target, act)
  if (act === 'withhold leaves') archive.files.delete(leavesKey(dayOf(target)))
  // All days that are not sealed still have some of their 36 hours.
  const now = dayStart(due.at(-1) ?? days[0]!) + DAY_MS + random.below(DAY_MS)
  return {
    files: archive.files,
    receipts: receipts.filter(({ publishAt }) => act !== null || publishAt <= now),
    target: target.id,
    earlier,
    now: act === null ? now : dayStart(last) + 3 * DAY_MS,
  }
}

/** Posts messages on each day; on the first two at least two each. */
function postMessages(days: readonly string[], random: Random): Posted[] {
  const posted: Posted[] = []
  for (const [index, day] of days.entries()) {
    const times = Array.from({ length: count(index < 2 ? 2 : 0, 4, random) }, () =>
      random.below(DAY_MS),
    )
    for (const time of times.sort((a, b) => a - b)) {
      const id = BigInt(posted.length + 1)
      const text = `message ${id} ${hex(2, random)}`
      posted.push({ id, text, publishAt: dayStart(day) + time, salt: hex(16, random) })
    }
  }
  return posted
}

/** The database from which days are sealed. */
function changed(posted: Posted[], target: Posted, act: Act | null, random: Random): Posted[] {
  const others = posted.filter((message) => message !== target && dayOf(message) === dayOf(target))
  const other = random.one(others)
  const replace = (...changes: [Posted, Partial<Posted> | null][]) =>
    posted
      .flatMap((message) => {
        const change = changes.find(([changing]) => changing === message)?.[1]
        return change === null ? [] : [{ ...message, ...change }]
      })
      .sort((a, b) => (a.id < b.id ? -1 : 1))
  switch (act) {
    case 'drop':
      return replace([target, null])
    case 'drop all':
      return posted.filter((message) => dayOf(message) !== dayOf(target))
    case 'swap':
      return replace([target, { text: other.text }], [other, { text: target.text }])
    case 'edit':
      return replace([target, { text: `${target.text}!` }])
    case 'salt':
      return replace([target, { salt: hex(16, random) }])
    case 'backdate':
      return replace([target, { publishAt: target.publishAt - DAY_MS }])
    case 'postpone':
      return replace([target, { publishAt: target.publishAt + DAY_MS }])
    case 'renumber':
      return replace([target, { id: other.id }], [other, { id: target.id }])
    default:
      return posted
  }
}

/** The days in the order of their leaves. */
function orderOf(due: readonly string[], target: string, act: Act | null): string[] {
  const others = due.filter((day) => day !== target)
  // The first leaf is of an earlier day, so that no day is exempt.
  if (act === 'never seal') return [FIRST_DAY, ...others]
  if (act === 'seal late') return [FIRST_DAY, ...others, target]
  return due.length > 0 ? [FIRST_DAY, ...due] : []
}

/** Seals the day of the target again, without it. @returns the checkpoint before that */
function resealed(
  archive: Archive,
  sealed: (day: string) => Posted[],
  target: Posted,
  act: Act | null,
): Uint8Array | null {
  const day = dayOf(target)
  const earlier = archive.files.get(CHECKPOINT_FILE) ?? null
  const others = sealed(day).filter((message) => message !== target)
  if (act === 'reseal as a further leaf') archive.seal(day, others)
  else if (act === 'reseal with a new log') {
    const index = archive.entries.findIndex((entry) => entry.day === day)
    archive.seal(day, others)
    archive.entries[index] = archive.entries.pop() as LogEntry
  } else return null
  archive.sign()
  return earlier
}
