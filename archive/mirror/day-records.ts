// Keeps the records of each day and the record of moderation in a mirror (COMMANDS.md 4.6). Unlike everything else in a mirror
// they change: what the source hides must not stay here, in no file.
//
// The order of steps, so that a kill at any moment loses no news and leaves no text that the source has hidden:
//   1. partial files   of killed runs are removed.
//   2. new actions     are read from the source, but not written yet: the next run would take them for known.
//   3. each day        is requested, if it is missing here or there are new actions, and checked before it gets its name.
//   4. the actions     are written.
import { forEachConcurrently } from '../base/concurrently.ts'
import { realDisk, writeChecked } from '../base/durable.ts'
import { caught } from '../base/errors.ts'
import { makeFolders } from '../base/folders.ts'
import { jsonOrNull } from '../base/json.ts'
import { boundOf } from '../format/bounds.ts'
import { runningSha256 } from '../format/hash.ts'
import { parseLeaves } from '../format/leaves.ts'
import {
  keyOf,
  leavesKey,
  MODERATION_FILE,
  partName,
  RECORDS_STATE_FILE,
  recordsKey,
  recordsName,
  STAGING_FOLDER,
  stagingFolder,
} from '../format/paths.ts'
import { linesOf } from '../format/record-lines.ts'
import { isStrongTag, strongTagOf } from '../http/body.ts'
import { statusFailure } from '../http/client.ts'
import type { FetchedAnswer } from '../http/exchange.ts'
import { FetchFailure } from '../http/failure.ts'
import { areHeld, RecordsCheck } from '../log/records-check.ts'
import type { FolderPlace } from '../place/folder.ts'
import { readExisting, readUsable, textOf, update } from '../place/place.ts'
import type { ServedPlace } from '../place/served.ts'
import { readManifest } from '../reading/day-files.ts'
import { type Finding, findingFor } from '../verify/findings.ts'
import { type Actions, keepActions, newActions } from './actions.ts'

export interface DayRecordsOptions {
  origin: ServedPlace
  mirror: FolderPlace
  /** The selected days, ascending. */
  days: readonly string[]
  /** The number of days fetched concurrently. */
  jobs: number
  onProgress(done: number, total: number, day: string): void
}

/**
 * Brings the records of the days that the mirror has up to date.
 * @returns the number of days whose records were fetched, and the findings
 * @throws FetchFailure if the actions cannot be read
 */
export async function mirrorRecords(options: DayRecordsOptions) {
  const { mirror, days, jobs, onProgress } = options
  // Partial files may contain texts that the source has hidden since.
  for (const { name } of await mirror.entries(STAGING_FOLDER)) await removePart(mirror, name)
  const actions = await readNews(options)
  if ('code' in actions) return { fetched: 0, findings: [actions] }
  const known = await readKnown(mirror)
  const asked: string[] = []
  for (const day of days)
    if (actions.hasNews || !(await mirror.stat(recordsKey(day)))) asked.push(day)
  const report = { fetched: 0, findings: [] as Finding[] }
  let done = 0
  await forEachConcurrently(asked, jobs, async (day) => {
    try {
      if (await updateDay(options, day, known)) report.fetched += 1
    } catch (error) {
      report.findings.push(findingFor(recordsKey(day), error))
    }
    done += 1
    onProgress(done, asked.length, day)
  })
  const tags = Object.fromEntries([...known].sort(([a], [b]) => (a < b ? -1 : 1)))
  await update(mirror, RECORDS_STATE_FILE, Buffer.from(`${JSON.stringify(tags)}\n`))
  await keepActions(mirror, actions, report.findings.length === 0)
  return report
}

/** @returns a finding if the source's record of moderation is malformed @throws FetchFailure */
function readNews({ origin, mirror }: DayRecordsOptions): Promise<Actions | Finding> {
  const file = origin.name + origin.nameOf(MODERATION_FILE)
  const malformed = caught((error) => findingFor(file, error), 'invalid_records')
  return newActions(origin, mirror).catch(malformed)
}

