// Compares a log with what other copies of it show, and thus finds a log with two faces (FORMAT.md 26).
import { isArchiveError, naming, orNull } from '../base/errors.ts'
import { CHECKPOINT_FILE, LOG_FILE } from '../format/paths.ts'
import { CHECK_LIMITS, Client, type ClientOptions } from '../http/client.ts'
import { FetchFailure } from '../http/failure.ts'
import { type Checkpoint, openCheckpoint, parseCheckpoint } from '../log/checkpoint.ts'
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

/** What a peer shows, where it is not the log that the reader has. */
class SplitView extends Error {
  override name = 'SplitView'
  /** The files to keep next to the reader's own checkpoint, by name. */
  readonly files: ReadonlyMap<string, Uint8Array>
  constructor(message: string, files: Record<string, Uint8Array>) {
    super(message)
    this.files = new Map(Object.entries(files))
  }
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
  const errors = await Promise.all(compared)
  const isSilent = errors.every((error) => error instanceof FetchFailure)
  const findings: Finding[] = []
  for (const [index, error] of errors.entries()) {
    const file = urls[index] as string
    if (error instanceof SplitView) findings.push(await splitView(seen, file, error, keep))
    else if (error instanceof FetchFailure) {
      const message = `this peer was not compared: ${error.message}`
      findings.push({ code: isSilent ? 'unreachable' : 'peer_skipped', file, message })
    } else if (error !== null) findings.push(findingFor(file, error))
  }
  return findings
}

/** @returns why the peer could not be compared, or how it differs; null if it has the same log */
async function comparePeer(
  seen: SeenLog,
  url: string,
  options: ClientOptions,
): Promise<Error | null> {
  try {
    const { place, note } = await locateLog(new Client(options), url)
    const theirs = naming(CHECKPOINT_FILE, () => parseCheckpoint(note))
    demandOurs(seen, theirs, note)
    if (theirs.size <= seen.head.size) demandPrefix(seen, theirs, note)
    else await demandContinuation(seen, theirs, note, place)
    return null
  } catch (error) {
    if (error instanceof SplitView || error instanceof FetchFailure) return error
    if (isArchiveError(error)) return error
    throw error
  }
}

/** @throws SplitView unless a key of the log has signed the peer's checkpoint */
function demandOurs({ head, keys }: SeenLog, theirs: Checkpoint, note: Uint8Array): void {
  const files = { [CHECKPOINT_FILE]: note }
  if (theirs.origin !== head.origin)
    throw new SplitView(`its log is of ${theirs.origin}, not of ${head.origin}`, files)
  try {
    openCheckpoint(note, keys)
  } catch (error) {
    if (!isArchiveError(error)) throw error
    throw new SplitView(`its ${CHECKPOINT_FILE} is not one of this log: ${error.message}`, files)
  }
}

/** @throws SplitView unless our log begins with theirs */
function demandPrefix({ entries }: SeenLog, theirs: Checkpoint, note: Uint8Array): void {
  if (continues(entries, theirs)) return
  const message = `its log of ${theirs.size} leaves is not the beginning of this log`
  throw new SplitView(message, { [CHECKPOINT_FILE]: note })
}

/** @throws SplitView unless their log begins with ours */
async function demandContinuation(
  { head }: SeenLog,
  theirs: Checkpoint,
  note: Uint8Array,
  place: ServedPlace,
): Promise<void> {
  const { content: log } = fetched(await place.read(LOG_FILE))
  const files = { [CHECKPOINT_FILE]: note, [LOG_FILE]: log }
  const entries = orNull(() => parseLog(log), 'invalid_log')
  if (!entries || !continues(entries, theirs))
    throw new SplitView(`its ${LOG_FILE} does not have the root of its ${CHECKPOINT_FILE}`, files)
  if (!continues(entries, head))
    throw new SplitView(`its log of ${theirs.size} leaves does not begin with this log`, files)
}

/** Keeps both signed notes, and states where. */
async function splitView(
  { note }: SeenLog,
  file: string,
  { message, files }: SplitView,
  keep: PeerOptions['keep'],
): Promise<Finding> {
  const kept = [await keep(CHECKPOINT_FILE, note)]
  for (const [name, bytes] of files) kept.push(await keep(name, bytes))
  const places = kept.filter((place) => place !== null)
  const where = places.length > 0 ? `; kept: ${places.join(', ')}` : ''
  return { code: 'split_view', file, message: message + where }
}
