// Reads a mirror that keeps the records of the days, checks it, and yields the rows of its board (COMMANDS.md 6.9).
import { createHash, type Hash } from 'node:crypto'
import { join } from 'node:path'
import { isArchiveError, naming } from '../../../archive/base/errors.ts'
import { stringifyJson } from '../../../archive/base/json.ts'
import { boundOf } from '../../../archive/format/bounds.ts'
import { isDaySelected, type Selection } from '../../../archive/format/mirror.ts'
import { LOG_FILE, MODERATION_FILE, recordsKey } from '../../../archive/format/paths.ts'
import { type ActionLine, linesOf } from '../../../archive/format/record-lines.ts'
import { leavesByDay, parseLog } from '../../../archive/log/days.ts'
import { RecordsCheck } from '../../../archive/log/records-check.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { ArchiveReader } from '../../../archive/reading/reader.ts'
import { listRanges, rangesIn } from '../../database/records/action-log.ts'
import type { CommandResult } from '../command.ts'
import type { Content, ImportSource, SourceRow } from './import.ts'
import { RecordsToRows } from './records-to-rows.ts'

/** The records of the days in a mirror, as an import reads them. @param dir the mirror's folder */
export const mirrorSource = (dir: string): ImportSource => ({
  path: dir,
  rows: (onProgress) => readMirror(dir, onProgress),
})

async function* readMirror(
  dir: string,
  onProgress: (part: number) => void,
): AsyncGenerator<SourceRow, Content> {
  const reader = new ArchiveReader(folderPlace(dir))
  const settings = await reader.mirror()
  if (!settings?.records)
    throw new Error(
      `${dir}: is not a mirror that keeps the records of the days; see mirror --records`,
    )
  const days = await reader.days()
  const newest = days.at(-1)
  if (newest === undefined) throw new Error(`${dir}: has no day`)
  const hash = createHash('sha256')
  const board = new RecordsToRows()
  for (const [index, day] of days.entries()) {
    onProgress(index / days.length)
    yield* rowsOfDay(reader, dir, day, { board, hash })
  }
  const actions = await readActions(reader, dir)
  hash.update(stringifyJson(actions))
  for (const row of board.end(actions)) yield { ...row, at: MODERATION_FILE }
  const lostDays = await daysWithout(reader, dir, { days, selection: settings })
  const read = { days, newest, actions: actions.length, lostDays }
  return { sha256: hash.digest('hex'), output: (name) => outputOf(dir, name, read, board) }
}

/**
 * Checks the records of a day, and yields their rows.
 * @throws Error with one line that names the file
 */
async function* rowsOfDay(
  reader: ArchiveReader,
  dir: string,
  day: string,
  { board, hash }: { board: RecordsToRows; hash: Hash },
): AsyncGenerator<SourceRow> {
  const key = recordsKey(day)
  const path = join(dir, key)
  const snapshot = (await reader.manifest(day))?.manifest.snapshot
  if (!snapshot) throw new Error(`${dir}: ${day} is no longer there`)
  const file = await reader.records(day)
  if (!file) throw notRegular(path)
  const check = new RecordsCheck({ snapshot, leaves: null })
  try {
    for await (const text of linesOf(await file.open(0, boundOf(key) - 1))) {
      hash.update(text)
      for (const row of board.add(check.push(text))) yield { ...row, at: day }
    }
    check.end()
  } catch (error) {
    if (!isArchiveError(error)) throw error
    throw new Error(`${path}: ${error.message}`, { cause: error })
  }
}

/** @throws Error with one line that names the file */
async function readActions(reader: ArchiveReader, dir: string): Promise<ActionLine[]> {
  const actions = await reader.actions().catch((error) => {
    if (!isArchiveError(error, 'invalid_records')) throw error
    throw new Error(`${dir}: ${error.message}`, { cause: error })
  })
  if (!actions) throw notRegular(join(dir, MODERATION_FILE))
  return actions
}

const notRegular = (path: string) => new Error(`${path}: is missing, or not a regular file`)

/** The selected days of a mirror's log that it does not have, ascending. @throws ArchiveError `invalid_log` */
async function daysWithout(
  reader: ArchiveReader,
  dir: string,
  { days, selection }: { days: readonly string[]; selection: Selection },
): Promise<string[]> {
  const log = await reader.logFile(LOG_FILE)
  const entries = log ? naming(join(dir, LOG_FILE), () => parseLog(log)) : []
  return [...leavesByDay(entries).keys()]
    .filter((day) => isDaySelected(selection, day) && !days.includes(day))
    .sort()
}

/** @param read the days and the number of operators' actions that were read of the mirror */
function outputOf(
  mirror: string,
  database: string,
  read: { days: readonly string[]; newest: string; actions: number; lostDays: string[] },
  board: RecordsToRows,
): CommandResult {
  const { days, newest, actions, lostDays } = read
  const { lines, sequences, lost } = board
  const rest =
    'Restore the archive from the mirror, too: server/deploy/OPERATING.md 11, "A board from a mirror".'
  const records = `${counted(lines, 'record')} of ${counted(days.length, 'day')}`
  const and = `the newest ${newest}, and ${counted(actions, 'action')}`
  return {
    json: {
      mirror,
      database,
      days: days.length,
      records: lines,
      actions,
      newest,
      sequences,
      lost: {
        days: lostDays,
        directories: [...lost.directories],
        investigations: [...lost.investigations],
        contributions: lost.contributions,
        reviews: [...lost.reviews],
      },
    },
    text: [`${database}: ${records}, ${and}`, ...lostLines(board, lostDays), rest].join('\n'),
  }
}

/** States what the board lacks because it is not in the mirror. */
function lostLines({ lost }: RecordsToRows, lostDays: readonly string[]): string[] {
  const { directories, investigations, contributions, reviews } = lost
  const ids = (list: Iterable<bigint>) => listRanges(rangesIn([...list].sort(ascending)))
  return [
    lostDays.length > 0 && `Days of its log that the mirror does not have: ${lostDays.join(', ')}`,
    directories.size > 0 &&
      `Directories without their author labels: ${[...directories].join(', ')}`,
    contributions.length > 0 &&
      `Hidden, since the questions of investigations ${ids(investigations)} are not in the mirror: contributions ${ids(contributions)}`,
    reviews.size > 0 &&
      `Left out, since their messages are not in the mirror: reviews ${ids(reviews)}`,
  ].filter((line) => line !== false)
}

const ascending = (a: bigint, b: bigint): number => (a < b ? -1 : 1)

const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
