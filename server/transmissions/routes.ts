// Handles the endpoints of the archive, which api.ts declares: the lists and feeds of days, a day, a month, the records of a day.
import { dayOf, isMonth, isYear } from '../../archive/format/calendar.ts'
import { type ArchiveIndex, listedDay } from '../../archive/format/listing.ts'
import { ARCHIVE_URL, dayUrl } from '../../archive/format/paths.ts'
import {
  type Answer,
  answerJson,
  answerRedirect,
  answerText,
  type TextKind,
  textHeaders,
} from '../http/answer.ts'
import { baseUrlOf, type Call, prefersJson } from '../http/call.ts'
import { attach, type Handler, type Route } from '../http/mount.ts'
import { readFirstRecords, readSectionOf } from '../sections/queries.ts'
import { readPosition, readSection, SECTIONS } from '../sections/rules.ts'
import type { CachePolicy } from '../wire/endpoint.ts'
import { hostOf } from '../wire/mentions.ts'
import { PAGE_SIZE } from '../wire/query.ts'
import { TRANSMISSIONS } from './api.ts'
import { archiveFileHandlers, dayFileHandlers } from './files.ts'
import {
  archivedSnapshot,
  archivePage,
  findManifest,
  guardedBy,
  newestDay,
  notArchived,
  whyAbsent,
} from './lookup.ts'
import { RECORDS_SHOWN } from './rules.ts'
import {
  absentView,
  dayView,
  headlinesOf,
  periodView,
  type RecordsView,
  servedPage,
  siteFor,
  type Told,
  type TransmissionDeps,
  type TransmissionPages,
  upcomingOf,
  viewFor,
} from './views.ts'

/** Handlers of the pages of days, and of the lists and feeds that they link to. */
function pageHandlers(deps: TransmissionDeps, pages: TransmissionPages) {
  const guarded = guardedBy(deps)
  const listTransmissions: Handler = async (call, { cache }) => {
    const { manifests, next_before } = await archivePage(deps, call.query)
    const items = manifests.map(listedDay)
    const index: ArchiveIndex = { items, next_before, has_more: next_before !== null }
    return answerJson(call, index, cache)
  }
  return {
    showTransmissions: guarded(async (call, endpoint) => {
      if (prefersJson(call)) return listTransmissions(call, endpoint)
      return deps.kept.answer(call, endpoint.cache, async () => {
        const page = await servedPage(deps, await archivePage(deps, call.query))
        const headlines = await headlinesOf(deps, daysOf(page.manifests))
        const view = { ...page, headlines, ...(await viewFor(call, deps)) }
        return { kind: 'html', text: pages.list(view) }
      })
    }),
    listTransmissions: guarded(listTransmissions),
    listTransmissionsCsv: guarded(async (call, { path, cache }) => {
      const { manifests, next_before, limit } = await archivePage(deps, call.query)
      const { writeCsv } = await import('../../archive/format/csv.ts')
      const next = `<${path}?before=${next_before}&limit=${limit}>; rel="next"`
      const headers = next_before === null ? [] : ['Link', next]
      return answerText(call, 'csv', writeCsv(manifests), cache, headers)
    }),
    readTransmissionFeed: guarded(feedHandler(deps, 'atom', pages.feed)),
    readPodcast: guarded(feedHandler(deps, 'rss', pages.podcast)),
    showLatestTransmission: guarded(async (_call, { cache }) => {
      const newest = await newestDay(deps)
      return answerRedirect(newest === undefined ? ARCHIVE_URL : dayUrl(newest), cache)
    }),
    showTransmission: guarded((call, { cache }) => showDay(deps, pages, call, cache)),
    showRecords: guarded(async (call, { cache }) => {
      const { day = '' } = call.params
      const content = await dayRecords(deps, day, call)
      const view = { ...content, ...(await siteFor(call, deps)) }
      return answerText(call, 'html', pages.records(view), cache)
    }),
  }
}

const daysOf = (manifests: readonly { day: string }[]): string[] => manifests.map(({ day }) => day)

