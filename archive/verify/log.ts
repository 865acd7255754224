// Checks the log of days (FORMAT.md 17 to 19) against the days, its checkpoint and an earlier checkpoint.

import { type BadFile, orNull } from '../base/errors.ts'
import { sleep } from '../base/sleep.ts'
import type { Selection } from '../format/mirror.ts'
import { CHECKPOINT_FILE, KEY_FILE, LOG_FILE } from '../format/paths.ts'
import { type Checkpoint, openCheckpoint, parseCheckpoint } from '../log/checkpoint.ts'
import { demandContinued } from '../log/continuity.ts'
import { type Leaf, type LogEntry, leavesByDay, newestDay, parseLog } from '../log/days.ts'
import { parseKeys, type Verifier } from '../log/note.ts'
import { REREAD_AFTER_MS, REREADS } from '../log/rereading.ts'
import type { Witnessed } from '../log/witnessed.ts'
import type { Place, ReadFile } from '../place/place.ts'
import { checkDerived } from './derived.ts'
import {
  type Finding,
  type FindingCode,
  findingFor,
  findingOn,
  type LogReport,
} from './findings.ts'
import { checkFreshness, type Freshness } from './freshness.ts'
import { checkUpgrades, compareDays, type DaySums } from './logged-days.ts'
import { comparePeers, type PeerOptions } from './peers.ts'
import { checkWitnesses, demandedKeys, reportWitnesses, type WitnessDemand } from './witnesses.ts'

export interface LogOptions {
  /** Trusted keys; by default those in the archive's `key`. */
  keys?: readonly Verifier[]
  /** An earlier checkpoint that the log must continue. */
  since?: Uint8Array | undefined
  /** Whether an archive without a log fails, as it also does if `keys` or `since` are given. */
  isRequired?: boolean
  /** How old the newest day may be. */
  freshness?: Freshness | undefined
  /** The keys, witnesses and quorum that the reader trusts. */
  witnesses?: WitnessDemand | undefined
  /** Other copies of the log to compare it with. */
  peers?: PeerOptions | undefined
  /** Replaces `REREAD_AFTER_MS`. */
  pauseMs?: number
}

/** The three files of the log at one moment. */
export interface LogFiles {
  checkpoint: ReadFile | BadFile
  log: ReadFile | BadFile
  key: ReadFile | BadFile
}

/** A log whose files can be read. */
interface ReadableLog {
  note: Uint8Array
  checkpoint: Checkpoint
  entries: LogEntry[]
  /** Those in `key`, and those that the caller trusts. */
  keys: Verifier[]
  /** Whether the signature was verified with keys that the caller gives. */
  isKeyGiven: boolean
  /** Null without a policy, or if a cosignature is wrong. */
  witnessed: Witnessed | null
  findings: Finding[]
}

/** Reads the checkpoint before the log, so that the log has at least the signed leaves. */
export async function readLog(place: Place): Promise<LogFiles> {
  const checkpoint = await place.read(CHECKPOINT_FILE)
  const log = await place.read(LOG_FILE)
  return { checkpoint, log, key: await place.read(KEY_FILE) }
}

/** The signed leaves of each day; null if the files cannot be read, which `checkLog` reports. */
export function leavesIn({ checkpoint, log }: LogFiles): ReadonlyMap<string, Leaf[]> | null {
  if ('problem' in checkpoint || 'problem' in log) return null
  return orNull(() => {
    const { size } = parseCheckpoint(checkpoint.content)
    return leavesByDay(parseLog(log.content).slice(0, size))
  })
}

export interface CheckedLog {
  findings: Finding[]
  /** Day -> finding, for days that do not match the log. */
  ofDays: ReadonlyMap<string, Finding>
  /** Null if there is no log or it cannot be read. */
  log: LogReport | null
}

/**
 * Checks a log. Before reporting what a run in progress could explain, it reads the log again.
 * @param days each checked day with its files; null if the manifest is damaged
 * @param selection the days that the archive has
 */
export async function checkLog(
  place: Place,
  files: LogFiles,
  days: DaySums,
  selection: Selection,
  options: LogOptions = {},
): Promise<CheckedLog> {
  let current = files
  for (let attempt = 0; ; attempt += 1) {
    const log = readable(place, current, options)
    if (!log || !('entries' in log)) {
      const findings = log ? log.findings : []
      const fresh = checkFreshness(newestDay(days.keys()), place.name, options.freshness)
      return { findings: [...findings, ...fresh], ofDays: new Map(), log: null }
    }
    const leaves = leavesByDay(log.entries.slice(0, log.checkpoint.size))
    const { missing, ofDays } = await compareDays(place, leaves, days, selection)
    const transient = [...unsigned(place, log), ...missing]
    if (transient.length + ofDays.size === 0 || attempt === REREADS) {
      await checkUpgrades(place, leaves, days, ofDays)
      const findings = [
        ...log.findings,
        ...transient,
        ...checkSince(place, log, options.since),
        ...checkFreshness(newestDay(leaves.keys()), place.nameOf(LOG_FILE), options.freshness),
        ...(options.peers ? await comparePeers(log, options.peers) : []),
        ...(await checkDerived(place, log.entries, days)),
      ]
      return { findings, ofDays, log: reportOf(log) }
    }
    await sleep(options.pauseMs ?? REREAD_AFTER_MS)
    current = await readLog(place)
  }
}

