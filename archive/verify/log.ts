// Checks the log of days (FORMAT.md 15 to 17) against the days, its checkpoint and an earlier checkpoint.
import { orNull } from '../base/errors.ts'
import type { Selection } from '../format/mirror.ts'
import { CHECKPOINT_FILE, KEY_FILE, LOG_FILE } from '../format/paths.ts'
import { parseCheckpoint } from '../log/checkpoint.ts'
import { demandContinued } from '../log/continuity.ts'
import { type Leaf, leavesByDay, newestOf, parseLog } from '../log/days.ts'
import { parseKeys, type Verifier } from '../log/note.ts'
import { rereading } from '../log/rereading.ts'
import type { Witnessed } from '../log/witnessed.ts'
import type { Place } from '../place/place.ts'
import { type ReadLog, readLogFiles } from '../reading/signed-log.ts'
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

/** A log whose files can be read. */
interface ReadableLog extends ReadLog {
  /** Those in `key`, and those that the caller trusts. */
  keys: Verifier[]
  /** Whether the signature was verified with keys that the caller gives. */
  isKeyGiven: boolean
  /** Null without a policy, or if a cosignature is wrong. */
  witnessed: Witnessed | null
  findings: Finding[]
}

/** Reads the checkpoint before the log, so that the log has at least the signed leaves. */
export async function readLog(place: Place) {
  const checkpoint = await place.read(CHECKPOINT_FILE)
  const log = await place.read(LOG_FILE)
  return { checkpoint, log, key: await place.read(KEY_FILE) }
}

/** The three files of the log at one moment. */
type LogFiles = Awaited<ReturnType<typeof readLog>>

/** The signed leaves of each day; null if the files cannot be read, which `checkLog` reports. */
export function leavesIn({ checkpoint, log }: LogFiles): ReadonlyMap<string, Leaf[]> | null {
  if ('problem' in checkpoint || 'problem' in log) return null
  return orNull(() => {
    const { size } = parseCheckpoint(checkpoint.content)
    return leavesByDay(parseLog(log.content).slice(0, size))
  })
}

/**
 * Checks a log. Before reporting what a run in progress could explain, it reads the log again.
 * @param days each checked day with its files; null if the manifest is damaged
 * @param selection the days that the archive has
 * @returns findings, those on days that do not match the log by day, and the log; null if there is none or it cannot be read
 */
export async function checkLog(
  place: Place,
  files: LogFiles,
  days: DaySums,
  selection: Selection,
  options: LogOptions = {},
) {
  const compare = async (before: number) => {
    const log = await readable(place, before === 0 ? files : await readLog(place), options)
    if (!log || !('lines' in log)) return { unread: log?.findings ?? [] }
    const leaves = leavesByDay(log.entries)
    const { missing, ofDays } = await compareDays(place, leaves, days, selection)
    return { log, leaves, transient: [...unsigned(place, log), ...missing], ofDays }
  }
  const found = await rereading(
    compare,
    (now) => !now.log || now.transient.length + now.ofDays.size === 0,
    options.pauseMs,
  )
  if (!found.log) {
    const fresh = checkFreshness(newestOf(days.keys()), place.name, options.freshness)
    return { findings: [...found.unread, ...fresh], ofDays: new Map(), log: null }
  }
  const { log, leaves, transient, ofDays } = found
  await checkUpgrades(place, leaves, days, ofDays)
  const findings = [
    ...log.findings,
    ...transient,
    ...checkSince(place, log, options.since),
    ...checkFreshness(newestOf(leaves.keys()), place.nameOf(LOG_FILE), options.freshness),
    ...(options.peers ? await comparePeers(log, options.peers) : []),
    ...(await checkDerived(place, log.lines, days)),
  ]
  return { findings, ofDays, log: reportOf(log) }
}

function reportOf({ note, head, isKeyGiven, witnessed, findings }: ReadableLog): LogReport {
  const { origin, size, root } = head
  const isSigned = !findings.some(({ code }) => SIGNATURE_CODES.has(code))
  return {
    origin,
    size,
    root: Buffer.from(root).toString('hex'),
    key_checked: isKeyGiven && isSigned,
    note: Buffer.from(note).toString(),
    ...(witnessed && { witnesses: reportWitnesses(witnessed), quorum: witnessed.hasQuorum }),
  }
}

/** Findings on a checkpoint that no known key has signed. */
const SIGNATURE_CODES = new Set<FindingCode>(['unknown_signer', 'wrong_signature'])

/**
 * Parses the files and checks signature and root.
 * @returns null if the archive has no log and the caller does not require one
 */
async function readable(
  place: Place,
  files: LogFiles,
  options: LogOptions,
): Promise<ReadableLog | { findings: Finding[] } | null> {
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
  const own = attempt(KEY_FILE, () => parseKeys(key.content))
  const { keys = null, witnesses } = options
  let demanded: readonly Verifier[] = []
  const read = await readLogFiles(checkpoint.content, log.content, (origin) => {
    const demand = () => demandedKeys(origin, keys, witnesses?.policy) ?? []
    if (own) demanded = attempt(CHECKPOINT_FILE, demand) ?? []
    return demanded.length > 0 ? demanded : (own ?? [])
  })
  if (!own && 'lines' in read) return { findings }
  for (const { file, error } of read.problems) findings.push(findingFor(place.nameOf(file), error))
  if (!own || !('lines' in read)) return { findings }
  const file = place.nameOf(CHECKPOINT_FILE)
  const signed = { ...read, file }
  const checked = witnesses && attempt(CHECKPOINT_FILE, () => checkWitnesses(signed, witnesses))
  if (checked?.finding) findings.push(checked.finding)
  const witnessed = checked?.witnessed ?? null
  const isKeyGiven = demanded.length > 0
  return { ...read, keys: [...own, ...demanded], isKeyGiven, witnessed, findings }
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
function unsigned(place: Place, { lines, head }: ReadableLog): Finding[] {
  const count = lines.length - head.size
  if (count <= 0) return []
  const message = `has ${count === 1 ? 'a line that is' : `${count} lines that are`} not signed`
  return [{ code: 'log_unsigned', file: place.nameOf(LOG_FILE), message }]
}

function checkSince(
  place: Place,
  { entries, head }: ReadableLog,
  since: Uint8Array | undefined,
): Finding[] {
  if (!since) return []
  const file = place.nameOf(LOG_FILE)
  try {
    const earlier = parseCheckpoint(since)
    if (earlier.origin !== head.origin) {
      const message = `is of ${head.origin}; the earlier checkpoint is of ${earlier.origin}`
      return [{ code: 'log_rewritten', file, message }]
    }
    demandContinued(entries, earlier)
    return []
  } catch (error) {
    const finding = findingFor(file, error)
    return [{ ...finding, message: `the earlier checkpoint: ${finding.message}` }]
  }
}
