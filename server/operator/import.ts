// npm run operator -- import: writes the rows of an export into an empty database, in batches, so that a killed import
// can be resumed (API.md 10.12).
import type { ProgressBar } from '../../archive/base/progress-bar.ts'
import type { Database } from '../database/database.ts'
import {
  clearImportState,
  readImportState,
  writeImportState,
} from '../database/settings/import-state.ts'
import { insertRows, isUntouched } from '../database/transfer.ts'
import type { Output } from './command.ts'
import { describeRows } from './export.ts'
import { type Batch, readBatches } from './export-batches.ts'
import type { End } from './export-format.ts'

/** A file that was read to its end and is complete and undamaged. */
export interface VerifiedExport {
  path: string
  end: End
  /** SHA-256 of the file up to the end of each batch. */
  digests: readonly string[]
}

/** Verifies a whole export before any database is opened. @throws Error with one line that names file and line */
export async function verifyExport(path: string, progress: ProgressBar): Promise<VerifiedExport> {
  const batches = readBatches(path, (part) => progress.show(part, 'checking'))
  const digests: string[] = []
  for (;;) {
    const { done, value } = await batches.next()
    if (done) return { path, end: value, digests }
    digests.push(value.sha256)
  }
}

/**
 * Writes the rows of an export. Resumes an interrupted import of the same file.
 * @param name of the database in messages
 * @throws Error with one line if the database contains anything else, or the file changes; then no row of the changed
 * part is written, and the import can be resumed with the file as it was
 */
export async function importRecords(
  database: Database,
  verified: VerifiedExport,
  { name, progress }: { name: string; progress: ProgressBar },
): Promise<Output> {
  const { path, end } = verified
  const begun = await readImportState(database.db)
  if (begun && begun.sha256 !== end.sha256)
    throw new Error(
      `${name}: has an unfinished import of another file; import that one, or use an empty database`,
    )
  if (!begun && !(await isUntouched(database.db)))
    throw new Error(`${name}: is not empty; use an empty database`)
  let written = begun?.rows ?? 0
  for await (const batch of sameBatches(verified, (part) => progress.show(part, 'importing'))) {
    if (batch.upto <= written) continue
    await writeBatch(database, batch, { path, name, sha256: end.sha256, written })
    written = batch.upto
  }
  await database.write(clearImportState)
  progress.clear()
  return {
    json: { file: path, database: name, rows: end.counts, sha256: end.sha256 },
    text: `${name}: ${describeRows(end.counts)}\nThe signing key is not part of an export; copy it with the archive.`,
  }
}

/** Reads the batches again, and yields each only if the file up to its end is still the one that was verified. */
async function* sameBatches(
  { path, end, digests }: VerifiedExport,
  onProgress: (part: number) => void,
): AsyncGenerator<Batch> {
  const batches = readBatches(path, onProgress)
  try {
    for (let i = 0; ; i++) {
      const { done, value } = await batches.next()
      if (value.sha256 !== (done ? end.sha256 : digests[i]))
        throw new Error(`${path}: has changed since it was checked; repeat the import`)
      if (done) return
      yield value
    }
  } finally {
    await batches[Symbol.asyncDispose]()
  }
}

interface ImportTarget {
  /** The export file. */
  path: string
  /** The database. */
  name: string
  /** Of the export, from its end. */
  sha256: string
  /** Number of rows that have been written so far. */
  written: number
}

/** Writes a batch in one transaction, together with the total number of rows so far. */
async function writeBatch(database: Database, batch: Batch, target: ImportTarget): Promise<void> {
  const { path, name, sha256, written } = target
  // An import that another version began may have ended within this batch.
  const rows = batch.rows.slice(written - batch.upto)
  await database.write(async (tx) => {
    const state = await readImportState(tx)
    if ((state?.rows ?? 0) !== written || (written === 0 && !(await isUntouched(tx))))
      throw new Error(`${name}: another process writes to it; stop it and repeat the import`)
    await insertRows(tx, batch.table, rows).catch((error: Error) => {
      throw new Error(`${path}: line ${batch.line} and following: ${error.message}`, {
        cause: error,
      })
    })
    await writeImportState(tx, { sha256, rows: batch.upto })
  })
}