function reportOf({ note, checkpoint, isKeyGiven, witnessed, findings }: ReadableLog): LogReport {
  const { origin, size, root } = checkpoint
  const isSigned = !findings.some(({ code }) => SIGNATURE_CODES.has(code))
  const key_checked = isKeyGiven && isSigned
  const signed = Buffer.from(note).toString()
  const head = { origin, size, root: Buffer.from(root).toString('hex') }
  const policy = witnessed && {
    witnesses: reportWitnesses(witnessed),
    quorum: witnessed.hasQuorum,
  }
  return { ...head, key_checked, note: signed, ...policy }
}

/** Findings on a checkpoint that no known key has signed. */
const SIGNATURE_CODES = new Set<FindingCode>(['unknown_signer', 'wrong_signature'])

/**
 * Parses the files and checks signature and root.
 * @returns null if the archive has no log and the caller does not require one
 */
function readable(
  place: Place,
  files: LogFiles,
  options: LogOptions,
): ReadableLog | { findings: Finding[] } | null {
  const { checkpoint, log, key } = files
  if ('problem' in checkpoint || 'problem' in log || 'problem' in key)
    return unreadable(place, files, options)
  const findings: Finding[] = []
  const attempt = <T>(name: string, work: () => T): T | null => {
    try {
      return work()
    } catch (error) {
      findings.push(findingFor(place.nameOf(name), error))
      return null
    }
  }
  const note = checkpoint.content
  const head = attempt(CHECKPOINT_FILE, () => parseCheckpoint(note))
  const entries = attempt(LOG_FILE, () => parseLog(log.content))
  const own = attempt(KEY_FILE, () => parseKeys(key.content))
  if (!head || !entries || !own) return { findings }
  const { keys = null, witnesses } = options
  const demand = () => demandedKeys(head.origin, keys, witnesses?.policy) ?? []
  const demanded = attempt(CHECKPOINT_FILE, demand) ?? []
  const isKeyGiven = demanded.length > 0
  const known = isKeyGiven ? demanded : own
  attempt(CHECKPOINT_FILE, () => openCheckpoint(note, known))
  attempt(LOG_FILE, () => demandContinued(entries, head))
  const file = place.nameOf(CHECKPOINT_FILE)
  const signed = { note, entries: entries.slice(0, head.size), file }
  const checked = witnesses && attempt(CHECKPOINT_FILE, () => checkWitnesses(signed, witnesses))
  if (checked?.finding) findings.push(checked.finding)
  const witnessed = checked?.witnessed ?? null
  const ofKeys = { keys: [...own, ...known], isKeyGiven }
  return { note, checkpoint: head, entries, ...ofKeys, witnessed, findings }
}

/** The findings on a log of which a file cannot be read; null if it has none and the caller does not require one. */
function unreadable(
  place: Place,
  { checkpoint, log, key }: LogFiles,
  { keys, since, isRequired, peers, witnesses }: LogOptions,
): { findings: Finding[] } | null {
  const named = { [CHECKPOINT_FILE]: checkpoint, [LOG_FILE]: log, [KEY_FILE]: key }
  const problems = Object.entries(named).flatMap(([name, file]) =>
    'problem' in file ? [findingOn(place.nameOf(name), file)] : [],
  )
  const isAbsent = problems.length === 3 && problems.every(({ code }) => code === 'missing')
  const isDemanded = keys || since || isRequired || peers || witnesses
  if (isAbsent && !isDemanded) return null
  const findings = problems.map((one): Finding => {
    return one.code === 'missing' ? { ...one, code: 'log_missing' } : one
  })
  return { findings }
}

/** Lines that are not signed, as between two steps of a run. */
function unsigned(place: Place, { entries, checkpoint }: ReadableLog): Finding[] {
  const count = entries.length - checkpoint.size
  if (count <= 0) return []
  const message = `has ${count === 1 ? 'a line that is' : `${count} lines that are`} not signed`
  return [{ code: 'log_unsigned', file: place.nameOf(LOG_FILE), message }]
}

function checkSince(
  place: Place,
  { entries, checkpoint }: ReadableLog,
  since: Uint8Array | undefined,
): Finding[] {
  if (!since) return []
  const file = place.nameOf(LOG_FILE)
  try {
    const earlier = parseCheckpoint(since)
    if (earlier.origin !== checkpoint.origin)
      return [
        {
          code: 'log_rewritten',
          file,
          message: `is of ${checkpoint.origin}; the earlier checkpoint is of ${earlier.origin}`,
        },
      ]
    demandContinued(entries.slice(0, checkpoint.size), earlier)
    return []
  } catch (error) {
    const finding = findingFor(file, error)
    return [{ ...finding, message: `the earlier checkpoint: ${finding.message}` }]
  }
}
