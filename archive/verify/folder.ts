// The survey of an archive's folder on this machine, which may contain anything. Links are not followed.

import { isDay } from '../format/calendar.ts'
import { sha256Of } from '../format/hash.ts'
import {
  FILM_FOLDER,
  keyOf,
  LOCK_FILE,
  leavesName,
  MODERATION_FILE,
  manifestKey,
  parseMediaName,
  parseSealName,
  REFUSED_FOLDER,
  ROOT,
  SEALS_FOLDER,
  STAGING_FOLDER,
  snapshotKey,
  snapshotName,
  stagingFolder,
  TEMPORARY,
} from '../format/paths.ts'
import type { Entry, Place } from '../place/place.ts'
import type { Finding } from './findings.ts'
import { READ_FILES, ROOT_FILES, stray, unfinished, unnamedIn, WORDS_FILES } from './strays.ts'
import type { Survey } from './survey.ts'

type Folder = Place & Required<Pick<Place, 'entries'>>

/** The lock and the files that SQLite may create next to it. */
const LOCK_FILES = ['', '-journal', '-wal', '-shm'].map((suffix) => LOCK_FILE + suffix)

/**
 * @param hasWords whether this is a mirror that keeps the words of the days
 * @param logged the days that have a leaf in the log
 * @throws ArchiveError `archive_unavailable`
 */
export async function surveyFolder(
  place: Folder,
  hasWords: boolean,
  logged: Iterable<string>,
): Promise<Survey> {
  let seals = await readSeals(place)
  const entries = await place.entries(ROOT)
  const days = entries.filter(isDayFolder).map(({ name }) => name)
  const staging = await namesIn(place, STAGING_FOLDER)
  const staged = staging.filter(isDay)
  const sealed = [...seals.keys()].filter((day) => !staged.includes(day))
  const onRecord = new Set([...sealed, ...logged])
  for (const day of staged) onRecord.delete(day)
  const begun = await begunDays(place, days, onRecord)
  const missing = sealed.filter((day) => !days.includes(day))
  /** A day without any seal is accepted, because copies have no dot names (FORMAT.md 11.2). */
  const isOnRecord = (day: string, sha256: string) => seals.get(day)?.has(sha256) ?? true
  return {
    days: days.filter((day) => !begun.includes(day)),
    findings: [
      ...entries
        .filter((entry) => isStrayInRoot(entry) && !(hasWords && isWordsFile(entry)))
        .map(({ name }) => stray(name)),
      ...staging
        .filter((name) => !isDay(name) && name !== FILM_FOLDER)
        .map((name) => stray(keyOf(STAGING_FOLDER, name))),
      ...(await checkSeals(place)),
      ...begun.filter((day) => !staged.includes(day)).map((day) => unfinished(snapshotKey(day))),
      ...staged.map((day) => unfinished(stagingFolder(day))),
      ...missing.map(missingDay),
    ],
    stateOf: (key) => place.stat(key),
    async crossCheck(day, manifest, bytes) {
      const sha256 = sha256Of(bytes)
      // Read the seals again: a run may have removed them in between, and then have repaired the day.
      if (!isOnRecord(day, sha256)) seals = await readSeals(place)
      const changed = isOnRecord(day, sha256) ? [] : [changedManifest(day)]
      return [...changed, ...unnamedIn(manifest, await namesIn(place, day), hasWords)]
    },
  }
}

/**
 * The days of these that are being written, or were when a run was killed: they have a snapshot, leaves and media files
 * at most. Any other file, a seal or a leaf in the log shows that a day has lost its manifest (FORMAT.md 2.3).
 */
async function begunDays(
  place: Folder,
  days: readonly string[],
  onRecord: ReadonlySet<string>,
): Promise<string[]> {
  const begun: string[] = []
  for (const day of days) {
    const isOfBegun = (name: string) =>
      [snapshotName(day), leavesName(day)].includes(name) || parseMediaName(name) !== null
    if (!onRecord.has(day) && (await namesIn(place, day)).every(isOfBegun)) begun.push(day)
  }
  return begun
}

/** Seals are empty files, so any content was not written by the pipeline. */
async function checkSeals(place: Folder): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const { name, type } of await place.entries(SEALS_FOLDER)) {
    const file = keyOf(SEALS_FOLDER, name)
    if (name === TEMPORARY) continue
    const bytes = (await place.stat(file))?.bytes ?? 0
    if (!parseSealName(name)) findings.push(stray(file))
    else if (type !== 'file')
      findings.push({ code: 'not_a_file', file, message: 'is not a regular file' })
    else if (bytes > 0)
      findings.push({ code: 'too_large', file, message: `has ${bytes} bytes; a seal is empty` })
  }
  return findings
}

/** Day -> the hashes of the manifests that were published for it. */
async function readSeals(place: Folder): Promise<Map<string, Set<string>>> {
  const seals = new Map<string, Set<string>>()
  for (const name of await namesIn(place, SEALS_FOLDER)) {
    const seal = parseSealName(name)
    if (seal) seals.set(seal.day, (seals.get(seal.day) ?? new Set()).add(seal.sha256))
  }
  return seals
}

async function namesIn(place: Folder, folder: string): Promise<string[]> {
  return (await place.entries(folder)).map(({ name }) => name)
}

function isDayFolder({ name, type }: Entry): boolean {
  return type === 'folder' && isDay(name)
}

/** Whether an entry is neither a day, nor a file of the root, nor one of the pipeline's own (FORMAT.md 2.4). */
function isStrayInRoot(entry: Entry): boolean {
  const { name, type } = entry
  // Reading it reports what it is instead.
  if (type !== 'file' && READ_FILES.includes(name)) return false
  if (type === 'file') return ![...ROOT_FILES, ...LOCK_FILES, TEMPORARY].includes(name)
  return !(isDayFolder(entry) || (type === 'folder' && OWN_FOLDERS.includes(name)))
}

const isWordsFile = ({ name, type }: Entry): boolean =>
  name === MODERATION_FILE || (type === 'file' && WORDS_FILES.includes(name))

const OWN_FOLDERS = [STAGING_FOLDER, SEALS_FOLDER, REFUSED_FOLDER]

function changedManifest(day: string): Finding {
  return { code: 'manifest_changed', file: manifestKey(day), message: 'is not as it was published' }
}

function missingDay(day: string): Finding {
  return { code: 'missing', file: day, message: 'was published, but is missing' }
}
