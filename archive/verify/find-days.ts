// Finds the days of an archive to check, and what the archive states about them apart from their files.
import { isArchiveError } from '../base/errors.ts'
import { isDay } from '../format/calendar.ts'
import { isDaySelected, type Selection } from '../format/mirror.ts'
import { manifestName, PROBE_KEY, ROOT, snapshotKey, splitKey } from '../format/paths.ts'
import { isFolder } from '../place/folder.ts'
import { type FileState, isWritable, type Place } from '../place/place.ts'
import { isService } from '../place/served.ts'
import type { Survey } from './day-check.ts'
import type { Finding } from './findings.ts'
import { surveyFolder } from './folder.ts'
import { surveyService } from './service.ts'
import { ROOT_FILES, stray, unfinished, unnamedIn } from './strays.ts'

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
  const byFolder = new Map<string, string[]>()
  for (const key of listed.keys()) {
    const [folder, name] = splitKey(key)
    const names = byFolder.get(folder)
    if (names) names.push(name)
    else byFolder.set(folder, [name])
  }
  const days: string[] = []
  const findings: Finding[] = []
  for (const [folder, names] of [...byFolder].sort()) {
    if (folder === ROOT) findings.push(...names.filter(isStrayInRoot).map(stray))
    else if (!isDay(folder)) findings.push(stray(folder))
    else if (names.includes(manifestName(folder))) days.push(folder)
    // The manifest is written last, so only the snapshot and media may exist yet.
    else findings.push(unfinished(snapshotKey(folder)))
  }
  return {
    days,
    findings,
    // The state at the time of listing, since one list request covers hundreds of files.
    stateOf: async (key) => listed.get(key) ?? null,
    crossCheck: async (day, manifest) => unnamedIn(manifest, byFolder.get(day) ?? []),
  }
}

function isStrayInRoot(name: string): boolean {
  return !ROOT_FILES.includes(name) && name !== PROBE_KEY
}

/** The survey of a plain file server, which states nothing: the days are those of the log. */
async function surveyLog(place: Place, selection: Selection): Promise<Survey> {
  const logged = await place.folders().catch((error) => {
    // The check of the log reports why it cannot be read.
    if (isArchiveError(error, 'archive_unavailable', 'invalid_log')) return []
    throw error
  })
  const days = logged.filter((day) => isDaySelected(selection, day))
  return { days, findings: [], crossCheck: async () => [] }
}
