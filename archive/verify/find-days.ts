// Finds the days of an archive to check, what the archive states about them apart from their files, and stray files.
import { caught } from '../base/errors.ts'
import { isDay } from '../format/calendar.ts'
import { type Manifest, namedFiles } from '../format/manifest.ts'
import { isDaySelected, type Selection } from '../format/mirror.ts'
import {
  CHECKPOINT_FILE,
  daySumsName,
  INDEX_PAGE,
  KEY_FILE,
  keyOf,
  LOCK_FILE,
  LOG_FILE,
  leavesName,
  MIRROR_FILE,
  MODERATION_FILE,
  manifestKey,
  manifestName,
  PROBE_KEY,
  parseMediaName,
  RECORDS_STATE_FILE,
  REFUSED_FOLDER,
  ROOT,
  recordsName,
  STAGING_FOLDER,
  SUMS_FILE,
  snapshotKey,
  snapshotName,
  splitKey,
  stagingFolder,
  TEMPORARY,
} from '../format/paths.ts'
import { hasMessages } from '../format/snapshot.ts'
import { type FolderEntry, type FolderPlace, isFolder } from '../place/folder.ts'
import { type FileState, isWritable, type Place } from '../place/place.ts'
import { isService } from '../place/served.ts'
import type { Survey } from './day-check.ts'
import type { Finding } from './findings.ts'
import { surveyService } from './service.ts'

/**
 * @param selection the days that a plain file server has, which lists none
 * @param logged the days that have a leaf in the log
 * @throws ArchiveError `archive_unavailable`
 */
export async function surveyOf(
  place: Place,
  selection: Selection,
  logged: Iterable<string> = [],
): Promise<Survey> {
  if (isFolder(place)) return surveyFolder(place, selection.records === true, logged)
  if (isService(place)) return surveyService(place)
  if (isWritable(place)) return surveyFiles(await place.listAll())
  return surveyLog(place, selection)
}

/** The survey of an object store, which lists all its files. */
function surveyFiles(listed: ReadonlyMap<string, FileState>): Survey {
  const byFolder = Map.groupBy(listed.keys(), (key) => splitKey(key)[0])
  const namesIn = (folder: string) => byFolder.get(folder)?.map((key) => splitKey(key)[1]) ?? []
  const isStray = (name: string) => !ROOT_FILES.includes(name) && name !== PROBE_KEY
  const days: string[] = []
  const findings: Finding[] = []
  for (const folder of [...byFolder.keys()].sort()) {
    if (folder === ROOT) findings.push(...namesIn(ROOT).filter(isStray).map(stray))
    else if (!isDay(folder)) findings.push(stray(folder))
    else if (listed.has(manifestKey(folder))) days.push(folder)
    // The manifest is written last, so only the snapshot and media may exist yet.
    else findings.push(unfinished(snapshotKey(folder)))
  }
  return {
    days,
    findings,
    // The state at the time of listing, since one list request covers hundreds of files.
    stateOf: async (key) => listed.get(key) ?? null,
    crossCheck: async (day, manifest) => unnamedIn(manifest, namesIn(day)),
  }
}

/** The survey of a plain file server, which states nothing: the days are those of the log. */
async function surveyLog(place: Place, selection: Selection): Promise<Survey> {
  // The check of the log reports why it cannot be read.
  const unread = caught((): string[] => [], 'archive_unavailable', 'invalid_log')
  const logged = await place.folders().catch(unread)
  const days = logged.filter((day) => isDaySelected(selection, day))
  return { days, findings: [], crossCheck: async () => [] }
}

/** The lock and the files that SQLite may create next to it. */
const LOCK_FILES = ['', '-journal', '-wal', '-shm'].map((suffix) => LOCK_FILE + suffix)

/**
 * @param hasRecords whether this is a mirror that keeps the records of the days
 * @param logged the days that have a leaf in the log
 * @throws ArchiveError `archive_unavailable`
 */
async function surveyFolder(
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

/** Whether an entry is in the root of a mirror that keeps the records of the days. */
const isRecordsFile = ({ name, type }: FolderEntry): boolean =>
  name === MODERATION_FILE || (type === 'file' && name === RECORDS_STATE_FILE)

const OWN_FOLDERS = [STAGING_FOLDER, REFUSED_FOLDER]

/** The files in the root that a verifier reads. */
const READ_FILES: readonly string[] = [LOG_FILE, CHECKPOINT_FILE, KEY_FILE, SUMS_FILE, MIRROR_FILE]

/** The files in the root, apart from dot names. */
const ROOT_FILES: readonly string[] = [...READ_FILES, INDEX_PAGE]

/**
 * Reports the files in a day's folder that are neither the manifest, nor named by it, nor derived files.
 * @param hasRecords whether this is a mirror that keeps the records of the days
 */
function unnamedIn(manifest: Manifest, names: Iterable<string>, hasRecords = false): Finding[] {
  const { day } = manifest
  const derived = [daySumsName(day)]
  // Only a day with messages has leaves (FORMAT.md 22.2).
  if (hasMessages(manifest.snapshot.records)) derived.push(leavesName(day))
  if (hasRecords) derived.push(recordsName(day))
  const own = [manifestName(day), ...namedFiles(manifest).map((file) => file.name), ...derived]
  const unnamed = [...names].filter((name) => !own.includes(name))
  return unnamed.map((name) => {
    const file = keyOf(day, name)
    const kind = parseMediaName(name)?.kind
    return kind && manifest.media[kind]?.available === false ? arriving(file) : stray(file)
  })
}

function stray(file: string): Finding {
  return { code: 'stray', file, message: 'does not belong to the archive' }
}

/** @param file a file or folder of a day that was begun but not published */
function unfinished(file: string): Finding {
  const message = 'a run is in progress or was killed; the next run completes the day'
  return { code: 'staging_left', file, message }
}

/** @param file a media file of a kind that the manifest states as unavailable; a repair may be adding it */
function arriving(file: string): Finding {
  const message = 'a repair is in progress or was killed; the next repair completes it'
  return { code: 'staging_left', file, message }
}
