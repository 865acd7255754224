// Handles the endpoints of the transmissions archive, which api.ts declares.
import { basename } from 'node:path'
import type { ArchiveError } from '../../archive/errors.ts'
import { writeCsv } from '../../archive/format/csv.ts'
import { mirrorBytes } from '../../archive/format/mirror.ts'
import {
  ARCHIVE_URL,
  CHECKPOINT_FILE,
  dayUrl,
  KEY_FILE,
  LOG_FILE,
} from '../../archive/format/paths.ts'
import type { Queryable } from '../database/database.ts'
import { answerJson, answerRedirect, answerText, textHeaders } from '../http/answer.ts'
import { attach } from '../http/attach.ts'
import { baseUrlOf } from '../http/base-url.ts'
import type { Call } from '../http/call.ts'
import type { Route } from '../http/mount.ts'
import { prefersJson } from '../http/negotiate.ts'
import type { Clock } from '../system.ts'
import type { Endpoint } from '../wire/endpoint.ts'
import { Problem } from '../wire/problem.ts'
import { readId } from '../wire/query.ts'
import { TRANSMISSIONS } from './api.ts'
import {
  type ArchivedDeps,
  archivedManifest,
  archivedMedium,
  archivedSnapshot,
  findManifest,
  latestSnapshot,
  logFile,
  newestDay,
  notArchived,
  signedLog,
  whyAbsent,
} from './archived.ts'
import { LogReader } from './day-log.ts'
import { type GuardDeps, type Guarded, guard, guardedBy, ifReadable } from './guard.ts'
import { archivePage, indexOf, type ListDeps, logDamage } from './listing.ts'
import { Media } from './media.ts'
import { MessageProofs } from './message-proofs.ts'
import { stripImage } from './strip-image.ts'
import { ArchiveSums, sumsOf } from './sums.ts'
import {
  type ArchiveView,
  absentView,
  dayView,
  servedPage,
  type TransmissionPages,
} from './views.ts'

export interface TransmissionDeps extends GuardDeps, Omit<ArchivedDeps, 'onDamaged'> {
  clock: Clock
  /** Whether the archive is a mirror, which gets its days from its source. */
  isMirror: boolean
  /** Source of the records of sealed days. */
  db: Queryable
  /** Whether publishing messages is currently off. */
  isClosed(): Promise<boolean>
  /** BASE_URL, if set. */
  baseUrl: string | undefined
  /** Whether programs that request media are redirected to the object store (API.md 9.13). */
  mediaRedirect: boolean
}

/** Shared by all handlers. */
interface Shared {
  deps: TransmissionDeps & ListDeps
  guarded: Guarded
  pages: TransmissionPages
  log: LogReader
}

export function transmissionRoutes(given: TransmissionDeps, pages: TransmissionPages): Route[] {
  const deps = { ...given, onDamaged: (error: ArchiveError) => logDamage(given.log, error) }
  const shared = { deps, guarded: guardedBy(deps), pages, log: new LogReader(deps.archive) }
  return attach(TRANSMISSIONS, {
    ...listHandlers(shared),
    ...newestDayHandlers(shared),
    ...dayHandlers(shared),
    ...proofHandlers(shared),
  })
}

const listHandlers = ({ deps, guarded, pages, log }: Shared) => ({
  showTransmissions: guarded(async (call, { cache }) => {
    const page = await archivePage(deps, call.query)
    if (prefersJson(call)) return answerJson(call, indexOf(page), cache)
    const view = { ...(await servedPage(deps, page)), ...(await viewFor(call, deps, log)) }
    return answerText(call, 'html', pages.list(view), cache)
  }),
  listTransmissions: guarded(async (call, { cache }) =>
    answerJson(call, indexOf(await archivePage(deps, call.query)), cache),
  ),
  listTransmissionsCsv: guarded(async (call, { path, cache }) => {
    const { manifests, next_before, limit } = await archivePage(deps, call.query)
    const next = `<${path}?before=${next_before}&limit=${limit}>; rel="next"`
    const headers = next_before === null ? [] : ['Link', next]
    return answerText(call, 'csv', writeCsv(manifests), cache, headers)
  }),
  readTransmissionFeed: guarded(async (call, { cache }) => {
    const { manifests } = await servedPage(deps, await archivePage(deps, new URLSearchParams()))
    const feed = pages.feed(manifests, baseUrlOf(call, deps.baseUrl))
    return answerText(call, 'atom', feed, cache)
  }),
})

