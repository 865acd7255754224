// operator export and backup: write a consistent copy of the database to one file (COMMANDS.md 6.7, 6.8).
import { createHash } from 'node:crypto'
import { createWriteStream, existsSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { writeNew } from '../../../archive/base/durable.ts'
import type { ProgressBar } from '../../../archive/base/progress-bar.ts'
import { isSystemError, reasonOf } from '../../../archive/base/system-error.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { TABLE_NAMES } from '../../database/schema/schema.ts'
import { lastBackup } from '../../database/settings/settings.ts'
import { countRows, readRows } from '../../database/transfer.ts'
import { type CommandResult, defineCommand, reading, writing } from '../command.ts'
import {
  describeRows,
  endLine,
  HEAD,
  isGzipped,
  type RowCounts,
  rowLine,
} from '../moving/export-format.ts'

export const exportCommand = defineCommand({
  name: 'export',
  help: {
    'export FILE': 'writes all records to a new file, which an import reads; FILE.gz is compressed',
  },
  words: [{ name: 'FILE' }],
  options: {},
  prepare: ([file = '']) =>
    reading((database, { progress }) => exportRecords(database, file, progress)),
})

export const backup = defineCommand({
  name: 'backup',
  help: {
    'backup FILE': 'copies a SQLite database, also while a server uses it',
    'backup DIR --keep N':
      'writes a dated copy into a folder, and deletes all but the newest N of them',
  },
  words: [{ name: 'FILE' }],
  options: { keep: { takes: 'N', read: readKeep } },
  prepare: ([path = ''], { keep }) =>
    keep === undefined
      ? reading((database) => backUp(database, path))
      : writing((database, { clock }) => backUpDated(database, path, keep, clock.now())),
})

function readKeep(text: string): number {
  if (!/^[1-9][0-9]{0,5}$/.test(text)) throw new Error('must be a whole number, at least 1')
  return Number(text)
}

const KEEP_SECRET = 'mode 0600: it contains hidden texts and the key of the address hashes'

/** Writes every row to a file, in one read transaction. */
async function exportRecords(
  database: Database,
  path: string,
  progress: ProgressBar,
): Promise<CommandResult> {
  const summary: { counts: RowCounts; sha256: string } = { counts: {}, sha256: '' }
  await writePrivately(path, (partial) =>
    database.read(async (tx) => {
      const text = exportText(tx, summary, progress)
      const encoder = isGzipped(path) ? createGzip() : new PassThrough()
      await pipeline(text, encoder, createWriteStream(partial))
    }),
  )
  progress.clear()
  const { counts, sha256 } = summary
  return {
    json: { file: path, rows: counts, sha256 },
    text: `${path}: ${describeRows(counts)}\nSHA-256 of its rows: ${sha256}\n${KEEP_SECRET}`,
  }
}

/** Yields the text of an export, a page of rows at a time. @param summary filled in while reading */
async function* exportText(
  tx: Transaction,
  summary: { counts: RowCounts; sha256: string },
  progress: ProgressBar,
): AsyncGenerator<string> {
  const hash = createHash('sha256')
  const hashed = (text: string) => {
    hash.update(text)
    return text
  }
  let total = 0
  for (const table of TABLE_NAMES) total += await countRows(tx, table)
  let done = 0
  yield hashed(HEAD)
  for (const table of TABLE_NAMES) {
    for await (const rows of readRows(tx, table)) {
      summary.counts[table] = (summary.counts[table] ?? 0) + rows.length
      done += rows.length
      progress.show(done / total, table)
      yield hashed(rows.map((row) => rowLine(table, row)).join(''))
    }
  }
  summary.sha256 = hash.digest('hex')
  yield endLine(summary)
}

const DATED = /^daysignal-\d{8}T\d{6}Z\.sqlite$/

/**
 * Writes a copy whose name is its time, deletes the oldest such copies in the folder, and records the time for the metrics.
 * Other files of the folder stay.
 * @param now wall-clock time [ms since 1970]
 * @throws Error with one line
 */
async function backUpDated(database: Database, dir: string, keep: number, now: number) {
  const time = `${new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
  const { json, text } = await backUp(database, join(dir, `daysignal-${time}.sqlite`))
  await database.write((tx) => lastBackup.write(tx, now))
  const copies = (await readdir(dir)).filter((name) => DATED.test(name)).sort()
  const deleted = copies.slice(0, -keep)
  for (const name of deleted) await rm(join(dir, name))
  const kept = copies.length - deleted.length
  return {
    json: { ...(json as object), kept, deleted },
    text: `${text}\n${kept} kept, ${deleted.length} deleted`,
  }
}

/** Copies the database of a running service. @throws Error with one line if the engine is not SQLite */
export async function backUp(database: Database, path: string): Promise<CommandResult> {
  const { copyTo } = database
  if (!copyTo) throw new Error('backup: is only for SQLite; use pg_dump or pg_basebackup')
  await writePrivately(path, copyTo)
  const { size: bytes } = await stat(path)
  return {
    json: { file: path, bytes },
    text: `${path}: ${bytes} bytes\n${KEEP_SECRET}`,
  }
}

/**
 * Writes a file that exists only once it is complete.
 * @param write fills the empty temporary file
 * @throws Error with one line if the file exists, also if it appears in the meantime
 */
export async function writePrivately<T>(
  path: string,
  write: (partial: string) => Promise<T>,
): Promise<T> {
  const alreadyExists = () => new Error(`${path}: already exists; choose another name`)
  // Also before writing, which may take minutes.
  if (existsSync(path)) throw alreadyExists()
  try {
    return await writeNew(path, write)
  } catch (error) {
    if (!isSystemError(error)) throw error
    const { syscall, code } = error
    if (syscall === 'link' && code === 'EEXIST') throw alreadyExists()
    if (syscall === 'link')
      throw new Error(`${path}: needs a file system with hard links (${code})`, { cause: error })
    // The message of the system names the temporary folder, which nobody asked for.
    if (syscall === 'mkdtemp') throw new Error(`${path}: ${reasonOf(error)}`, { cause: error })
    throw error
  }
}
