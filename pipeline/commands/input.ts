// A file that a command reads: by its name, or standard input.
import { createReadStream, readFileSync } from 'node:fs'

/** How standard input and standard output are named among files. */
export const STANDARD = '-'

export function openInput(file: string): NodeJS.ReadableStream {
  return file === STANDARD ? process.stdin : createReadStream(file)
}

/** The bytes of a small file. @throws Error of the system that names it, which it does not for a folder */
export function readNamed(file: string): Uint8Array {
  try {
    return readFileSync(file)
  } catch (error) {
    throw Object.assign(error as NodeJS.ErrnoException, { path: file })
  }
}