const newestDayHandlers = ({ deps, guarded }: Shared) => ({
  readLatestTransmission: guarded.json(() => latestSnapshot(deps)),
  showLatestTransmission: guarded(async (_call, { cache }) => {
    const newest = await newestDay(deps)
    return answerRedirect(newest === undefined ? ARCHIVE_URL : dayUrl(newest), cache)
  }),
  // Every page shows this image in its header, so it must not fail with the archive.
  drawLatestTransmission: async (call: Call, { cache }: Endpoint) => {
    const found = await ifReadable(deps, async () => {
      const newest = await newestDay(deps)
      return newest === undefined ? null : deps.archive.manifest(newest)
    })
    return answerText(call, 'svg', stripImage(found?.manifest.snapshot ?? null), cache)
  },
})

function dayHandlers({ deps, guarded, pages, log }: Shared) {
  const media = mediaOf(deps)
  return {
    showTransmission: guarded(async (call, { cache }) => {
      const { day = '' } = call.params
      if (prefersJson(call))
        return answerText(call, 'json', await archivedSnapshot(deps, day), cache)
      const found = await findManifest(deps, day)
      if (!found) {
        const absent = await absentView(deps, day, await whyAbsent(deps, day))
        const body = pages.absent({ ...absent, isClosed: await deps.isClosed() })
        return { status: 404, headers: textHeaders('html', 'no-store'), body }
      }
      const view = await dayView(deps, found.manifest, await viewFor(call, deps, log))
      return answerText(call, 'html', pages.day(view), cache)
    }),
    readTransmission: guarded.json(({ params }) => archivedSnapshot(deps, params.day)),
    readTransmissionManifest: guarded.json(
      async ({ params }) => (await archivedManifest(deps, params.day)).bytes,
    ),
    readTransmissionMedia: (call: Call) => media.answer(call),
    readDayChecksums: guarded.text(async ({ params }) => {
      const { manifest } = await archivedManifest(deps, params.day)
      return (await sumsOf(deps.archive, manifest.day)) ?? (await notArchived(deps, manifest.day))
    }),
    readDayProof: guarded.text(async ({ params }) => {
      const { manifest } = await archivedManifest(deps, params.day)
      return log.proofOf(manifest.day)
    }),
  }
}

/** Handlers of the files that verify the archive as a whole, or one message. */
function proofHandlers({ deps, guarded }: Shared) {
  const sums = new ArchiveSums(deps.archive)
  const proofs = new MessageProofs(deps.db, deps.archive, deps.clock)
  return {
    readChecksums: guarded.text(() => sums.text()),
    readLog: guarded.text(() => logFile(deps, LOG_FILE)),
    readCheckpoint: guarded.text(() => logFile(deps, CHECKPOINT_FILE)),
    readKeys: guarded.text(() => logFile(deps, KEY_FILE)),
    readMirror: guarded.json(async () => {
      const settings = await deps.archive.mirror()
      if (!settings) throw new Problem('not_found', 'this archive is not a mirror')
      return mirrorBytes(settings)
    }),
    readMessageProof: guarded(async (call, { cache }) =>
      answerJson(call, await proofs.proofOf(readId(call.params.id)), cache),
    ),
  }
}

/** Collects what pages show about the archive as a whole. */
const viewFor = async (call: Call, deps: Shared['deps'], log: LogReader): Promise<ArchiveView> => ({
  log: await signedLog(log, deps),
  baseUrl: baseUrlOf(call, deps.baseUrl),
  isClosed: await deps.isClosed(),
  now: deps.clock.now(),
  nextRun: deps.nextSnapshot(),
  isMirror: deps.isMirror,
})

const mediaOf = (deps: Shared['deps']): Media =>
  new Media(
    async (call) => {
      const medium = await guard(deps, () => archivedMedium(deps, call))
      return {
        ...medium,
        open: (...range) => guard(deps, () => medium.open(...range)),
        address: () => (deps.mediaRedirect ? medium.address() : null),
      }
    },
    (name, err) =>
      deps.log.error({ err }, `the archive: ${basename(name)} could not be sent in full`),
  )
