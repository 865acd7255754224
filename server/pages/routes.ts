// Handles the endpoints of the service itself: the front page, the form, the guide; feeds/handlers.ts has the feeds.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { answersOf } from '../board/answers.ts'
import type { IncrementalCounts } from '../board/incremental-counts.ts'
import {
  existingPath,
  newestMessages,
  suggestedDirectories,
  visibleMessage,
} from '../board/queries.ts'
import { isPath } from '../board/rules.ts'
import type { ClockGuard } from '../clock/guard.ts'
import type { TodayCounts } from '../data/counts.ts'
import type { Queryable } from '../database/database.ts'
import { answerText } from '../http/answer.ts'
import { baseUrlOf, type Call } from '../http/call.ts'
import { attach, type Route } from '../http/mount.ts'
import type { Activities } from '../investigations/activity.ts'
import { summariesById } from '../investigations/queries.ts'
import { type ListRequest, listContent } from '../investigations/views.ts'
import type { CurrentModes } from '../modes/current.ts'
import { publishingState } from '../modes/rules.ts'
import type { HeadlineReader, Headlines } from '../sections/headlines.ts'
import { readMessages } from '../sections/queries.ts'
import { ifReadable, pastDays, readableDays } from '../transmissions/lookup.ts'
import { DAYS_SHOWN } from '../transmissions/rules.ts'
import { servedKinds, servedManifest } from '../transmissions/views.ts'
import { hostOf } from '../wire/mentions.ts'
import { idGiven } from '../wire/query.ts'
import { SITE } from './api.ts'
import { nextSentence } from './days/absent-day.ts'
import { type FollowView, followPage } from './feeds/follow.ts'
import { type FeedDeps, feedHandlers } from './feeds/handlers.ts'
import { guidePage } from './guide/guide.ts'
import { type HomeView, homePage } from './home/home.ts'
import { howPage } from './signal/how.ts'
import { type WriteView, writePage } from './write/forms.ts'

export interface SiteDeps extends FeedDeps {
  clockGuard: Pick<ClockGuard, 'isWrong'>
  modes: CurrentModes
  /** The time of the next scheduled run; null when none is scheduled. */
  nextSnapshot(): Date | null
  /** Whether the archive is a mirror, which gets its days from its source. */
  isMirror: boolean
  /** When the current day becomes sound, as in `at 00:05 UTC`. */
  soundTime(): string
  today: TodayCounts
  headlines: HeadlineReader
  /** The activity of the investigations. */
  activity: IncrementalCounts<Activities>
}

const WRITE_FEATURES = ['directories', 'messages', 'investigations'] as const
const MESSAGES_SHOWN = 8
const EARLIER_SHOWN = 6
const OPEN_INVESTIGATIONS: ListRequest = {
  after: undefined,
  before: undefined,
  limit: 12,
  withResult: false,
  withoutReview: true,
}

export function siteRoutes(deps: SiteDeps): Route[] {
  const guide = readFileSync(join(import.meta.dirname, 'guide/llms.txt'), 'utf8')
  return attach(SITE, {
    showHome: (call, { cache }) =>
      deps.kept.answer(call, cache, async () => {
        const baseUrl = baseUrlOf(call, deps.baseUrl)
        const view = await homeView(deps, hostOf(baseUrl))
        return { kind: 'html', text: homePage({ ...view, baseUrl }), mayConnect: true }
      }),
    showHow: async (call, { cache }) => answerText(call, 'html', await howHtml(call, deps), cache),
    showFollow: async (call, { cache }) => {
      const view = await deps.database.read((tx) => followView(tx, call, deps))
      return answerText(call, 'html', followPage(view), cache)
    },
    showWrite: async (call, { cache }) => {
      const view = await deps.database.read((tx) => writeView(tx, call, deps))
      const answer = answerText(call, 'html', writePage(view), cache)
      return { ...answer, mayConnect: view.closed === null }
    },
    ...feedHandlers(deps),
    showGuide: async (call, { cache }) => {
      const text = guide
        // Links on the page are relative, so that they stay on the host by which it was reached.
        .replaceAll(']({base_url}', '](')
        .replaceAll('{base_url}', () => baseUrlOf(call, deps.baseUrl))
      const isClosed = await deps.modes.isClosed()
      return answerText(call, 'html', await guidePage(text, { isClosed }), cache)
    },
    readGuide: (call, { cache }) => {
      const text = guide.replaceAll('{base_url}', () => baseUrlOf(call, deps.baseUrl))
      return answerText(call, 'text', text, cache)
    },
  })
}

