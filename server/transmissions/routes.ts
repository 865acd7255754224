// The archive of transmissions over HTTP, read-only: handlers of the endpoints that api.ts declares.
import { basename } from 'node:path'
import type { Logger } from 'pino'
import { ArchiveError } from '../../archive/errors.ts'
import { writeCsv } from '../../archive/format/csv.ts'
import { mirrorBytes } from '../../archive/format/mirror.ts'
import {
  ARCHIVE_URL,
  CHECKPOINT_FILE,
  dayUrl,
  KEY_FILE,
  LOG_FILE,
} from '../../archive/format/paths.ts'
import type { ArchiveReader, LogFileName, OpenMedium } from '../../archive/reader.ts'
import { answerFound, answerJson, answerText, textHeaders } from '../http/answer.ts'
import { attach, type Handler } from '../http/attach.ts'
import { baseUrlOf } from '../http/base-url.ts'
import type { Call } from '../http/call.ts'
import type { Route } from '../http/mount.ts'
import { prefersJson } from '../http/negotiate.ts'
import type { Queryable } from '../store/database.ts'
import { Problem } from '../wire/problem.ts'
import { readId } from '../wire/query.ts'
import { TRANSMISSIONS } from './api.ts'
import { LogReader, noLog, type SignedLog } from './day-log.ts'
import { archivePage, indexOf, type ListDeps, noteDamage, pastDays } from './listing.ts'
import { Media } from './media.ts'
import { MessageProofs } from './message-proofs.ts'
import { isPastDay, whyNotArchived } from './rules.ts'
import { stripImage } from './strip-image.ts'
import { ArchiveSums, sumsOf } from './sums.ts'
import { absentView, dayView, heldPage, type TransmissionPages } from './views.ts'

export interface TransmissionDeps {
  archive: ArchiveReader
  /** For the records of sealed days. */
  db: Queryable
  log: Logger
  /** Wall time, ms since 1970. */
  now(): number
  /** When days are made next; null when no run is scheduled. */
  nextSnapshot(): Date | null
  /** @throws Problem archive_unavailable while the archive's reads are switched off */
  admitRead(): Promise<void>
  /** Whether no message can be published now. */
  isClosed(): Promise<boolean>
  /** BASE_URL, where it is set. */
  baseUrl: string | undefined
  /** Whether programs that ask for a medium are sent to the store that has it (API.md 9.13). */
  mediaRedirect: boolean
}

/** What every read of the archive is handed. */
type Deps = TransmissionDeps & ListDeps

const RETRY_S = '60'

export function transmissionRoutes(given: TransmissionDeps, pages: TransmissionPages): Route[] {
  const deps: Deps = { ...given, onDamaged: (error) => noteDamage(given.log, error) }
  const guarded =
    (handle: Handler): Handler =>
    (call, endpoint) =>
      guard(deps, async () => handle(call, endpoint))
  /** The archive's own bytes: nothing is composed here. */
  const file = (bytesFor: (call: Call) => Promise<Uint8Array>) =>
    guarded(async (call, { cache }) => answerText(call, 'json', await bytesFor(call), cache))
  const media = new Media(
    async (call) => {
      const medium = await guard(deps, () => findMedium(deps, call))
      return {
        ...medium,
        open: (...range) => guard(deps, () => medium.open(...range)),
        address: () => (deps.mediaRedirect ? medium.address() : null),
      }
    },
    (name, err) =>
      deps.log.error({ err }, `the archive: ${basename(name)} could not be sent whole`),
  )
  /** Text that programs read, as files of the archive have it. */
  const plain = (textFor: (call: Call) => Promise<string | Uint8Array>) =>
    guarded(async (call, { cache }) => answerText(call, 'text', await textFor(call), cache))
  const sums = new ArchiveSums(deps.archive)
  const log = new LogReader(deps.archive)
  const proofs = new MessageProofs(deps.db, deps.archive)
  const viewFor = async (call: Call) => ({
    log: await signedLog(log, deps),
    baseUrl: baseUrlOf(call, deps.baseUrl),
    isClosed: await deps.isClosed(),
  })
  return attach(TRANSMISSIONS, {
    showTransmissions: guarded(async (call, { cache }) => {
      const page = await archivePage(deps, call.query)
      return prefersJson(call)
        ? answerJson(call, indexOf(page), cache)
        : answerText(
            call,
            'html',
            pages.list({ ...(await heldPage(deps, page)), ...(await viewFor(call)) }),
            cache,
          )
    }),
    listTransmissions: guarded(async (call, { cache }) =>
      answerJson(call, indexOf(await archivePage(deps, call.query)), cache),
    ),
    listTransmissionsCsv: guarded(listCsv(deps)),
    readTransmissionFeed: guarded(async (call, { cache }) => {
      const { manifests } = await heldPage(deps, await archivePage(deps, new URLSearchParams()))
      const feed = pages.feed(manifests, baseUrlOf(call, deps.baseUrl))
      return answerText(call, 'atom', feed, cache)
    }),
    readLatestTransmission: file(() => latestSnapshot(deps)),
    showLatestTransmission: guarded(async (_call, { cache }) => {
      const newest = (await pastDays(deps)).at(-1)
      return answerFound(newest === undefined ? ARCHIVE_URL : dayUrl(newest), cache)
    }),
    drawLatestTransmission: guarded(async (call, { cache }) => {
      const newest = (await pastDays(deps)).at(-1)
      const found = newest === undefined ? null : await deps.archive.manifest(newest)
      return answerText(call, 'svg', stripImage(found?.manifest.snapshot ?? null), cache)
    }),
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
      const view = await dayView(deps, found.manifest, await viewFor(call))
      return answerText(call, 'html', pages.day(view), cache)
    }),
    readTransmission: file(({ params }) => archivedSnapshot(deps, params.day)),
    readTransmissionManifest: file(
      async ({ params }) => (await archivedManifest(deps, params.day)).bytes,
    ),
    readTransmissionMedia: (call) => media.answer(call),
    readChecksums: plain(() => sums.text()),
    readDayChecksums: plain(async ({ params }) => {
      const { manifest } = await archivedManifest(deps, params.day)
      return (await sumsOf(deps.archive, manifest.day)) ?? (await notArchived(deps, manifest.day))
    }),
    readLog: plain(() => logFile(deps, LOG_FILE)),
    readCheckpoint: plain(() => logFile(deps, CHECKPOINT_FILE)),
    readKeys: plain(() => logFile(deps, KEY_FILE)),
    readDayProof: plain(async ({ params }) => {
      const { manifest } = await archivedManifest(deps, params.day)
      return log.proofOf(manifest.day)
    }),
    readMirror: file(async () => {
      const settings = await deps.archive.mirror()
      if (!settings) throw new Problem('not_found', 'this archive is no mirror')
      return mirrorBytes(settings)
    }),
    readMessageProof: guarded(async (call, { cache }) =>
      answerJson(call, await proofs.proofOf(readId(call.params.id)), cache),
    ),
  })
}

