// npm run operator -- import: writes the rows of an export into an empty database, in batches, so that a killed import
// can be resumed (API.md 10.12).
import type { ProgressBar } from '../../pipeline/commands/terminal.ts'
import type { Store } from '../store/database.ts'
import { clearImportState, readImportState, writeImportState } from '../store/import-state.ts'
import type { TableName } from '../store/tables.ts'
import { insertRows, isUntouched, type Row } from '../store/transfer.ts'
import type { Output } from './actions.ts'
import { describeRows } from './export.ts'
import { readExport } from './export-file.ts'
import type { End } from './export-format.ts'

/** Rows per transaction; with messages of 16 KiB these are 8 MiB. */
const BATCH_ROWS = 500

/** A file that was read to its end and is complete and undamaged. */
export interface VerifiedExport {
  path: string
  end: End
}

/** Verifies a whole export before any database is opened. @throws Error with one line that names file and line */
export async function verifyExport(path: string, progress: ProgressBar): Promise<VerifiedExport> {
  const rows = readExport(path, (part) => progress.show(part, 'checking'))
  for (;;) {
    const { done, value } = await rows.next()
    if (done) return { path, end: value }
  }
}

/**
 * Writes the rows of an export. Resumes an interrupted import of the same file.
 * @param name of the database in messages
 * @throws Error with one line if the database contains anything else
 */
export async function importRecords(
  store: Store,
  { path, end }: VerifiedExport,
  { name, progress }: { name: string; progress: ProgressBar },
): Promise<Output> {
  const begun = await readImportState(store.db)
  if (begun && begun.sha256 !== end.sha256)
    throw new Error(
      `${name}: has an unfinished import of another file; import that one, or use an empty database`,
    )
  if (!begun && !(await isUntouched(store.db)))
    throw new Error(`${name}: is not empty; use an empty database`)
  const skip = begun?.rows ?? 0
  const writer = new BatchWriter(store, { path, name, sha256: end.sha256, skip })
  const rows = readExport(path, (part) => progress.show(part, 'importing'))
  // This verifies the file again, since it may have changed, before the import is marked as finished.
  for await (const { line, table, row } of rows) await writer.add(line, table, row)
  await writer.flush()
  await store.write(clearImportState)
  progress.clear()
  return {
    json: { file: path, database: name, rows: end.counts, sha256: end.sha256 },
    text: `${name}: ${describeRows(end.counts)}\nThe signing key is not part of an export; copy it with the archive.`,
  }
}

interface ImportTarget {
  /** The export file. */
  path: string
  /** The database. */
  name: string
  /** Of the export, from its end. */
  sha256: string
  /** Number of rows that an interrupted import has already written. */
  skip: number
}

/** Writes consecutive rows of one table in one transaction, together with the total number of rows so far. */
class BatchWriter {
  readonly #store: Store
  readonly #target: ImportTarget
  #read = 0
  #written: number
  #table: TableName | undefined
  #rows: Row[] = []
  #firstLine = 0

  constructor(store: Store, target: ImportTarget) {
    this.#store = store
    this.#target = target
    this.#written = target.skip
  }

  async add(line: number, table: TableName, row: Row): Promise<void> {
    this.#read++
    if (this.#read <= this.#target.skip) return
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
        throw new Error(`${name}: another process writes to it; stop it and repeat the import`)
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
