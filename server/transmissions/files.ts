// Handles the files of the archive: those of a day, those that verify the archive as a whole, which are composed of the
// manifests (FORMAT.md 14), and the receipts of messages.
import { coalesced, mapInOrder } from '../../archive/base/concurrently.ts'
import { nullIf } from '../../archive/base/errors.ts'
import { smallChordOf } from '../../archive/drawing/chord.ts'
import { chordImage } from '../../archive/drawing/chord-image.ts'
import { STRIP, SYNC_ONLY, stripPath, tonesOf } from '../../archive/drawing/tone-strip.ts'
import type { MediaKind } from '../../archive/format/media.ts'
import { mirrorBytes } from '../../archive/format/mirror.ts'
import { CHECKPOINT_FILE, KEY_FILE, LOG_FILE, SUMS_FILE } from '../../archive/format/paths.ts'
import type { Snapshot } from '../../archive/format/snapshot.ts'
import { archiveSums, daySums, sumsOfDay } from '../../archive/format/sums.ts'
import type { ArchiveReader } from '../../archive/reading/reader.ts'
import { readLogKeys } from '../database/settings/settings.ts'
import {
  type Answer,
  answerTagged,
  answerTaggedText,
  answerText,
  etagOf,
  textHeaders,
} from '../http/answer.ts'
import type { Call } from '../http/call.ts'
import { recordsFileOf } from '../records/records-file.ts'
import type { CachePolicy, Endpoint } from '../wire/endpoint.ts'
import { Problem } from '../wire/problem.ts'
import { readId } from '../wire/query.ts'
import {
  archivedManifest,
  archivedSnapshot,
  guardedBy,
  ifReadable,
  latestSnapshot,
  logFile,
  newestDay,
} from './lookup.ts'
import { mediaHandler } from './media.ts'
import { receiptsOf } from './receipts.ts'
import { servedKinds, type TransmissionDeps } from './views.ts'

/** Lets pages of other sites embed the response, even those that are isolated from other origins. */
const EMBEDDABLE = ['Cross-Origin-Resource-Policy', 'cross-origin']

/** Handlers of the files of a day, of those of the newest, and of its drawings. */
export function dayFileHandlers(deps: TransmissionDeps) {
  const guarded = guardedBy(deps)
  return {
    readLatestTransmission: guarded.json(() => latestSnapshot(deps)),
    // Every page shows this image in its header, so it must not fail with the archive.
    drawLatestTransmission: async (call: Call, { cache }: Endpoint) => {
      const found = await ifReadable(deps, async () => {
        const newest = await newestDay(deps)
        return newest === undefined ? null : deps.archive.manifest(newest)
      })
      return answerText(call, 'svg', stripImage(found?.manifest.snapshot ?? null), cache)
    },
    readDayRecords: guarded((call, { cache }) => sendRecords(deps, call, cache)),
    drawChord: guarded(async (call, { cache }) => {
      const { snapshot } = (await archivedManifest(deps, call.params.day)).manifest
      const image = chordImage(smallChordOf(snapshot.counters), snapshot.day)
      return answerText(call, 'svg', image, cache, EMBEDDABLE)
    }),
    readTransmission: guarded.json(({ params }) => archivedSnapshot(deps, params.day)),
    readTransmissionManifest: guarded.json(
      async ({ params }) => (await archivedManifest(deps, params.day)).bytes,
    ),
    readTransmissionMedia: mediaHandler(deps),
    readDayChecksums: guarded.text(async ({ params }) => {
      const { manifest, bytes } = await archivedManifest(deps, params.day)
      return daySums(sumsOfDay(manifest, bytes, await servedKinds(deps.archive)))
    }),
    readDayLeaves: guarded((call, { cache }) => sendLeaves(deps, call, cache)),
  }
}