/** For a page, which shows the days also where the log is damaged. */
async function signedLog(log: LogReader, { onDamaged }: Deps): Promise<SignedLog | null> {
  try {
    return await log.read()
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
    onDamaged(error)
    return null
  }
}

/** @throws Problem not_found where there is no log yet */
async function logFile({ archive }: Deps, name: LogFileName): Promise<Uint8Array> {
  const bytes = await archive.logFile(name)
  if (!bytes) throw noLog()
  return bytes
}

/** Asks whether reads are admitted, and reports a failure of the archive without its paths. */
async function guard<T>(deps: Deps, handle: () => Promise<T>): Promise<T> {
  await deps.admitRead()
  try {
    return await handle()
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
    noteDamage(deps.log, error)
    const message =
      error.code === 'archive_unavailable'
        ? 'the archive cannot be read now'
        : 'this part of the archive is damaged, and waits for its repair'
    throw new Problem('archive_unavailable', message, { 'retry-after': RETRY_S })
  }
}

const listCsv =
  (deps: Deps): Handler =>
  async (call, { path, cache }) => {
    const { manifests, next_before, limit } = await archivePage(deps, call.query)
    const next = `<${path}?before=${next_before}&limit=${limit}>; rel="next"`
    const headers = next_before === null ? [] : ['Link', next]
    return answerText(call, 'csv', writeCsv(manifests), cache, headers)
  }

async function latestSnapshot(deps: Deps): Promise<Uint8Array> {
  const newest = (await pastDays(deps)).at(-1)
  if (newest === undefined) throw new Problem('snapshot_not_found', 'no day has been archived yet')
  return archivedSnapshot(deps, newest)
}

async function archivedSnapshot(deps: Deps, day = ''): Promise<Uint8Array> {
  const file = isPastDay(day, deps.now()) ? await deps.archive.snapshot(day) : null
  return (file ?? (await notArchived(deps, day))).bytes
}

async function archivedManifest(deps: Deps, day = '') {
  return (await findManifest(deps, day)) ?? (await notArchived(deps, day))
}

const findManifest = async (deps: Deps, day: string) =>
  isPastDay(day, deps.now()) ? deps.archive.manifest(day) : null

async function findMedium(deps: Deps, { params }: Call): Promise<OpenMedium> {
  const { day = '', filename = '' } = params
  const medium = isPastDay(day, deps.now()) ? await deps.archive.openMedia(day, filename) : null
  if (!medium) throw new Problem('media_not_found', 'the archive holds no such file')
  return medium
}

async function notArchived(deps: Deps, day: string): Promise<never> {
  throw new Problem('snapshot_not_found', await whyAbsent(deps, day))
}

async function whyAbsent(deps: Deps, day: string): Promise<string> {
  const newest = (await pastDays(deps)).at(-1) ?? null
  return whyNotArchived(day, { now: deps.now(), newest, nextRun: deps.nextSnapshot() })
}