const feedHandler =
  (deps: TransmissionDeps, kind: TextKind, render: TransmissionPages['feed']): Handler =>
  (call, { cache }) =>
    deps.kept.answer(call, cache, async () => {
      const { manifests } = await servedPage(deps, await archivePage(deps, new URLSearchParams()))
      const headlines = await headlinesOf(deps, daysOf(manifests))
      return { kind, text: render(manifests, headlines, baseUrlOf(call, deps.baseUrl)) }
    })

/** Responds with the page of a day, a month or a year, or with the snapshot of the day. */
async function showDay(
  deps: TransmissionDeps,
  pages: TransmissionPages,
  call: Call,
  cache: CachePolicy,
): Promise<Answer> {
  const { day = '' } = call.params
  if (prefersJson(call)) return answerText(call, 'json', await archivedSnapshot(deps, day), cache)
  const kept = (render: () => Promise<string>) =>
    deps.kept.answer(call, cache, async () => ({ kind: 'html', text: await render() }))
  const found = await findManifest(deps, day)
  if (found)
    return kept(async () => {
      const told = await toldOf(deps, call, day)
      const hasRecords = !deps.isMirror || (await deps.archive.records(day)) !== null
      const view = { ...(await viewFor(call, deps)), ...told, hasRecords }
      return pages.day(await dayView(deps, found, view))
    })
  const site = await siteFor(call, deps)
  if (day === dayOf(deps.clock.now()) && !deps.isMirror)
    return kept(async () => pages.today({ ...(await todayView(deps, call)), ...site }))
  const period = isMonth(day) || isYear(day) ? await periodView(deps, day) : null
  if (period) {
    const headlines = await headlinesOf(deps, daysOf(period.manifests))
    const render = isYear(day) ? pages.year : pages.month
    return answerText(call, 'html', render({ ...period, headlines, ...site }), cache)
  }
  const absent = await absentView(deps, day, await whyAbsent(deps, day))
  const body = pages.absent({ ...absent, ...site })
  return { status: 404, headers: textHeaders('html', 'no-store'), body }
}

/** The records of a mirror's days are at its source. */
async function toldOf(deps: TransmissionDeps, call: Call, day: string): Promise<Told> {
  const headlines = await headlinesOf(deps, [day])
  if (deps.isMirror) return { headlines, firstRecords: null }
  const host = hostOf(baseUrlOf(call, deps.baseUrl))
  const opening = headlines.get(day)?.linked ?? []
  return { headlines, firstRecords: await readFirstRecords(deps.database.db, day, opening, host) }
}

async function todayView(deps: TransmissionDeps, call: Call) {
  const today = await deps.today()
  return {
    ...upcomingOf(deps),
    today,
    older: (await newestDay(deps)) ?? null,
    ...(await toldOf(deps, call, today.day)),
  }
}

/** Reads the records of an archived day or of today. @throws Problem snapshot_not_found, and those of the query */
async function dayRecords(deps: TransmissionDeps, day: string, call: Call) {
  const { query } = call
  const isToday = day === dayOf(deps.clock.now())
  if (deps.isMirror || !(isToday || (await findManifest(deps, day)))) await notArchived(deps, day)
  const only = readSection(query)
  const names = only ? [only] : SECTIONS
  const request = {
    after: readPosition(query, day),
    limit: only ? PAGE_SIZE : RECORDS_SHOWN,
    host: hostOf(baseUrlOf(call, deps.baseUrl)),
  }
  const sections: RecordsView['sections'][number][] = []
  for (const name of names)
    sections.push({ name, section: await readSectionOf(deps.database.db, day, name, request) })
  return { day, hasRecords: !isToday, only, sections }
}

export function transmissionRoutes(deps: TransmissionDeps, pages: TransmissionPages): Route[] {
  return attach(TRANSMISSIONS, {
    ...pageHandlers(deps, pages),
    ...dayFileHandlers(deps),
    ...archiveFileHandlers(deps),
  })
}
