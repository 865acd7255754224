// Restores damaged `log`, `checkpoint` and `key` files before a run opens the log (WRITING.md 2.6).
import { nullIf, orNull } from '../../archive/base/errors.ts'
import { sha256Of } from '../../archive/format/hash.ts'
import { CHECKPOINT_FILE, KEY_FILE, LOG_FILE } from '../../archive/format/paths.ts'
import { openCheckpoint, parseCheckpoint } from '../../archive/log/checkpoint.ts'
import { continues, type SignedCheckpoint } from '../../archive/log/continuity.ts'
import { type LogEntry, logBytes, parseLog } from '../../archive/log/days.ts'
import { formatVkey, parseKeys, parseVkey, type Verifier } from '../../archive/log/note.ts'
import { readVerifiers } from '../../archive/log/signing-keys.ts'
import { type Place, readUsable, type WritablePlace } from '../../archive/place/place.ts'
import type { LogConfig } from '../../server/data/location.ts'
import type { Database } from '../../server/database/database.ts'
import { type RunArchive, readCopy } from './archive.ts'
import { keeperIn } from './signed-log.ts'

/**
 * Restores the damaged files of a log that the log's own signatures prove. The checks of the run report the rest.
 * @param copy another archive of the same days, whose log may be used
 * @returns the names of the files that were restored
 */
export async function repairLog(
  database: Database,
  { place, reader }: Pick<RunArchive, 'place' | 'reader'>,
  config: LogConfig,
  copy: Place | null,
): Promise<string[]> {
  const theirs = copy && (await readCopy(copy, CHECKPOINT_FILE))
  const remains = await findRemains(database, place, config, theirs)
  if (!remains) return []
  const restored: string[] = []
  const copied = opened(theirs, remains.own)
  const log = await lostLog(remains, { copy, copied, manifests: () => manifestsAt(reader) })
  if (log) {
    await place.put(LOG_FILE, logBytes(log))
    restored.push(LOG_FILE)
  }
  if (await repairCheckpoint(place, remains, copied)) restored.push(CHECKPOINT_FILE)
  if (await repairKeys(place, remains.own)) restored.push(KEY_FILE)
  return restored
}

/**
 * @param theirs the copy's checkpoint, which still states the origin when archive and database have lost theirs
 * @returns null when no checkpoint is left that states the origin, or no log was started
 */
async function findRemains(
  database: Database,
  place: WritablePlace,
  config: LogConfig,
  theirs: Uint8Array | null,
) {
  const stored = await keeperIn(database).read()
  const note = stored === null ? null : Buffer.from(stored)
  const checkpoint = await contentAt(place, CHECKPOINT_FILE)
  const origin = originIn(note) ?? originIn(checkpoint) ?? originIn(theirs)
  if (origin === null) return null
  const own = readVerifiers(config.signingKeyFile, origin)
  return {
    own,
    checkpoint,
    published: opened(checkpoint, own),
    kept: opened(note, own),
    log: await contentAt(place, LOG_FILE),
  }
}

/** What is left of a log: the bytes of its files, null when there are none, and the checkpoints that its own keys have signed. */
type Remains = NonNullable<Awaited<ReturnType<typeof findRemains>>>

/**
 * Finds the entries of a log that is missing or was changed; null when it is intact, or they cannot be proven. The
 * database's checkpoint alone is no proof: if the database was restored from a backup, newer checkpoints may exist. For
 * the same reason, only a copy shows that lines beyond the checkpoint were never signed; the run appends those again that
 * manifests explain.
 */
async function lostLog(
  { published, kept, log }: Remains,
  source: {
    copy: Place | null
    copied: SignedCheckpoint | null
    manifests(): Promise<LogEntry[]>
  },
): Promise<LogEntry[] | null> {
  const { copy, copied } = source
  const here = [kept, published].filter((checkpoint) => checkpoint !== null)
  const signed = copied ? [...here, copied] : here
  const size = Math.max(...signed.map((checkpoint) => checkpoint.size))
  const entries = entriesIn(log)
  const isSigned = entries && here.every((checkpoint) => continues(entries, checkpoint))
  if (isSigned && (!copied || entries.length <= size)) return null
  if (!published && !copied) return null
  const theirs = copied && copy && entriesIn(await readCopy(copy, LOG_FILE))
  for (const candidate of [theirs, entries, await source.manifests()]) {
    const known = candidate?.slice(0, size)
    if (known && signed.every((checkpoint) => continues(known, checkpoint))) return known
  }
  return null
}

const entriesIn = (log: Uint8Array | null): LogEntry[] | null =>
  log && orNull(() => parseLog(log), 'invalid_log')

/**
 * Removes a damaged `checkpoint` if the database has one, which the run then publishes. Otherwise replaces a missing or
 * damaged one by the copy's.
 * @returns whether the file was changed
 */
async function repairCheckpoint(
  place: WritablePlace,
  { checkpoint, published, kept }: Remains,
  copied: SignedCheckpoint | null,
): Promise<boolean> {
  if (published || (checkpoint === null && kept)) return false
  if (kept) await place.remove(CHECKPOINT_FILE)
  else if (copied) await place.put(CHECKPOINT_FILE, Buffer.from(copied.note))
  return kept !== null || copied !== null
}

/** Reduces a damaged `key` to the lines that are keys of this log. The run adds its own. */
async function repairKeys(place: WritablePlace, own: readonly Verifier[]): Promise<boolean> {
  const content = await contentAt(place, KEY_FILE)
  if (content === null || orNull(() => parseKeys(content), 'invalid_key')) return false
  const lines = Buffer.from(content).toString().split('\n')
  const keys = lines.flatMap((line) => orNull(() => parseVkey(line), 'invalid_key') ?? [])
  const ofLog = keys.filter(({ name }) => name === own[0]?.name).map(formatVkey)
  if (ofLog.length === 0) await place.remove(KEY_FILE)
  else await place.put(KEY_FILE, Buffer.from(ofLog.map((vkey) => `${vkey}\n`).join('')))
  return true
}

async function manifestsAt(reader: RunArchive['reader']): Promise<LogEntry[]> {
  const entries: LogEntry[] = []
  for (const day of await reader.days()) {
    const read = await reader.manifest(day).catch(nullIf('invalid_manifest'))
    if (read) entries.push({ day, sha256: sha256Of(read.bytes) })
  }
  return entries
}

/** Reads a file; returns no bytes for one that cannot be used, so that it counts as damaged. */
async function contentAt(place: WritablePlace, name: string): Promise<Uint8Array | null> {
  const file = await readUsable(place, name)
  return file?.content ?? ((await place.stat(name)) ? new Uint8Array() : null)
}

function originIn(note: Uint8Array | null): string | null {
  return note && orNull(() => parseCheckpoint(note).origin)
}

/** Opens a checkpoint; null when it is damaged or not signed by a key of the log. */
function opened(note: Uint8Array | null, own: readonly Verifier[]): SignedCheckpoint | null {
  return (
    note && orNull(() => ({ ...openCheckpoint(note, own), note: Buffer.from(note).toString() }))
  )
}