async function removePart(mirror: FolderPlace, day: string): Promise<void> {
  await realDisk.remove(partOf(mirror, day))
  // Nothing else is staged for a day that is published.
  const folder = stagingFolder(day)
  if ((await mirror.entries(folder)).length === 0) await mirror.remove(folder)
}

const partOf = (mirror: FolderPlace, day: string): string =>
  mirror.pathOf(keyOf(stagingFolder(day), partName(recordsName(day))))

/** @returns whether there are new records */
async function updateDay({ origin, mirror }: DayRecordsOptions, day: string, known: KnownRecords) {
  const loaded = await readManifest(mirror, day)
  // Another finding states why the day is not here.
  if (!loaded) return false
  const etag = await etagOf(mirror, day, known.get(day))
  const headers = (): Record<string, string> => (etag === null ? {} : { 'if-none-match': etag })
  const { snapshot } = loaded.manifest
  const leaves = areHeld(snapshot)
    ? await readExisting(mirror, leavesKey(day), 'leaves_differ')
    : null
  const sealed = { snapshot, leaves: leaves && parseLeaves(leaves.content) }
  try {
    return await origin.fetch(recordsKey(day), headers, async (answer) => {
      if (answer.status === 304) return false
      const check = new RecordsCheck(sealed)
      await makeFolders(mirror.pathOf(stagingFolder(day)))
      const sha256 = await receive(answer, partOf(mirror, day), check)
      await mirror.moveIn(partOf(mirror, day), recordsKey(day))
      const tag = strongTagOf(answer)
      if (tag === null) known.delete(day)
      else known.set(day, { etag: tag, sha256 })
      return true
    })
  } finally {
    await removePart(mirror, day)
  }
}

/**
 * Writes an answer to a partial file, and checks it line by line as it arrives.
 * @returns its SHA-256 in hex
 * @throws ArchiveError `invalid_records`, `records_differ`; FetchFailure
 */
async function receive(answer: FetchedAnswer, part: string, check: RecordsCheck): Promise<string> {
  if (answer.status !== 200) throw statusFailure(answer)
  const hash = runningSha256()
  await writeChecked(part, answer.chunks, async (written) => {
    for await (const line of linesOf(measured(written, hash))) check.push(line)
    check.end()
  })
  return hash.digest('hex')
}

/** Passes chunks on, hashes them, and bounds their length. @throws FetchFailure `too_large` */
async function* measured(
  chunks: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof runningSha256>,
): AsyncGenerator<Uint8Array> {
  const bound = boundOf(recordsName(''))
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > bound)
      throw new FetchFailure('too_large', `is longer than ${bound} bytes`, { isTransient: false })
    hash.update(chunk)
    yield chunk
  }
}

/** An answer that has become a day's file. */
interface Known {
  etag: string
  /** SHA-256 of the file in hex: an ETag of another file is worth nothing, as after a kill. */
  sha256: string
}

/** The ETags with which the source has sent the records of days, so that unchanged ones need not be sent again. */
type KnownRecords = Map<string, Known>

/** A damaged file counts as empty. */
async function readKnown(mirror: FolderPlace): Promise<KnownRecords> {
  const file = await readUsable(mirror, RECORDS_STATE_FILE)
  const days = (file && jsonOrNull(textOf(file))) as Record<string, Known | null> | null
  return new Map(
    Object.entries(days ?? {}).filter((entry): entry is [string, Known] =>
      isStrongTag(entry[1]?.etag ?? ''),
    ),
  )
}

/** The ETag of the day's file; null if the file is not the one that came with it. */
async function etagOf(mirror: FolderPlace, day: string, known: Known | undefined) {
  const state = known && (await mirror.stat(recordsKey(day)))
  if (!known || !state?.bytes) return null
  const chunks = await mirror.open(recordsKey(day), 0, state.bytes - 1)
  if ('problem' in chunks) return null
  const hash = runningSha256()
  for await (const chunk of chunks) hash.update(chunk)
  return hash.digest('hex') === known.sha256 ? known.etag : null
}
