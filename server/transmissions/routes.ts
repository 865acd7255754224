// Handles the endpoints of the transmissions archive, which api.ts declares.
import { basename } from 'node:path'
import { smallChordOf } from '../../archive/drawing/chord.ts'
import { chordImage } from '../../archive/drawing/chord-image.ts'
import type { ArchiveError } from '../../archive/errors.ts'
import { writeCsv } from '../../archive/format/csv.ts'
import { mirrorBytes } from '../../archive/format/mirror.ts'
import {
  ARCHIVE_URL,
  CHECKPOINT_FILE,
  dayOf,
  dayUrl,
  isMonth,
  KEY_FILE,
  LOG_FILE,
} from '../../archive/format/paths.ts'
import type { Database, Queryable } from '../database/database.ts'
import { readLogKeys } from '../database/settings/log-keys.ts'
import { type Edition, readEdition, readSectionOf } from '../edition/queries.ts'
import { readPosition, readSection, SECTIONS } from '../edition/rules.ts'
import { wordsOf } from '../edition/words.ts'
import {
  type Answer,
  answerJson,
  answerRedirect,
  answerTagged,
  answerTaggedText,
  answerText,
  textHeaders,
} from '../http/answer.ts'
import { attach } from '../http/attach.ts'
import { baseUrlOf } from '../http/base-url.ts'
import type { Call } from '../http/call.ts'
import type { KeptPages } from '../http/kept-pages.ts'
import type { Route } from '../http/mount.ts'
import { prefersJson } from '../http/negotiate.ts'
import type { Clock } from '../system.ts'
import type { CachePolicy, Endpoint } from '../wire/endpoint.ts'
import { Problem } from '../wire/problem.ts'
import { PAGE_SIZE, readId } from '../wire/query.ts'
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
import { Receipts } from './receipts.ts'
import { RECORDS_SHOWN } from './rules.ts'
import type { ServedManifest } from './served.ts'
import { stripImage } from './strip-image.ts'
import { ArchiveSums, sumsOf } from './sums.ts'
import type { TodayCounts } from './today-counts.ts'
import {
  type ArchiveView,
  absentView,
  dayView,
  monthView,
  type RecordsView,
  servedPage,
  type TransmissionPages,
  type Upcoming,
} from './views.ts'

export interface TransmissionDeps extends GuardDeps, Omit<ArchivedDeps, 'onDamaged'> {
  clock: Clock
  /** Whether the archive is a mirror, which gets its days from its source. */
  isMirror: boolean
  database: Database
  /** Source of the records of sealed days. */
  db: Queryable
  kept: KeptPages
  today: TodayCounts
  modes: GuardDeps['modes'] & {
    /** Whether publishing messages is currently off. */
    isClosed(): Promise<boolean>
  }
  /** BASE_URL, if set. */
  baseUrl: string | undefined
  /** The addresses of mirrors (MIRRORS). */
  mirrors: readonly string[]
  /** Whether programs that request media are redirected to the object store (API.md 9.13). */
  mediaRedirect: boolean
  /** The private key that signs receipts; the file may be missing. */
  signingKeyFile: string
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
    if (prefersJson(call))
      return answerJson(call, indexOf(await archivePage(deps, call.query)), cache)
    return deps.kept.answer(call, cache, async () => {
      const page = await servedPage(deps, await archivePage(deps, call.query))
      return { kind: 'html', text: pages.list({ ...page, ...(await viewFor(call, deps, log)) }) }
    })
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
  readTransmissionFeed: guarded((call, { cache }) =>
    deps.kept.answer(call, cache, async () => ({
      kind: 'atom',
      text: pages.feed(...(await feedOf(deps, call))),
    })),
  ),
  readPodcast: guarded((call, { cache }) =>
    deps.kept.answer(call, cache, async () => ({
      kind: 'rss',
      text: pages.podcast(...(await feedOf(deps, call))),
    })),
  ),
})

