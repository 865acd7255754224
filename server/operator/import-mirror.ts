// npm run operator -- import DIR: makes a board of a mirror that keeps the words of the days (API.md 10.17).
//
// A killed import is resumed: each batch is written together with the number of lines so far, and the mirror has to be the
// same, which the hash of all its words shows.
import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProgressBar } from '../../archive/base/progress-bar.ts'
import { demandRegularFile } from '../../archive/base/regular-file.ts'
import { naming } from '../../archive/errors.ts'
import { boundOf } from '../../archive/format/bounds.ts'
import { daySpan } from '../../archive/format/calendar.ts'
import { linesOf } from '../../archive/format/lines.ts'
import { MODERATION_FILE, recordsKey } from '../../archive/format/paths.ts'
import type { Snapshot } from '../../archive/format/snapshot.ts'
import {
  type ActionLine,
  type DayLine,
  parseActions,
  parseWordsLine,
} from '../../archive/format/words.ts'
import { WordsCheck } from '../../archive/log/words.ts'
import { openReader } from '../../archive/reading/reader.ts'
import { compiledInsert } from '../database/compiled.ts'
import type { Database } from '../database/database.ts'
import { writeRanges } from '../database/records/action-log.ts'
import { raiseFloor, raiseSequence } from '../database/records/sequences.ts'
import type { ACTION_TARGETS, ACTS } from '../database/schema/schema.ts'
import {
  clearImportState,
  readImportState,
  writeImportState,
} from '../database/settings/import-state.ts'
import { isUntouched } from '../database/transfer.ts'
import type { Output } from './command.ts'
import { MirrorRows } from './mirror-rows.ts'

/** Lines of one transaction; with messages of 16 KiB these are 16 MiB. */
const BATCH_LINES = 1_000

/** A day of a mirror. */
interface ImportedDay {
  day: string
  /** The number of its lines. */
  lines: number
  /** Whether the leaves of its hidden messages have salts, as those of the others. */
  isSalted: boolean
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
  /** SHA-256 of all words and of the record of moderation. */
  sha256: string
}

/** Checks a whole mirror before any database is opened. @throws Error with one line */
export async function checkMirror(dir: string, progress: ProgressBar): Promise<CheckedMirror> {
  const reader = openReader(dir)
  if (!(await reader.mirror())?.records)
    throw new Error(
      `${dir}: is not a mirror that keeps the words of the days; see mirror --records`,
    )
  const all = await reader.days()
  const hash = createHash('sha256')
  const rows = MirrorRows.empty()
  const days: ImportedDay[] = []
  let lines = 0
  for (const [index, day] of all.entries()) {
    const snapshot = (await reader.manifest(day))?.manifest.snapshot
    if (!snapshot) throw new Error(`${dir}: ${day} is no longer there`)
    const checked = await checkDay(dir, snapshot, { rows, hash })
    days.push(checked)
    lines += checked.lines
    progress.show((index + 1) / all.length, `checking ${day}`)
  }
  const newest = days.at(-1)
  if (!newest) throw new Error(`${dir}: has no day`)
  const actions = await readActions(dir, hash)
  return { dir, days, lines, newest, actions, sha256: hash.digest('hex') }
}

/**
 * Checks the words of a day, and adds them to the hash.
 * @param of.rows shows that nothing lacks what it belongs to, as the first messages of a mirror that begins late may do
 * @throws Error with one line that names the file
 */
async function checkDay(
  dir: string,
  snapshot: Snapshot,
  { rows, hash }: { rows: MirrorRows; hash: Hash },
): Promise<ImportedDay> {
  const { day } = snapshot
  const { from } = daySpan(day)
  const named = <T>(work: () => T): T => naming(join(dir, recordsKey(day)), work)
  const check = new WordsCheck({ snapshot, leaves: null })
  const imported: ImportedDay = { day, lines: 0, isSalted: true, sequences: NO_RECORDS }
  for await (const text of wordsOf(dir, day)) {
    const line = named(() => check.push(text))
    named(() => rows.add(line, from, true))
    hash.update(text)
    imported.lines += 1
    if (imported.lines % BATCH_LINES === 0) rows.clear()
    if (line.type === 'day') imported.sequences = line.sequences
    if (line.type === 'message' && line.salt === null) imported.isSalted = false
  }
  rows.clear()
  named(() => check.end())
  return imported
}

const NO_RECORDS = { message: 0n, investigation: 0n, review: 0n, action: 0n }

/** @throws Error with one line that names the file */
async function* wordsOf(dir: string, day: string): AsyncGenerator<string> {
  const path = join(dir, recordsKey(day))
  await demandRegularFile(path)
  try {
    yield* linesOf(createReadStream(path))
  } catch (error) {
    naming(path, () => {
      throw error
    })
  }
}

/** @throws Error with one line that names the file */
async function readActions(dir: string, hash: Hash): Promise<ActionLine[]> {
  const path = join(dir, MODERATION_FILE)
  await demandRegularFile(path, boundOf(MODERATION_FILE))
  const text = await readFile(path, 'utf8')
  hash.update(text)
  return naming(path, () => parseActions(text))
}

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
  const rows = await MirrorRows.after(database.db)
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
  for (const { day, isSalted } of mirror.days) {
    const { from } = daySpan(day)
    for await (const text of wordsOf(mirror.dir, day)) {
      read += 1
      if (read <= written) continue
      rows.add(parseWordsLine(text), from, isSalted)
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
  { days, newest, actions }: CheckedMirror,
  rows: MirrorRows,
): Promise<void> {
  for (const { day, sequences } of days) await rows.holdPlaces(tx, daySpan(day).from, sequences)
  await insertActions(tx, actions.map(actionRow))
  const { message, investigation, review, action } = newest.sequences
  const lastAction = actions.at(-1)?.id ?? 0n
  await raiseSequence(tx, 'directory', rows.lastDirectory)
  await raiseSequence(tx, 'message', message)
  await raiseSequence(tx, 'investigation', investigation)
  await raiseSequence(tx, 'review', review)
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
  is_public: 1 as const,
  ranges: writeRanges(line.ranges ?? []),
})

function outputOf({ dir, days, lines, actions, newest }: CheckedMirror, name: string): Output {
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
    },
    text: `${name}: ${read}, ${and}\n${rest}`,
  }
}

const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
