// Reads a small regular file that somebody names, such as a setting or an argument, and refuses what is none.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { stat } from 'node:fs/promises'

/**
 * Reads a file. Anything but a regular file is refused, because a pipe may never end.
 * @param limit the maximum size [bytes]
 * @throws NodeJS.ErrnoException with the path, which Node itself leaves out for a folder
 * @throws Error with one line for what is no regular file, or larger than the limit
 */
export function readRegularFile(file: string, limit: number): Uint8Array {
  try {
    // Without this flag, opening a pipe waits for its writer.
    const opened = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      return readWhole(opened, file, limit)
    } finally {
      closeSync(opened)
    }
  } catch (error) {
    throw Object.assign(error as NodeJS.ErrnoException, { path: file })
  }
}

function readWhole(opened: number, file: string, limit: number): Uint8Array {
  const stats = fstatSync(opened)
  if (!stats.isFile())
    throw new Error(`${file}: ${stats.isDirectory() ? 'is a folder' : 'is not a regular file'}`)
  const buffer = new Uint8Array(limit + 1)
  let length = 0
  for (let read = -1; read !== 0 && length < buffer.length; length += read)
    read = readSync(opened, buffer, length, buffer.length - length, null)
  if (length > limit) throw new Error(`${file}: is larger than ${limit} bytes`)
  return buffer.slice(0, length)
}

/**
 * Refuses what is no regular file before it is opened, because opening a pipe waits for its writer.
 * @throws Error with one line that names the file; NodeJS.ErrnoException if there is none
 */
export async function demandRegularFile(file: string): Promise<void> {
  if (!(await stat(file)).isFile()) throw new Error(`${file}: is not a regular file`)
}