/** The newest days, and the address of the service. */
async function feedOf(
  deps: Shared['deps'],
  call: Call,
): Promise<[days: ServedManifest[], baseUrl: string]> {
  const { manifests } = await servedPage(deps, await archivePage(deps, new URLSearchParams()))
  return [manifests, baseUrlOf(call, deps.baseUrl)]
}

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

/** Lets pages of other sites embed the response, even those that are isolated from other origins. */
const EMBEDDABLE = ['Cross-Origin-Resource-Policy', 'cross-origin']

function dayHandlers(shared: Shared) {
  const { deps, guarded, pages, log } = shared
  const media = mediaOf(deps)
  return {
    showTransmission: guarded((call, { cache }) => showDay(shared, call, cache)),
    showRecords: guarded(async (call, { cache }) => {
      const { day = '' } = call.params
      const content = await dayRecords(deps, day, call.query)
      const view = { ...content, ...(await siteFor(call, deps)) }
      return answerText(call, 'html', pages.records(view), cache)
    }),
    readDayRecords: guarded((call, { cache }) => sendWords(deps, call, cache)),
    drawChord: guarded(async (call, { cache }) => {
      const { snapshot } = (await archivedManifest(deps, call.params.day)).manifest
      const image = chordImage(smallChordOf(snapshot.counters), snapshot.day)
      return answerText(call, 'svg', image, cache, EMBEDDABLE)
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
    readDayLeaves: guarded((call, { cache }) => sendLeaves(deps, call, cache)),
    readDayProof: guarded.text(async ({ params }) => {
      const { manifest } = await archivedManifest(deps, params.day)
      return log.proofOf(manifest.day)
    }),
  }
}

/** Responds with the page of a day or a month, or with the snapshot of the day. */
async function showDay(
  { deps, pages, log }: Shared,
  call: Call,
  cache: CachePolicy,
): Promise<Answer> {
  const { day = '' } = call.params
  if (prefersJson(call)) return answerText(call, 'json', await archivedSnapshot(deps, day), cache)
  const page = (text: string) => answerText(call, 'html', text, cache)
  const found = await findManifest(deps, day)
  if (found) {
    const view = { ...(await viewFor(call, deps, log)), edition: await editionOf(deps, day) }
    return page(pages.day(await dayView(deps, found.manifest, view)))
  }
  const site = await siteFor(call, deps)
  if (day === dayOf(deps.clock.now()) && !deps.isMirror)
    return page(pages.today({ ...(await todayView(deps)), ...site }))
  const month = isMonth(day) ? await monthView(deps, day) : null
  if (month) return page(pages.month({ ...month, ...site }))
  const absent = await absentView(deps, day, await whyAbsent(deps, day))
  const body = pages.absent({ ...absent, ...site })
  return { status: 404, headers: textHeaders('html', 'no-store'), body }
}

/** The records of a mirror's days are at its source. */
const editionOf = async ({ db, isMirror }: Shared['deps'], day: string): Promise<Edition | null> =>
  isMirror ? null : readEdition(db, day)

async function todayView(deps: Shared['deps']) {
  const today = await deps.today.current()
  const older = (await newestDay(deps)) ?? null
  const { now, nextRun, isMirror } = upcomingOf(deps)
  return { today, older, edition: await editionOf(deps, today.day), now, nextRun, isMirror }
}

/** Reads the records of an archived day or of today. @throws Problem snapshot_not_found, and those of the query */
async function dayRecords(deps: Shared['deps'], day: string, query: URLSearchParams) {
  const isToday = day === dayOf(deps.clock.now())
  if (deps.isMirror || !(isToday || (await findManifest(deps, day)))) await notArchived(deps, day)
  const only = readSection(query)
  const names = only ? [only] : SECTIONS
  const request = { after: readPosition(query, day), limit: only ? PAGE_SIZE : RECORDS_SHOWN }
  const sections: RecordsView['sections'][number][] = []
  for (const name of names)
    sections.push({ name, section: await readSectionOf(deps.db, day, name, request) })
  return { day, only, sections }
}

/** Responds with the words of a sealed day. @throws Problem snapshot_not_found */
async function sendWords(deps: Shared['deps'], call: Call, cache: CachePolicy): Promise<Answer> {
  const { day = '' } = call.params
  const { manifest } = await archivedManifest(deps, day)
  const previous = (await deps.archive.days()).findLast((other) => other < day) ?? null
  const { records } = manifest.snapshot
  const sealed = { day, sha256: manifest.snapshot_file.sha256, records, previous }
  const { text, etag } = await wordsOf(deps.database, sealed, (err) =>
    deps.log.error({ err }, `the words of ${day} could not be sent`),
  )
  return answerTaggedText(call, 'ndjson', text, cache, etag)
}

/** Streams the leaves of a day. Its root names them, so it is their ETag. */
async function sendLeaves(deps: Shared['deps'], call: Call, cache: CachePolicy): Promise<Answer> {
  const { manifest } = await archivedManifest(deps, call.params.day)
  const { day, snapshot } = manifest
  const file = snapshot.records && (await deps.archive.leaves(day))
  if (!file) throw new Problem('not_found', `${day} has no leaves`)
  const headers = textHeaders('text', cache)
  const answer = answerTagged(call, headers, `"${snapshot.records?.root}"`, '')
  if (answer.status === 304) return answer
  const onBroken = (err: unknown) =>
    deps.log.error({ err }, `the leaves of ${day} could not be sent in full`)
  return { ...answer, body: { stream: await file.open(), length: file.bytes, onBroken } }
}

/** Handlers of the files that verify the archive as a whole, or one message. */
function proofHandlers({ deps, guarded }: Shared) {
  const sums = new ArchiveSums(deps.archive)
  const proofs = new MessageProofs(deps.db, deps.archive)
  const receipts = new Receipts(deps.db, deps.signingKeyFile, deps.log)
  return {
    readChecksums: guarded.text(() => sums.text()),
    readLog: guarded.text(() => logFile(deps, LOG_FILE)),
    readCheckpoint: guarded.text(() => logFile(deps, CHECKPOINT_FILE)),
    readKeys: guarded.text(async () => (await keysBeforeLog(deps)) ?? logFile(deps, KEY_FILE)),
    readMirror: guarded.json(async () => {
      const settings = await deps.archive.mirror()
      if (!settings) throw new Problem('not_found', 'this archive is not a mirror')
      return mirrorBytes(settings)
    }),
    readMessageProof: guarded(async (call, { cache }) =>
      answerJson(call, await proofs.proofOf(readId(call.params.id)), cache),
    ),
    readMessageReceipt: async (call: Call, { cache }: Endpoint) =>
      answerText(call, 'text', await receipts.receiptOf(readId(call.params.id)), cache),
  }
}

/** The keys that sign receipts before the first day is logged; null if the archive has a log. */
async function keysBeforeLog({ archive, db }: Shared['deps']): Promise<string | null> {
  return (await archive.logFile(KEY_FILE)) ? null : readLogKeys(db)
}

/** Collects what pages show about the archive as a whole. */
const viewFor = async (call: Call, deps: Shared['deps'], log: LogReader): Promise<ArchiveView> => ({
  log: await signedLog(log, deps),
  mirrors: deps.mirrors,
  ...(await siteFor(call, deps)),
  ...upcomingOf(deps),
})

const upcomingOf = ({ clock, nextSnapshot, isMirror }: Shared['deps']): Upcoming => ({
  now: clock.now(),
  nextRun: nextSnapshot(),
  isMirror,
})

const siteFor = async (call: Call, deps: Shared['deps']) => ({
  baseUrl: baseUrlOf(call, deps.baseUrl),
  isClosed: await deps.modes.isClosed(),
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
