// Groups the rows of an export into batches, each of which an import writes in one transaction.
import type { TableName } from '../database/schema/schema.ts'
import type { Row } from '../database/transfer.ts'
import { readExport } from './export-file.ts'
import type { End } from './export-format.ts'

/** Rows per transaction; with messages of 16 KiB these are 8 MiB. */
const BATCH_ROWS = 500

/** Consecutive rows of one table. */
export interface Batch {
  table: TableName
  rows: Row[]
  /** The line of the first row. */
  line: number
  /** Number of rows in the file up to the end of this batch. */
  upto: number
  /** SHA-256 of the file up to the end of this batch. */
  sha256: string
}

/**
 * Yields the rows of an export in batches, and returns its end once the whole file is verified.
 * @param onProgress called with the fraction of the file that was read, 0 to 1
 * @throws Error with one line that names the file and the line
 */
export async function* readBatches(
  path: string,
  onProgress: (part: number) => void,
): AsyncGenerator<Batch, End> {
  const exported = readExport(path, onProgress)
  let batch: Omit<Batch, 'sha256'> | undefined
  let upto = 0
  try {
    for (;;) {
      const { done, value } = await exported.next()
      if (done) {
        if (batch) yield { ...batch, sha256: value.sha256 }
        return value
      }
      const { table, row, line } = value
      if (batch && (batch.table !== table || batch.rows.length === BATCH_ROWS)) {
        yield { ...batch, sha256: value.sha256Before() }
        batch = undefined
      }
      batch ??= { table, rows: [], line, upto }
      batch.rows.push(row)
      batch.upto = ++upto
    }
  } finally {
    // Closes the file if the caller stops early.
    await exported[Symbol.asyncDispose]()
  }
}
