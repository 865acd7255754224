// npm run operator -- import DIR: makes a board of a mirror that keeps the words of the days (API.md 10.17).
//
// A killed import is resumed: each batch is written together with the number of lines so far, and the mirror has to be the
// same, which the hash of all its words shows.
import type { ProgressBar } from '../../archive/base/progress-bar.ts'
import { daySpan } from '../../archive/format/calendar.ts'
import { type ActionLine, parseWordsLine } from '../../archive/format/words.ts'
import { compiledInsert } from '../database/compiled.ts'
import type { Database } from '../database/database.ts'
import { listRanges, rangesIn, writeRanges } from '../database/records/action-log.ts'
import { raiseFloor, raiseSequence } from '../database/records/sequences.ts'
import type { ACTION_TARGETS, ACTS } from '../database/schema/schema.ts'
import {
  clearImportState,
  readImportState,
  writeImportState,
} from '../database/settings/import-state.ts'
import { isUntouched } from '../database/transfer.ts'
import { type CheckedMirror, wordsOf } from './check-mirror.ts'
import type { Output } from './command.ts'
import { MirrorRows } from './mirror-rows.ts'

/** Lines of one transaction; with messages of 16 KiB these are 16 MiB. */
const BATCH_LINES = 1_000

interface ImportOptions {
  /** The database in messages. */
  name: string
  progress: ProgressBar
  /** Lines of one transaction. */
  batchLines?: number
}

/**
 * Writes the records of a mirror into an empty database. Resumes an interrupted import of the same mirror.
 * @throws Error with one line if the database contains anything else
 */
export async function importMirror(
  database: Database,
  mirror: CheckedMirror,
  { name, progress, batchLines = BATCH_LINES }: ImportOptions,
): Promise<Output> {
  const begun = await readImportState(database.db)
  if (begun && begun.sha256 !== mirror.sha256)
    throw new Error(`${name}: has an unfinished import of something else; use an empty database`)
  if (!begun && !(await isUntouched(database.db)))
    throw new Error(`${name}: is not empty; use an empty database`)
  const rows = await MirrorRows.after(database.db, mirror.lost)
  let [read, written] = [0, begun?.rows ?? 0]
  const save = async (isLast: boolean) => {
    await database.write(async (tx) => {
      await rows.write(tx)
      await writeImportState(tx, { sha256: mirror.sha256, rows: read })
      if (isLast) await finish(tx, mirror, rows)
    })
    rows.clear()
    written = read
    progress.show(read / mirror.lines, `${read.toLocaleString('en')} records`)
  }
  for (const { day } of mirror.days) {
    const { from } = daySpan(day)
    for await (const text of wordsOf(mirror.dir, day)) {
      read += 1
      if (read <= written) continue
      rows.add(parseWordsLine(text), from)
      if (read - written >= batchLines) await save(false)
    }
  }
  if (read !== mirror.lines) throw new Error(`${mirror.dir}: has changed; repeat the import`)
  await save(true)
  progress.clear()
  return outputOf(mirror, name)
}

const insertActions = compiledInsert('moderation_log')

/** Writes the record of moderation, and lets new ids follow those of the newest day. */
async function finish(
  tx: Parameters<Parameters<Database['write']>[0]>[0],
  { days, newest, actions, last }: CheckedMirror,
  rows: MirrorRows,
): Promise<void> {
  for (const { day, sequences } of days) await rows.holdPlaces(tx, daySpan(day).from, sequences)
  await insertActions(tx, actions.map(actionRow))
  const { action, ...sequences } = newest.sequences
  const lastAction = actions.at(-1)?.id ?? 0n
  await raiseSequence(tx, 'directory', rows.lastDirectory)
  for (const name of ['message', 'investigation', 'review'] as const)
    for (const known of [sequences[name], last[name]]) await raiseSequence(tx, name, known)
  await raiseSequence(tx, 'moderation', action > lastAction ? action : lastAction)
  await raiseFloor(tx, daySpan(newest.day).to)
  await clearImportState(tx)
}

const actionRow = (line: ActionLine) => ({
  id: line.id,
  at: Date.parse(line.created_at),
  act: line.action as (typeof ACTS)[number],
  target_kind: line.target_kind as (typeof ACTION_TARGETS)[number],
  target: line.target === null ? '' : String(line.target),
  reason: line.reason ?? '',
  ranges: writeRanges(line.ranges ?? []),
})

function outputOf(mirror: CheckedMirror, name: string): Output {
  const { dir, days, lines, actions, newest, lost, lostDays } = mirror
  const rest = 'Restore the archive from the mirror, too: OPERATING.md, "A board from a mirror".'
  const read = `${counted(lines, 'record')} of ${counted(days.length, 'day')}`
  const and = `the newest ${newest.day}, and ${counted(actions.length, 'action')}`
  return {
    json: {
      mirror: dir,
      database: name,
      days: days.length,
      records: lines,
      actions: actions.length,
      newest: newest.day,
      sequences: newest.sequences,
      lost: {
        days: lostDays,
        directories: [...lost.directories],
        investigations: [...lost.investigations],
        contributions: lost.contributions,
        reviews: [...lost.reviews],
      },
    },
    text: [`${name}: ${read}, ${and}`, ...lostLines(mirror), rest].join('\n'),
  }
}

/** States what the board lacks because it is not in the mirror. */
function lostLines({ lost, lostDays }: CheckedMirror): string[] {
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
