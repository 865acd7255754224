// The survey of an archive's folder on this machine, which may contain anything. Links are not followed.

import { isDay } from '../format/calendar.ts'
import {
  keyOf,
  LOCK_FILE,
  leavesName,
  MODERATION_FILE,
  parseMediaName,
  REFUSED_FOLDER,
  ROOT,
  STAGING_FOLDER,
  snapshotKey,
  snapshotName,
  stagingFolder,
  TEMPORARY,
} from '../format/paths.ts'
import type { FolderEntry, FolderPlace } from '../place/folder.ts'
import type { Survey } from './day-check.ts'
import { READ_FILES, RECORDS_FILES, ROOT_FILES, stray, unfinished, unnamedIn } from './strays.ts'

/** The lock and the files that SQLite may create next to it. */
const LOCK_FILES = ['', '-journal', '-wal', '-shm'].map((suffix) => LOCK_FILE + suffix)

/**
 * @param hasRecords whether this is a mirror that keeps the records of the days
 * @param logged the days that have a leaf in the log
 * @throws ArchiveError `archive_unavailable`
 */
export async function surveyFolder(
  place: FolderPlace,
  hasRecords: boolean,
  logged: Iterable<string>,
): Promise<Survey> {
  const entries = await place.entries(ROOT)
  const days = entries.filter(isDayFolder).map(({ name }) => name)
  const incoming = await namesIn(place, STAGING_FOLDER)
  const staged = incoming.filter(isDay)
  const begun = await begunDays(place, days, new Set(logged))
  return {
    days: days.filter((day) => !begun.includes(day)),
    findings: [
      ...entries
        .filter((entry) => isStrayInRoot(entry) && !(hasRecords && isRecordsFile(entry)))
        .map(({ name }) => stray(name)),
      ...incoming.filter((name) => !isDay(name)).map((name) => stray(keyOf(STAGING_FOLDER, name))),
      ...begun.filter((day) => !staged.includes(day)).map((day) => unfinished(snapshotKey(day))),
      ...staged.map((day) => unfinished(stagingFolder(day))),
    ],
    stateOf: (key) => place.stat(key),
    async crossCheck(day, manifest) {
      return unnamedIn(manifest, await namesIn(place, day), hasRecords)
    },
  }
}

/**
 * The days of these that are being written, or were when a run was killed: they have a snapshot, leaves and media files
 * at most. Any other file, or a leaf in the log, shows that a day has lost its manifest (FORMAT.md 2.3).
 */
async function begunDays(
  place: FolderPlace,
  days: readonly string[],
  logged: ReadonlySet<string>,
): Promise<string[]> {
  const begun: string[] = []
  for (const day of days) {
    const isOfBegun = (name: string) =>
      [snapshotName(day), leavesName(day)].includes(name) || parseMediaName(name) !== null
    if (!logged.has(day) && (await namesIn(place, day)).every(isOfBegun)) begun.push(day)
  }
  return begun
}

async function namesIn(place: FolderPlace, folder: string): Promise<string[]> {
  return (await place.entries(folder)).map(({ name }) => name)
}

function isDayFolder({ name, type }: FolderEntry): boolean {
  return type === 'folder' && isDay(name)
}

/** Whether an entry is neither a day, nor a file of the root, nor one of the pipeline's own (FORMAT.md 2.4). */
function isStrayInRoot(entry: FolderEntry): boolean {
  const { name, type } = entry
  // Reading it reports what it is instead.
  if (type !== 'file' && READ_FILES.includes(name)) return false
  if (type === 'file') return ![...ROOT_FILES, ...LOCK_FILES, TEMPORARY].includes(name)
  return !(isDayFolder(entry) || (type === 'folder' && OWN_FOLDERS.includes(name)))
}

const isRecordsFile = ({ name, type }: FolderEntry): boolean =>
  name === MODERATION_FILE || (type === 'file' && RECORDS_FILES.includes(name))

const OWN_FOLDERS = [STAGING_FOLDER, REFUSED_FOLDER]
