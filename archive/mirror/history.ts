// Reads the source's log and checks that it is complete, signed, and continues the mirror's own.
import {
  ArchiveError,
  type ArchiveErrorCode,
  isArchiveError,
  naming,
  orNull,
} from '../base/errors.ts'
import { CHECKPOINT_FILE, KEY_FILE, LOG_FILE } from '../format/paths.ts'
import type { ClientOptions } from '../http/client.ts'
import { type Checkpoint, openCheckpoint, parseCheckpoint } from '../log/checkpoint.ts'
import { demandContinued } from '../log/continuity.ts'
import { cosignaturesIn } from '../log/cosignature.ts'
import { unitedNote } from '../log/cosigned-note.ts'
import { parseLog } from '../log/days.ts'
import { formatVkey, parseKeys, parseNote, type Verifier } from '../log/note.ts'
import type { FolderPlace } from '../place/folder.ts'
import { readExisting } from '../place/place.ts'
import { fetched, type ServedPlace } from '../place/served.ts'
import { openLogFiles, type SignedLog } from '../reading/signed-log.ts'
import type { Finding } from '../verify/findings.ts'
import { comparePeers } from '../verify/peers.ts'
import { checkWitnesses, demandedKeys, type WitnessDemand } from '../verify/witnesses.ts'
import { keepRefused } from './folder.ts'

/** The keys of which one must have signed the log. */
export interface TrustedKeys {
  /** Those that the caller gives, which replace the stored ones. */
  given: readonly Verifier[] | null
  /** The policy that the caller gives, which may name further keys, and the witnesses. */
  witnesses: WitnessDemand | undefined
  /** Those in `mirror.json`. */
  stored: readonly Verifier[] | null
}

/** The source's history is one that the mirror must not follow, or cannot be compared with the mirror's own. */
export class HistoryRejected extends Error {
  override name = 'HistoryRejected'
  /** The mirror's own damaged file; null if the fault is the source's. */
  readonly ownFile: string | null
  constructor(cause: ArchiveError, ownFile: string | null = null) {
    super(cause.message, { cause })
    this.ownFile = ownFile
  }
}

/**
 * Reads and checks the log at an origin.
 * @param note the checkpoint, which must be read before the log
 * @throws FetchFailure
 * @throws HistoryRejected after the contradicting files are stored
 */
export async function readHistory(
  origin: ServedPlace,
  note: Uint8Array,
  mirror: FolderPlace,
  { given, witnesses, stored }: TrustedKeys,
) {
  const own = await ownHistory(mirror, given ?? stored)
  const { content: log } = fetched(await origin.read(LOG_FILE))
  const { content: key } = fetched(await origin.read(KEY_FILE))
  try {
    const originKeys = naming(KEY_FILE, () => parseKeys(key))
    const checkpoint = naming(CHECKPOINT_FILE, () => openCheckpoint(note, originKeys))
    // Never trust keys that the source adds: anyone can sign a genuine log with a key of their own.
    const demanded = demandedKeys(checkpoint.origin, given, witnesses?.policy)
    const keys = demanded ?? own.keys ?? checkpoint.verified
    const opened = await openLogFiles(note, log, () => keys)
    if (own.checkpoint) demandSameLog(own.checkpoint, opened)
    const united = witnesses ? cosigned(note, own.note, keys, witnesses) : note
    const signed = { ...opened, note: united }
    const checked = witnesses && checkWitnesses({ ...signed, file: CHECKPOINT_FILE }, witnesses)
    const pending = checked?.finding ?? null
    if (pending?.code === 'no_quorum') throw new ArchiveError('no_quorum', pending.message)
    const trusted = keys.map(formatVkey)
    return {
      ...signed,
      key,
      /** The keys in `key`. */
      originKeys,
      /** The keys that this and the next runs trust. */
      keys,
      /** Whether the caller has named these keys. */
      areDemanded: demanded !== null,
      /** That a quorum of witnesses is still missing; null if it is not. */
      pending,
      /** Whether `key` contains keys that are not trusted. */
      hasOtherKeys: originKeys.some((one) => !trusted.includes(formatVkey(one))),
    }
  } catch (error) {
    if (!isArchiveError(error)) throw error
    // Without a history of our own there is nothing to contradict, and thus no evidence.
    if (own.checkpoint) {
      await keepRefused(mirror, CHECKPOINT_FILE, note)
      await keepRefused(mirror, LOG_FILE, log)
    }
    throw new HistoryRejected(error)
  }
}

