// npm run operator -- import: fills an empty database from a stream of rows, in one transaction: it is whole, or it never
// was (COMMANDS.md 6.7, 6.9).
import type { ProgressBar } from '../../../archive/base/progress-bar.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { TABLE_NAMES, type TableName } from '../../database/schema/schema.ts'
import { insertRows, isUntouched, type Row } from '../../database/transfer.ts'
import { indexBoard } from '../../database/words/messages.ts'
import type { CommandResult } from '../command.ts'

/** What an import reads: an export, or the records of a mirror. */
export interface ImportSource {
  /** The file or folder in messages. */
  path: string
  /**
   * Yields each row after those that it references, and ends once everything has been checked.
   * @param onProgress called with the fraction that was read, 0 to 1
   * @throws Error with one line that names what is wrong
   */
  rows(onProgress: (part: number) => void): AsyncGenerator<SourceRow, Content>
}

export interface SourceRow {
  table: TableName
  row: Row
  /** Where the source has it, such as `line 12`. */
  at: string
}

/** A source that was read to its end. */
export interface Content {
  /** The hash of everything that was read. */
  sha256: string
  /** @param name of the database in messages */
  output(name: string): CommandResult
}

/** Rows that are held and inserted together; with messages of 16 KiB these are 8 MiB. */
const BATCH_ROWS = 500

/** Reads a whole source, and drops its rows. @throws Error with one line */
export async function checkSource(source: ImportSource, progress: ProgressBar): Promise<Content> {
  return forEachRow(
    source.rows((part) => progress.show(part, 'checking')),
    async () => {},
  )
}

/**
 * Writes the rows of a source that was checked.
 * @param name of the database in messages
 * @throws Error with one line if the database contains anything, or the source has changed; then nothing is written
 */
export async function importRows(
  database: Database,
  { source, checked }: { source: ImportSource; checked: Content },
  { name, progress }: { name: string; progress: ProgressBar },
): Promise<CommandResult> {
  await database.write(async (tx) => {
    if (!(await isUntouched(tx))) throw new Error(`${name}: is not empty; use an empty database`)
    const batch: SourceRow[] = []
    const written = await forEachRow(
      source.rows((part) => progress.show(part, 'importing')),
      async (row) => {
        if (batch.push(row) === BATCH_ROWS) await insertBatch(tx, source.path, batch.splice(0))
      },
    )
    await insertBatch(tx, source.path, batch)
    if (written.sha256 !== checked.sha256)
      throw new Error(`${source.path}: has changed since it was checked; repeat the import`)
    progress.show(1, 'indexing words')
    await indexBoard(tx)
    progress.show(1, 'committing')
  })
  progress.clear()
  return checked.output(name)
}

/** Calls `take` with each row. @returns what the rows end with */
async function forEachRow(
  rows: AsyncGenerator<SourceRow, Content>,
  take: (row: SourceRow) => Promise<void>,
): Promise<Content> {
  try {
    for (;;) {
      const { done, value } = await rows.next()
      if (done) return value
      await take(value)
    }
  } finally {
    // Closes the files of the source if `take` has failed.
    await rows[Symbol.asyncDispose]()
  }
}

/** Inserts consecutive rows table by table, in the order of their references. @param path of the source in messages */
async function insertBatch(tx: Transaction, path: string, batch: readonly SourceRow[]) {
  const byTable = Map.groupBy(batch, ({ table }) => table)
  for (const table of TABLE_NAMES) {
    const found = byTable.get(table) ?? []
    const rows = found.map(({ row }) => row)
    await insertRows(tx, table, rows).catch((error: Error) => {
      throw new Error(`${path}: ${found[0]?.at} and following: ${error.message}`, { cause: error })
    })
  }
}