async function howHtml(call: Call, deps: SiteDeps): Promise<string> {
  const { newest } = await shownDays(deps)
  const baseUrl = baseUrlOf(call, deps.baseUrl)
  const { written } = await toldOf(deps, newest ? [newest] : [], hostOf(baseUrl))
  const isClosed = await deps.modes.isClosed()
  return howPage({ day: newest?.snapshot ?? null, message: written[0], baseUrl, isClosed })
}

/** Loads what the form for a message offers: the directory, and the message that it answers. */
async function writeView(tx: Queryable, call: Call, deps: SiteDeps): Promise<WriteView> {
  const answered = await visibleMessage(tx, idGiven(call.query, 'answers'))
  const given = answered?.directory ?? call.query.get('directory') ?? ''
  const suggested = await suggestedDirectories(tx)
  const feature = suggested.length === 0 ? 'directories' : 'messages'
  return {
    ...publishingState(await deps.modes.in(tx), [feature], deps.clockGuard.isWrong),
    baseUrl: baseUrlOf(call, deps.baseUrl),
    sound_time: deps.soundTime(),
    chosen: isPath(given) ? await existingPath(tx, given) : '',
    suggested,
    answered,
  }
}

async function followView(tx: Queryable, call: Call, deps: SiteDeps): Promise<FollowView> {
  const path = call.query.get('directory') ?? ''
  const id = idGiven(call.query, 'investigation')
  const found = id === undefined ? undefined : (await summariesById(tx, [id])).get(id)
  return {
    baseUrl: baseUrlOf(call, deps.baseUrl),
    soundTime: deps.soundTime(),
    directory: isPath(path) ? await existingPath(tx, path) : '',
    investigation: found ?? null,
    isClosed: await deps.modes.isClosed(),
  }
}

async function homeView(deps: SiteDeps, host: string): Promise<Omit<HomeView, 'baseUrl'>> {
  const archive = await shownDays(deps)
  const activities = await deps.activity.completeOrNull()
  const { modes, listed, messages } = await deps.database.read(async (tx) => ({
    messages: await newestMessages(tx, MESSAGES_SHOWN),
    listed: await listContent(tx, activities, OPEN_INVESTIGATIONS),
    modes: await deps.modes.in(tx),
  }))
  const state = publishingState(modes, WRITE_FEATURES, deps.clockGuard.isWrong)
  const upcoming = { now: deps.clock.now(), nextRun: deps.nextSnapshot(), isMirror: deps.isMirror }
  const next = nextSentence(upcoming)
  const told = await toldOf(deps, [archive.newest ?? [], archive.earlier].flat(), host)
  const investigations = listed.items
  const ids = messages.map(({ id }) => id)
  const answers = await answersOf(deps.database.db, ids, host)
  const hasDirectories = listed.suggested.length > 0
  const board = { messages, answers, investigations, hasDirectories }
  const today = await deps.today()
  return { ...archive, ...board, ...state, ...told, ...upcoming, next, today }
}

/** The headlines of days, and the lines of the first. The records of a mirror's days are at its source. */
async function toldOf(deps: SiteDeps, shown: readonly { day: string }[], host: string) {
  const days = shown.map(({ day }) => day)
  const headlines: Headlines = deps.isMirror ? new Map() : await deps.headlines(days)
  const headline = headlines.get(days[0] ?? '')
  const ids = headline?.lines.map(({ id }) => id) ?? []
  return { headline, headlines, written: await readMessages(deps.database.db, ids, host) }
}

/** Loads the newest days for the front page, which works without the archive and omits damaged ones as lists do. */
async function shownDays(deps: SiteDeps) {
  const shown = await ifReadable(deps, async () => {
    const archived = await pastDays(deps)
    const last = await readableDays(deps, archived.slice(-1 - EARLIER_SHOWN))
    const days = last.length > 0 ? last : await readableDays(deps, archived.slice(-DAYS_SHOWN))
    const [newest, ...others] = days.reverse()
    const earlier = others.slice(0, EARLIER_SHOWN).map(({ snapshot }) => snapshot)
    const hasArchive = newest !== undefined || archived.length === 0
    const shown = newest ? servedManifest(newest, await servedKinds(deps.archive)) : null
    return { newest: shown, earlier, hasArchive }
  })
  return shown ?? { newest: null, earlier: [], hasArchive: false }
}
