// Checks a mirror that keeps the words of the days, before a board is made of it (API.md 10.17).
import { createHash, type Hash } from 'node:crypto'
import { join } from 'node:path'
import { stringifyJson } from '../../archive/base/json.ts'
import type { ProgressBar } from '../../archive/base/progress-bar.ts'
import { isArchiveError, naming } from '../../archive/errors.ts'
import { boundOf } from '../../archive/format/bounds.ts'
import { linesOf } from '../../archive/format/lines.ts'
import { isDaySelected, type Selection } from '../../archive/format/mirror.ts'
import { LOG_FILE, MODERATION_FILE, recordsKey } from '../../archive/format/paths.ts'
import type { Snapshot } from '../../archive/format/snapshot.ts'
import type { ActionLine, DayLine } from '../../archive/format/words.ts'
import { leavesByDay, parseLog } from '../../archive/log/days.ts'
import { WordsCheck } from '../../archive/log/words.ts'
import { type ArchiveReader, openReader } from '../../archive/reading/reader.ts'
import { type LastIds, type Lost, MirrorReferences } from './mirror-references.ts'

/** A day of a mirror. */
interface ImportedDay {
  day: string
  /** The number of its lines. */
  lines: number
  /** The last ids by its end. */
  sequences: DayLine['sequences']
}

/** A mirror whose words have been checked. */
export interface CheckedMirror {
  dir: string
  /** Ascending. */
  days: ImportedDay[]
  /** The number of lines of all days. */
  lines: number
  newest: ImportedDay
  actions: ActionLine[]
  /** Its sequences are the source's word, and may be less. */
  last: LastIds
  lost: Lost
  /** The selected days of its log that it does not have, ascending. */
  lostDays: string[]
  /** SHA-256 of all words and of the record of moderation. */
  sha256: string
}

/** Checks a whole mirror before any database is opened. @throws Error with one line */
export async function checkMirror(dir: string, progress: ProgressBar): Promise<CheckedMirror> {
  const reader = openReader(dir)
  const settings = await reader.mirror()
  if (!settings?.records)
    throw new Error(
      `${dir}: is not a mirror that keeps the words of the days; see mirror --records`,
    )
  const all = await reader.days()
  const hash = createHash('sha256')
  const references = new MirrorReferences()
  const days: ImportedDay[] = []
  for (const [index, day] of all.entries()) {
    const snapshot = (await reader.manifest(day))?.manifest.snapshot
    if (!snapshot) throw new Error(`${dir}: ${day} is no longer there`)
    days.push(await checkDay(dir, snapshot, { references, hash }))
    progress.show((index + 1) / all.length, `checking ${day}`)
  }
  const newest = days.at(-1)
  if (!newest) throw new Error(`${dir}: has no day`)
  const lines = days.reduce((sum, { lines }) => sum + lines, 0)
  const actions = await readActions(dir, reader)
  hash.update(stringifyJson(actions))
  const lostDays = await daysWithout(dir, all, settings)
  const { last, lost } = references
  const sha256 = hash.digest('hex')
  return { dir, days, lines, newest, actions, last, lost, lostDays, sha256 }
}

/**
 * Checks the words of a day, and adds them to the hash.
 * @throws Error with one line that names the file
 */
async function checkDay(
  dir: string,
  snapshot: Snapshot,
  { references, hash }: { references: MirrorReferences; hash: Hash },
): Promise<ImportedDay> {
  const { day } = snapshot
  const check = new WordsCheck({ snapshot, leaves: null })
  const imported: ImportedDay = { day, lines: 0, sequences: NO_RECORDS }
  try {
    for await (const text of wordsOf(dir, day)) {
      const line = check.push(text)
      references.add(line)
      hash.update(text)
      imported.lines += 1
      if (line.type === 'day') imported.sequences = line.sequences
    }
    check.end()
  } catch (error) {
    const path = join(dir, recordsKey(day))
    if (!isArchiveError(error)) throw error
    throw new Error(`${path}: ${error.message}`, { cause: error })
  }
  return imported
}

const NO_RECORDS = { message: 0n, investigation: 0n, review: 0n, action: 0n }

/** The lines of a day's words. @throws Error with one line that names a missing file */
export async function* wordsOf(dir: string, day: string): AsyncGenerator<string> {
  const key = recordsKey(day)
  const file = await openReader(dir).words(day)
  if (!file) throw notRegular(join(dir, key))
  yield* linesOf(await file.open(0, boundOf(key) - 1))
}

/** @throws Error with one line that names the file */
async function readActions(dir: string, reader: ArchiveReader): Promise<ActionLine[]> {
  const path = join(dir, MODERATION_FILE)
  const actions = await reader.actions().catch((error) => {
    if (!isArchiveError(error, 'invalid_records')) throw error
    throw new Error(`${path}: ${error.message}`, { cause: error })
  })
  if (!actions) throw notRegular(path)
  return actions
}

const notRegular = (path: string) => new Error(`${path}: is missing, or not a regular file`)

/** The selected days of a mirror's log that it does not have. @throws ArchiveError `invalid_log` */
async function daysWithout(
  dir: string,
  days: readonly string[],
  selection: Selection,
): Promise<string[]> {
  const log = await openReader(dir).logFile(LOG_FILE)
  const entries = log ? naming(join(dir, LOG_FILE), () => parseLog(log)) : []
  return [...leavesByDay(entries).keys()]
    .filter((day) => isDaySelected(selection, day) && !days.includes(day))
    .sort()
}
