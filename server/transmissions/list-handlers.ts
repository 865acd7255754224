// Handles the lists and feeds of archived days, and the addresses of the newest day.
import { writeCsv } from '../../archive/format/csv.ts'
import { ARCHIVE_URL, dayUrl } from '../../archive/format/paths.ts'
import { answerJson, answerRedirect, answerText, type TextKind } from '../http/answer.ts'
import type { Handler } from '../http/attach.ts'
import { baseUrlOf } from '../http/base-url.ts'
import type { Call } from '../http/call.ts'
import { prefersJson } from '../http/negotiate.ts'
import type { Endpoint } from '../wire/endpoint.ts'
import { latestSnapshot, newestDay } from './archived.ts'
import { ifReadable } from './guard.ts'
import { type Shared, viewFor } from './handler-deps.ts'
import { archivePage, indexOf } from './listing.ts'
import { stripImage } from './strip-image.ts'
import { servedPage, type TransmissionPages } from './views.ts'

/** Handlers of the lists and feeds of days. */
export const listHandlers = ({ deps, guarded, pages, log }: Shared) => ({
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
  readTransmissionFeed: guarded(feedHandler(deps, 'atom', pages.feed)),
  readPodcast: guarded(feedHandler(deps, 'rss', pages.podcast)),
})

/** Returns the handler of a feed of the newest days. */
const feedHandler =
  (deps: Shared['deps'], kind: TextKind, render: TransmissionPages['feed']): Handler =>
  (call, { cache }) =>
    deps.kept.answer(call, cache, async () => {
      const { manifests } = await servedPage(deps, await archivePage(deps, new URLSearchParams()))
      return { kind, text: render(manifests, baseUrlOf(call, deps.baseUrl)) }
    })

/** Handlers of the addresses of the newest day. */
export const newestDayHandlers = ({ deps, guarded }: Shared) => ({
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
