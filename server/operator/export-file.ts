// Reads an export line by line and verifies it. Errors name the line at which the file is damaged, truncated or not an
// export.
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'
import { demandRegularFile } from '../../archive/base/regular-file.ts'
import { isSystemError, reasonOf } from '../../archive/base/system-error.ts'
import type { TableName } from '../database/schema/schema.ts'
import type { Row } from '../database/transfer.ts'
import { checkHead, type End, parseLine, type RowCounts } from './export-format.ts'

/** A row and its line number in the file. */
export interface ExportedRow {
  line: number
  table: TableName
  row: Row
  /** Returns the SHA-256 of all lines before this one. Only to be called before the next row is read. */
  sha256Before(): string
}

/** Far above the longest line of an export: a body has at most 16 KiB, and escaping at most doubles it. */
const MAX_LINE_BYTES = 4 * 1024 * 1024
const LINE_FEED = 10

export const isGzipped = (path: string): boolean => path.endsWith('.gz')

/**
 * Yields the rows of an export, and returns its end once the whole file is verified.
 * @param onProgress called with the fraction of the file that was read, 0 to 1
 * @throws Error with one line that names the file and the line
 */
export async function* readExport(
  path: string,
  onProgress: (part: number) => void,
): AsyncGenerator<ExportedRow, End> {
  const hash = createHash('sha256')
  const counts: RowCounts = {}
  await demandRegularFile(path)
  let line = 0
  /** The line to name in errors, which is the next one while the file is being decompressed. */
  let at = 1
  let end: End | undefined
  try {
    for await (const bytes of linesOf(path, onProgress)) {
      line++
      at = line
      if (end) throw new Error('the file continues after the end of the export')
      const content = contentOf(bytes, line)
      if (content && 'end' in content) end = content.end
      else if (content) {
        counts[content.table] = (counts[content.table] ?? 0) + 1
        yield { line, ...content, sha256Before: () => hash.copy().digest('hex') }
      }
      if (!end) hash.update(bytes)
      at = line + 1
    }
  } catch (error) {
    if (isSystemError(error)) throw new Error(`${path}: ${reasonOf(error)}`, { cause: error })
    throw new Error(`${path}: line ${at}: ${(error as Error).message}`, { cause: error })
  }
  if (line === 0) throw new Error(`${path}: line 1: not an export of Daysignal; the file is empty`)
  if (!end)
    throw new Error(`${path}: line ${line}: the rest of the file after this line is missing`)
  checkEnd(path, line, end, { counts, sha256: hash.digest('hex') })
  return end
}

/** Parses a line. @returns null for the first, once it is checked @throws Error with the rule that the line breaks */
function contentOf(bytes: Buffer, line: number): ReturnType<typeof parseLine> | null {
  if (!isUtf8(bytes)) throw new Error('is not UTF-8')
  if (line > 1) return parseLine(bytes.toString())
  checkHead(bytes.toString())
  return null
}

function checkEnd(path: string, line: number, end: End, found: End): void {
  if (end.sha256 !== found.sha256 || JSON.stringify(end.counts) !== JSON.stringify(found.counts))
    throw new Error(
      `${path}: line ${line}: damaged: the hash or a count does not match the lines before`,
    )
}

/** Yields the lines of a file with their line feeds. Decompresses a file whose name ends in `.gz`. */
async function* linesOf(path: string, onProgress: (part: number) => void): AsyncGenerator<Buffer> {
  const { size } = await stat(path)
  const file = createReadStream(path)
  const stream = isGzipped(path) ? file.pipe(createGunzip()) : file
  file.on('error', (error) => stream.destroy(error))
  let rest: Buffer[] = []
  let restBytes = 0
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      onProgress(size === 0 ? 1 : file.bytesRead / size)
      let from = 0
      for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
        yield Buffer.concat([...rest, chunk.subarray(from, at + 1)])
        rest = []
        restBytes = 0
        from = at + 1
      }
      rest.push(chunk.subarray(from))
      restBytes += chunk.length - from
      if (restBytes > MAX_LINE_BYTES)
        throw new Error('not an export of Daysignal; the line is too long')
    }
    if (restBytes > 0) yield Buffer.concat(rest)
  } finally {
    file.destroy()
  }
}