/** Handlers of the files that verify the archive as a whole, and of the receipts of messages. */
export function archiveFileHandlers(deps: TransmissionDeps) {
  const guarded = guardedBy(deps)
  const readSums = sumsReader(deps.archive)
  const receiptOf = receiptsOf(deps.database.db, deps.signingKeyFile, deps.log)
  return {
    readChecksums: guarded.text(async () =>
      deps.kept.find(SUMS_FILE, readSums, ({ length }) => length),
    ),
    readLog: guarded.text(() => logFile(deps, LOG_FILE)),
    readCheckpoint: guarded.text(() => logFile(deps, CHECKPOINT_FILE)),
    readKeys: guarded.text(async () => {
      // Before the first day is logged, those that sign receipts.
      const hasLog = (await deps.archive.logFile(KEY_FILE)) !== null
      return (hasLog ? null : await readLogKeys(deps.database.db)) ?? logFile(deps, KEY_FILE)
    }),
    readMirror: guarded.json(async () => {
      const settings = await deps.archive.mirror()
      if (!settings) throw new Problem('not_found', 'this archive is not a mirror')
      return mirrorBytes(settings)
    }),
    readMessageReceipt: async (call: Call, { cache }: Endpoint) =>
      answerText(call, 'text', await receiptOf(readId(call.params.id)), cache),
  }
}

/** Streams the leaves of a day. Its root names them, so it is their ETag. */
async function sendLeaves(deps: TransmissionDeps, call: Call, cache: CachePolicy): Promise<Answer> {
  const { manifest } = await archivedManifest(deps, call.params.day)
  const { day, snapshot } = manifest
  const file = await deps.archive.leaves(day)
  if (!file) throw new Problem('not_found', `${day} has no leaves`)
  const headers = textHeaders('text', cache)
  const answer = answerTagged(call, headers, `"${snapshot.records.root}"`, '')
  if (answer.status === 304) return answer
  return { ...answer, body: { stream: await file.open(), length: file.bytes } }
}

/** @throws Problem snapshot_not_found; not_found in a mirror that does not keep them */
async function sendRecords(deps: TransmissionDeps, call: Call, cache: CachePolicy) {
  const { day = '' } = call.params
  const { snapshot, snapshot_file } = (await archivedManifest(deps, day)).manifest
  const { sha256 } = snapshot_file
  const previous = (await deps.archive.days()).findLast((other) => other < day) ?? null
  const sealed = { day, sha256, records: snapshot.records, previous }
  const { text, etag } = deps.isMirror
    ? await keptRecords(deps.archive, day)
    : await recordsFileOf(deps.database, sealed)
  return answerTaggedText(call, 'ndjson', text, cache, etag)
}

/** @throws Problem not_found */
async function keptRecords(archive: ArchiveReader, day: string) {
  const records = await archive.records(day)
  if (!records) throw new Problem('not_found', 'this mirror does not keep the records of the days')
  const { bytes: length, version, open } = records
  async function* chunks() {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
    for await (const chunk of await open()) yield decoder.decode(chunk, { stream: true })
  }
  return { text: { length, chunks }, etag: etagOf(version) }
}

/**
 * Draws the tones of a day as a standalone SVG, which a style sheet can use as a mask to colour it.
 * @param snapshot null for the sync tones that all days share
 */
function stripImage(snapshot: Snapshot | null): string {
  const marks = stripPath(snapshot === null ? SYNC_ONLY : tonesOf(snapshot))
  const box = `viewBox="0 0 ${STRIP.width} ${STRIP.height}" preserveAspectRatio="none"`
  const style = 'fill="none" stroke="#000" stroke-width="3" vector-effect="non-scaling-stroke"'
  return `<svg xmlns="http://www.w3.org/2000/svg" ${box}><path d="${marks}" ${style}/></svg>`
}

/** Days that are checked for changes concurrently. */
const CONCURRENT_DAYS = 64

/**
 * Returns a function that composes SHA256SUMS, the hashes of all days, once at a time. Checking the manifests of ten years for
 * changes takes 0.1 s.
 */
function sumsReader(archive: ArchiveReader): () => Promise<string> {
  const known = new Map<string, { version: string; text: string }>()
  const part = async (day: string, kinds: readonly MediaKind[]): Promise<string> => {
    const found = await archive.version(day)
    if (found === null) return ''
    const version = `${found} ${kinds.join()}`
    const last = known.get(day)
    if (last?.version === version) return last.text
    const read = await archive.manifest(day).catch(nullIf('invalid_manifest'))
    const text = archiveSums(day, read && sumsOfDay(read.manifest, read.bytes, kinds))
    known.set(day, { version, text })
    return text
  }
  return coalesced(async () => {
    const kinds = await servedKinds(archive)
    const days = await archive.days()
    const parts = mapInOrder(days, CONCURRENT_DAYS, (day) => part(day, kinds))
    return (await Array.fromAsync(parts)).join('')
  })
}
