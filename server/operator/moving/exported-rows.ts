// Reads an export line by line and verifies it. Errors name the line at which the file is damaged, truncated or not an
// export.
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'
import { demandRegularFile } from '../../../archive/base/regular-file.ts'
import { isSystemError, reasonOf } from '../../../archive/base/system-error.ts'
import {
  checkHead,
  describeRows,
  type End,
  isGzipped,
  parseLine,
  type RowCounts,
} from './export-format.ts'
import type { Content, ImportSource, SourceRow } from './import.ts'

/** Far above the longest line of an export: a body has at most 16 KiB, and escaping at most doubles it. */
const MAX_LINE_BYTES = 4 * 1024 * 1024
const LINE_FEED = 10

/** The rows of an export, as an import reads them. @param path the file */
export const exportSource = (path: string): ImportSource => ({
  path,
  rows: (onProgress) => readExport(path, onProgress),
})

async function* readExport(
  path: string,
  onProgress: (part: number) => void,
): AsyncGenerator<SourceRow, Content> {
  const hash = createHash('sha256')
  const counts: RowCounts = {}
  await demandRegularFile(path)
  /** The lines that have been read; errors name the next one. */
  let line = 0
  let end: End | undefined
  try {
    for await (const bytes of linesOf(path, onProgress)) {
      if (end) throw new Error('the file continues after the end of the export')
      if (!isUtf8(bytes)) throw new Error('is not UTF-8')
      if (line === 0) checkHead(bytes.toString())
      const content = line === 0 ? null : parseLine(bytes.toString())
      if (content && 'end' in content) end = content.end
      else if (content) {
        counts[content.table] = (counts[content.table] ?? 0) + 1
        yield { ...content, at: `line ${line + 1}` }
      }
      if (!end) hash.update(bytes)
      line++
    }
  } catch (error) {
    if (isSystemError(error)) throw new Error(`${path}: ${reasonOf(error)}`, { cause: error })
    throw new Error(`${path}: line ${line + 1}: ${(error as Error).message}`, { cause: error })
  }
  if (line === 0) throw new Error(`${path}: line 1: not an export of Daysignal; the file is empty`)
  if (!end)
    throw new Error(`${path}: line ${line}: the rest of the file after this line is missing`)
  const sha256 = hash.digest('hex')
  if (end.sha256 !== sha256 || JSON.stringify(end.counts) !== JSON.stringify(counts))
    throw new Error(
      `${path}: line ${line}: damaged: the hash or a count does not match the lines before`,
    )
  return {
    sha256,
    output: (database) => ({
      json: { file: path, database, rows: counts, sha256 },
      text: `${database}: ${describeRows(counts)}\nThe signing key is not part of an export; copy it with the archive.`,
    }),
  }
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
