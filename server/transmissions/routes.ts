// The archive of transmissions over HTTP, read-only (specification, Transmissions archive; API.md 9).
import type { Logger } from 'pino'
import { ArchiveError } from '../../archive/errors.ts'
import { writeCsv } from '../../archive/format/csv.ts'
import type { Manifest } from '../../archive/format/manifest.ts'
import {
  ARCHIVE_URL,
  dayUrl,
  INDEX_CSV_URL,
  INDEX_JSON_URL,
  KINDS,
  LATEST_URL,
  manifestUrl,
  mediaUrl,
  snapshotUrl,
} from '../../archive/format/paths.ts'
import type { ArchiveReader } from '../../archive/reader.ts'
import { type Answer, answerJson, answerText } from '../http/answer.ts'
import type { Call } from '../http/call.ts'
import type { Route } from '../http/mount.ts'
import { prefersJson } from '../http/negotiate.ts'
import { Problem } from '../wire/problem.ts'
import {
  type ArchivePage,
  archivePage,
  indexOf,
  type ListDeps,
  neighbours,
  pastDays,
} from './listing.ts'
import { answerMedium } from './media.ts'
import { isPastDay } from './rules.ts'

/** The HTML of the archive's shared paths; server/pages provides it. */
export interface TransmissionPages {
  list(page: ArchivePage): string
  day(view: DayView): string
}

/** One day, and the archived days beside it. */
export interface DayView {
  manifest: Manifest
  older: string | null
  newer: string | null
}

export interface TransmissionDeps {
  archive: ArchiveReader
  log: Logger
  /** Wall time, ms since 1970. */
  now(): number
  /** @throws Problem archive_unavailable while the archive's reads are switched off */
  admitRead(): Promise<void>
}

/** What every read of the archive is handed. */
type Deps = TransmissionDeps & ListDeps

const RETRY_S = '60'

export function transmissionRoutes(given: TransmissionDeps, pages: TransmissionPages): Route[] {
  const deps: Deps = { ...given, onDamaged: (error) => noteDamage(given.log, error) }
  const read = (
    path: string,
    operation: string,
    representation: Route['representation'],
    handle: (call: Call) => Promise<Answer>,
  ): Route => ({
    method: 'GET',
    path,
    operation,
    representation,
    handle: (call) => guarded(deps, () => handle(call)),
  })
  return [
    read(ARCHIVE_URL, 'showTransmissions', 'negotiated', (call) => showList(deps, call, pages)),
    read(INDEX_JSON_URL, 'listTransmissions', 'data', async (call) =>
      answerJson(call, indexOf(await archivePage(deps, call.query))),
    ),
    read(INDEX_CSV_URL, 'listTransmissionsCsv', 'data', (call) => listCsv(deps, call)),
    read(LATEST_URL, 'readLatestTransmission', 'data', (call) => readLatest(deps, call)),
    read(dayUrl(':day'), 'showTransmission', 'negotiated', (call) => showDay(deps, call, pages)),
    read(snapshotUrl(':day'), 'readTransmission', 'data', async (call) =>
      answerFile(call, 'snapshot', await snapshotOf(deps, call.params.day)),
    ),
    read(manifestUrl(':day'), 'readTransmissionManifest', 'data', async (call) =>
      answerFile(call, 'manifest', (await manifestOf(deps, call.params.day)).bytes),
    ),
    read(mediaUrl(':day', ':filename'), 'readTransmissionMedia', 'data', (call) =>
      readMedium(deps, call),
    ),
  ]
}

/** Asks whether reads are admitted, and says a failure of the archive without its paths. */
async function guarded(deps: Deps, handle: () => Promise<Answer>): Promise<Answer> {
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

function noteDamage(log: Logger, error: ArchiveError): void {
  log.error({ code: error.code }, `the archive: ${error.message}`)
}

async function showList(deps: Deps, call: Call, pages: TransmissionPages) {
  const page = await archivePage(deps, call.query)
  return prefersJson(call)
    ? answerJson(call, indexOf(page))
    : answerText(call, 'html', pages.list(page))
}

async function listCsv(deps: Deps, call: Call): Promise<Answer> {
  const { manifests, next_before, limit } = await archivePage(deps, call.query)
  const next = `<${INDEX_CSV_URL}?before=${next_before}&limit=${limit}>; rel="next"`
  const headers = next_before === null ? [] : ['Link', next]
  return answerText(call, 'csv', writeCsv(manifests), 'revalidate', headers)
}

/** The newest day changes under this address, so it is asked for again each time. */
async function readLatest(deps: Deps, call: Call): Promise<Answer> {
  const newest = (await pastDays(deps)).at(-1)
  if (newest === undefined) throw new Problem('snapshot_not_found', 'no day has been archived yet')
  return answerText(call, 'json', await snapshotOf(deps, newest))
}

async function showDay(deps: Deps, call: Call, pages: TransmissionPages) {
  if (prefersJson(call)) return answerText(call, 'json', await snapshotOf(deps, call.params.day))
  const { manifest } = await manifestOf(deps, call.params.day)
  const view = { manifest, ...(await neighbours(deps, manifest.day)) }
  return answerText(call, 'html', pages.day(view))
}

/** The archive's own bytes: nothing is composed here. */
const answerFile = (call: Call, kind: 'snapshot' | 'manifest', bytes: Uint8Array): Answer =>
  answerText(call, 'json', bytes, KINDS[kind].cache)

async function snapshotOf(deps: Deps, day = ''): Promise<Uint8Array> {
  const file = isPastDay(day, deps.now()) ? await deps.archive.snapshot(day) : null
  return (file ?? notArchived()).bytes
}

async function manifestOf(deps: Deps, day = '') {
  const file = isPastDay(day, deps.now()) ? await deps.archive.manifest(day) : null
  return file ?? notArchived()
}

async function readMedium(deps: Deps, call: Call): Promise<Answer> {
  const { day = '', filename = '' } = call.params
  const medium = isPastDay(day, deps.now()) ? await deps.archive.openMedia(day, filename) : null
  if (!medium) throw new Problem('media_not_found', 'the archive holds no such file')
  return answerMedium(call, medium, (error) =>
    deps.log.error({ err: error }, `the archive: ${filename} could not be sent whole`),
  )
}

function notArchived(): never {
  throw new Problem('snapshot_not_found', 'the address names no archived day')
}
