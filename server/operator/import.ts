// npm run operator -- import: the rows of an export into an empty database, in batches that a kill only interrupts
// (API.md 10.12).
import type { ProgressBar } from '../../pipeline/commands/terminal.ts'
import type { Store } from '../store/database.ts'
import { clearImportState, readImportState, writeImportState } from '../store/import-state.ts'
import type { TableName } from '../store/tables.ts'
import { insertRows, isUntouched, type Row } from '../store/transfer.ts'
import type { Output } from './actions.ts'
import { describeRows } from './export.ts'
import { readExport } from './export-file.ts'
import type { End } from './export-format.ts'

/** Rows of one transaction; messages of 16 KiB make 8 MiB. */
const BATCH_ROWS = 500

/** A file that was read to its end, and found whole. */
export interface ProvenExport {
  path: string
  end: End
}

/** Reads a whole export, before any database is touched. @throws Error of one line that names file and line */
export async function proveExport(path: string, progress: ProgressBar): Promise<ProvenExport> {
  const rows = readExport(path, (part) => progress.show(part, 'checking'))
  for (;;) {
    const { done, value } = await rows.next()
    if (done) return { path, end: value }
  }
}

/**
 * Writes the rows of an export, after those that an interrupted import of the same file has written.
 * @param name of the database, for people
 * @throws Error with one line when the database has anything else
 */
export async function importRecords(
  store: Store,
  { path, end }: ProvenExport,
  { name, progress }: { name: string; progress: ProgressBar },
): Promise<Output> {
  const begun = await readImportState(store.db)
  if (begun && begun.sha256 !== end.sha256)
    throw new Error(`${name}: has an unfinished import of another file; import that, or empty it`)
  if (!begun && !(await isUntouched(store.db)))
    throw new Error(`${name}: is not empty; name an empty database`)
  const writer = new BatchWriter(store, { path, name, sha256: end.sha256, known: begun?.rows ?? 0 })
  const rows = readExport(path, (part) => progress.show(part, 'importing'))
  // The file is proven once more on the way, since it may have changed: its end comes before the import's.
  for await (const { line, table, row } of rows) await writer.add(line, table, row)
  await writer.flush()
  await store.write(clearImportState)
  progress.clear()
  return {
    json: { file: path, database: name, rows: end.counts, sha256: end.sha256 },
    text: `${name}: ${describeRows(end.counts)}\nThe signing key is not part of an export: copy it with the archive.`,
  }
}

interface ImportTarget {
  /** The file, and the database's name. */
  path: string
  name: string
  sha256: string
  /** Rows of the file to skip, since they are in the database. */
  known: number
}

/** Rows of one table that come one after another, written in one transaction with the count of all rows so far. */
class BatchWriter {
  readonly #store: Store
  readonly #target: ImportTarget
  #seen = 0
  #written: number
  #table: TableName | undefined
  #rows: Row[] = []
  #firstLine = 0

  constructor(store: Store, target: ImportTarget) {
    this.#store = store
    this.#target = target
    this.#written = target.known
  }

  async add(line: number, table: TableName, row: Row): Promise<void> {
    this.#seen++
    if (this.#seen <= this.#target.known) return
    if (table !== this.#table || this.#rows.length === BATCH_ROWS) await this.flush()
    if (this.#rows.length === 0) this.#firstLine = line
    this.#table = table
    this.#rows.push(row)
  }

  async flush(): Promise<void> {
    const [table, rows] = [this.#table, this.#rows]
    if (table === undefined || rows.length === 0) return
    const { path, name, sha256 } = this.#target
    const from = this.#written
    await this.#store.write(async (tx) => {
      const state = await readImportState(tx)
      if ((state?.rows ?? 0) !== from || (from === 0 && !(await isUntouched(tx))))
        throw new Error(`${name}: something else writes to it; stop that, and repeat the import`)
      await insertRows(tx, table, rows).catch((error: Error) => {
        throw new Error(`${path}: line ${this.#firstLine} and following: ${error.message}`, {
          cause: error,
        })
      })
      await writeImportState(tx, { sha256, rows: from + rows.length })
    })
    this.#written += rows.length
    this.#rows = []
  }
}
