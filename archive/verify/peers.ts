// Compares a log with what other copies of it show, and thus finds a log with two faces (FORMAT.md 24).
import { isArchiveError, naming, orElse, orNull } from '../base/errors.ts'
import { CHECKPOINT_FILE, LOG_FILE } from '../format/paths.ts'
import { CHECK_LIMITS, Client, type ClientOptions } from '../http/client.ts'
import { FetchFailure } from '../http/failure.ts'
import { openCheckpoint, parseCheckpoint } from '../log/checkpoint.ts'
import { continues } from '../log/continuity.ts'
import { parseLog } from '../log/days.ts'
import type { Verifier } from '../log/note.ts'
import { locateLog } from '../place/locate.ts'
import { fetched, type ServedPlace } from '../place/served.ts'
import type { SignedLog } from '../reading/signed-log.ts'
import { type Finding, findingFor } from './findings.ts'

/** A log as a reader has it. */
export interface SeenLog extends SignedLog {
  /** The keys of the log. */
  keys: readonly Verifier[]
}

export interface PeerOptions {
  /** The addresses of the peers, such as mirrors. */
  urls: readonly string[]
  client?: ClientOptions | undefined
  /** Keeps a file as evidence. @returns where it is, for the message; null if evidence is not kept */
  keep(name: string, bytes: Uint8Array): Promise<string | null>
}

/** How a peer's log differs from the one that the reader has. */
interface SplitView {
  message: string
  /** The files to keep next to the reader's own checkpoint, by name. */
  files: Record<string, Uint8Array>
}

/**
 * Compares a log with that of each peer: the longer one must have the root of the shorter one at its size.
 * @returns findings: `split_view` for a peer with another log; a note for one that was not compared, or a failure
 *   (`unreachable`) for each if none was
 */
export async function comparePeers(
  seen: SeenLog,
  { urls, client, keep }: PeerOptions,
): Promise<Finding[]> {
  const compared = urls.map((url) => comparePeer(seen, url, { ...CHECK_LIMITS, ...client }))
  const results = await Promise.all(compared)
  const isSilent = results.every((result) => result instanceof FetchFailure)
  const findings: Finding[] = []
  for (const [index, result] of results.entries()) {
    const file = urls[index] as string
    if (result instanceof FetchFailure) {
      const message = `this peer was not compared: ${result.message}`
      findings.push({ code: isSilent ? 'unreachable' : 'peer_skipped', file, message })
    } else if (result instanceof Error) findings.push(findingFor(file, result))
    else if (result !== null) findings.push(await splitView(seen, file, result, keep))
  }
  return findings
}

/** @returns why the peer could not be compared, or how it differs; null if it has the same log */
async function comparePeer(
  seen: SeenLog,
  url: string,
  options: ClientOptions,
): Promise<SplitView | Error | null> {
  try {
    const { place, note } = await locateLog(new Client(options), url)
    return await differenceOf(seen, note, place)
  } catch (error) {
    if (error instanceof FetchFailure || isArchiveError(error)) return error
    throw error
  }
}

/** @param note the peer's checkpoint, which must be read before its log */
async function differenceOf(
  { head, entries: ours, keys }: SeenLog,
  note: Uint8Array,
  place: ServedPlace,
): Promise<SplitView | null> {
  const theirs = naming(CHECKPOINT_FILE, () => parseCheckpoint(note))
  const { size } = theirs
  const signed = { [CHECKPOINT_FILE]: note }
  if (theirs.origin !== head.origin)
    return { message: `its log is of ${theirs.origin}, not of ${head.origin}`, files: signed }
  const fault = orElse(
    () => openCheckpoint(note, keys),
    ({ message }) => message,
  )
  if (typeof fault === 'string')
    return { message: `its ${CHECKPOINT_FILE} is not one of this log: ${fault}`, files: signed }
  if (size <= head.size) {
    const message = `its log of ${size} leaves is not the beginning of this log`
    return continues(ours, theirs) ? null : { message, files: signed }
  }
  const { content: log } = fetched(await place.read(LOG_FILE))
  const files = { ...signed, [LOG_FILE]: log }
  const entries = orNull(() => parseLog(log), 'invalid_log')
  if (!entries || !continues(entries, theirs))
    return { message: `its ${LOG_FILE} does not have the root of its ${CHECKPOINT_FILE}`, files }
  const message = `its log of ${size} leaves does not begin with this log`
  return continues(entries, head) ? null : { message, files }
}

/** Keeps both signed notes, and states where. */
async function splitView(
  { note }: SeenLog,
  file: string,
  { message, files }: SplitView,
  keep: PeerOptions['keep'],
): Promise<Finding> {
  const kept = [await keep(CHECKPOINT_FILE, note)]
  for (const [name, bytes] of Object.entries(files)) kept.push(await keep(name, bytes))
  const places = kept.filter((place) => place !== null)
  const where = places.length > 0 ? `; kept: ${places.join(', ')}` : ''
  return { code: 'split_view', file, message: message + where }
}
