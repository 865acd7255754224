// Handles the endpoints of one day: its pages, its records and its files.
import { basename } from 'node:path'
import { smallChordOf } from '../../archive/drawing/chord.ts'
import { chordImage } from '../../archive/drawing/chord-image.ts'
import { type Answer, answerTagged, answerText, textHeaders } from '../http/answer.ts'
import type { Call } from '../http/call.ts'
import type { CachePolicy } from '../wire/endpoint.ts'
import { Problem } from '../wire/problem.ts'
import { archivedManifest, archivedMedium, archivedSnapshot, notArchived } from './archived.ts'
import { dayRecords, showDay } from './day-page.ts'
import { sendWords } from './day-words.ts'
import { guard } from './guard.ts'
import { type Shared, siteFor } from './handler-deps.ts'
import { Media } from './media.ts'
import { sumsOf } from './sums.ts'

/** Lets pages of other sites embed the response, even those that are isolated from other origins. */
const EMBEDDABLE = ['Cross-Origin-Resource-Policy', 'cross-origin']

/** Handlers of one day: its pages, its records and its files. */
export function dayHandlers(shared: Shared) {
  const { deps, guarded, pages } = shared
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
  }
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