/** The files of a log at one moment. */
export type History = Awaited<ReturnType<typeof readHistory>>

/**
 * Adds to the source's checkpoint the cosignatures, and the lines of the log's keys, that the mirror's own has of the same
 * text, so that no source can take one away.
 * @param own the mirror's own checkpoint; null if it has none
 * @throws ArchiveError `wrong_signature` for a line of the source by a known key
 */
function cosigned(
  note: Uint8Array,
  own: Uint8Array | null,
  keys: readonly Verifier[],
  { policy }: WitnessDemand,
): Uint8Array {
  const witnesses = policy.witnesses.map(({ key }) => key).filter((key) => key.isVerifiable)
  // Uniting leaves out what does not verify; of the source it spoils the note.
  cosignaturesIn(parseNote(note), witnesses)
  const { verified } = openCheckpoint(note, keys)
  const verifiedHere = own && orNull(() => openCheckpoint(own, keys).verified)
  const signers = [...new Set([...verified, ...(verifiedHere ?? [])])]
  const notes = (own ? [note, own] : [note]).map((one) => Buffer.from(one).toString())
  return Buffer.from(unitedNote(notes, { own: signers, witnesses }))
}

/**
 * Compares the source's log with those of peers.
 * @returns findings; both notes of a log with two faces are kept in the mirror
 */
export async function compareWithPeers(
  history: History,
  mirror: FolderPlace,
  urls: readonly string[],
  client: ClientOptions | undefined,
): Promise<Finding[]> {
  if (urls.length === 0) return []
  const keep = (name: string, bytes: Uint8Array) => keepRefused(mirror, name, bytes)
  const seen = { ...history, keys: [...history.keys, ...history.originKeys] }
  return comparePeers(seen, { urls, client, keep })
}

/**
 * Reads the mirror's own checkpoint, as it is and parsed, and, if neither the caller nor `mirror.json` states keys, those that
 * have signed it.
 * @returns null for what the mirror does not know yet
 * @throws HistoryRejected naming the damaged file
 */
async function ownHistory(mirror: FolderPlace, keys: readonly Verifier[] | null) {
  const read = (name: string, code: ArchiveErrorCode) =>
    fromOwn(name, async () => (await readExisting(mirror, name, code))?.content)
  const note = await read(CHECKPOINT_FILE, 'invalid_checkpoint')
  if (!note) return { note: null, checkpoint: null, keys }
  const log = await read(LOG_FILE, 'invalid_log')
  const key = keys ? null : await read(KEY_FILE, 'invalid_key')
  const checkpoint = await fromOwn(CHECKPOINT_FILE, () => parseCheckpoint(note))
  if (log) await fromOwn(LOG_FILE, () => demandContinued(parseLog(log), checkpoint))
  if (!key) return { note, checkpoint, keys }
  const known = await fromOwn(KEY_FILE, () => parseKeys(key))
  const { verified } = await fromOwn(CHECKPOINT_FILE, () => openCheckpoint(note, known))
  return { note, checkpoint, keys: verified }
}

/** Reads one of the mirror's own files. @throws HistoryRejected naming it */
async function fromOwn<T>(name: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isArchiveError(error)) throw error
    const message = `${error.message}; this file of the mirror itself is damaged, so nothing was fetched`
    throw new HistoryRejected(new ArchiveError(error.code, message), name)
  }
}

/** @throws ArchiveError `log_rewritten` unless the log continues the mirror's own checkpoint */
function demandSameLog(own: Checkpoint, { head, entries }: SignedLog): void {
  if (own.origin !== head.origin)
    throw new ArchiveError(
      'log_rewritten',
      `${CHECKPOINT_FILE} is of ${head.origin}, this mirror's of ${own.origin}`,
    )
  demandContinued(entries, own)
}
