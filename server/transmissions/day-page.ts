// Responds with the page of a day or a month, and reads the records that pages of a day show.
import { dayOf, isMonth } from '../../archive/format/calendar.ts'
import { type Edition, readEdition, readSectionOf } from '../edition/queries.ts'
import { readPosition, readSection, SECTIONS } from '../edition/rules.ts'
import { type Answer, answerText, textHeaders } from '../http/answer.ts'
import type { Call } from '../http/call.ts'
import { prefersJson } from '../http/negotiate.ts'
import type { CachePolicy } from '../wire/endpoint.ts'
import { PAGE_SIZE } from '../wire/query.ts'
import { archivedSnapshot, findManifest, newestDay, notArchived, whyAbsent } from './archived.ts'
import { type Shared, siteFor, upcomingOf, viewFor } from './handler-deps.ts'
import { RECORDS_SHOWN } from './rules.ts'
import { absentView, dayView, monthView, type RecordsView } from './views.ts'

/** Responds with the page of a day or a month, or with the snapshot of the day. */
export async function showDay(
  { deps, pages, log }: Shared,
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
      const edition = await editionOf(deps, day)
      const hasWords = !deps.isMirror || (await deps.archive.words(day)) !== null
      const view = { ...(await viewFor(call, deps, log)), edition, hasWords }
      return pages.day(await dayView(deps, found.manifest, view))
    })
  const site = await siteFor(call, deps)
  if (day === dayOf(deps.clock.now()) && !deps.isMirror)
    return kept(async () => pages.today({ ...(await todayView(deps)), ...site }))
  const month = isMonth(day) ? await monthView(deps, day) : null
  if (month) return answerText(call, 'html', pages.month({ ...month, ...site }), cache)
  const absent = await absentView(deps, day, await whyAbsent(deps, day))
  const body = pages.absent({ ...absent, ...site })
  return { status: 404, headers: textHeaders('html', 'no-store'), body }
}

/** The records of a mirror's days are at its source. */
const editionOf = async (
  { database, isMirror }: Shared['deps'],
  day: string,
): Promise<Edition | null> => (isMirror ? null : readEdition(database.db, day))

async function todayView(deps: Shared['deps']) {
  const today = await deps.today.current()
  const older = (await newestDay(deps)) ?? null
  const { now, nextRun, isMirror } = upcomingOf(deps)
  return { today, older, edition: await editionOf(deps, today.day), now, nextRun, isMirror }
}

/** Reads the records of an archived day or of today. @throws Problem snapshot_not_found, and those of the query */
export async function dayRecords(deps: Shared['deps'], day: string, query: URLSearchParams) {
  const isToday = day === dayOf(deps.clock.now())
  if (deps.isMirror || !(isToday || (await findManifest(deps, day)))) await notArchived(deps, day)
  const only = readSection(query)
  const names = only ? [only] : SECTIONS
  const request = { after: readPosition(query, day), limit: only ? PAGE_SIZE : RECORDS_SHOWN }
  const sections: RecordsView['sections'][number][] = []
  for (const name of names)
    sections.push({ name, section: await readSectionOf(deps.database.db, day, name, request) })
  return { day, hasWords: !isToday, only, sections }
}
