// Answers with the words of a day: generated from the database, or as a mirror keeps them (API.md 9.18).
import { wordsOf } from '../edition/words.ts'
import { type Answer, answerTaggedText, etagOf } from '../http/answer.ts'
import type { Call } from '../http/call.ts'
import type { CachePolicy } from '../wire/endpoint.ts'
import { Problem } from '../wire/problem.ts'
import { archivedManifest } from './archived.ts'
import type { Shared } from './handler-deps.ts'

/** @throws Problem snapshot_not_found; not_found in a mirror that does not keep them */
export async function sendWords(
  deps: Shared['deps'],
  call: Call,
  cache: CachePolicy,
): Promise<Answer> {
  const { day = '' } = call.params
  const { manifest } = await archivedManifest(deps, day)
  const onBroken = (err: unknown) =>
    deps.log.error({ err }, `the words of ${day} could not be sent`)
  const { text, etag } = deps.isMirror
    ? await keptWords(deps, day, onBroken)
    : await writtenWords(deps, manifest, onBroken)
  return answerTaggedText(call, 'ndjson', text, cache, etag)
}

type OnBroken = (error: unknown) => void
type Sealed = Awaited<ReturnType<typeof archivedManifest>>['manifest']

async function writtenWords(
  { archive, database }: Shared['deps'],
  { day, snapshot, snapshot_file: { sha256 } }: Sealed,
  onBroken: OnBroken,
) {
  const previous = (await archive.days()).findLast((other) => other < day) ?? null
  return wordsOf(database, { day, sha256, records: snapshot.records, previous }, onBroken)
}

/** @throws Problem not_found */
async function keptWords({ archive }: Shared['deps'], day: string, onBroken: OnBroken) {
  const words = await archive.words(day)
  if (!words) throw new Problem('not_found', 'this mirror does not keep the words of the days')
  const { bytes: length, version, open } = words
  async function* chunks() {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
    for await (const chunk of await open()) yield decoder.decode(chunk, { stream: true })
  }
  return { text: { length, chunks, onBroken }, etag: etagOf(version) }
}
