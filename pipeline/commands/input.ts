// Opens a command's input files; - is standard input.
import { createReadStream, readFileSync } from 'node:fs'

/** The file name that means standard input or standard output. */
export const STANDARD = '-'

export function openInput(file: string): NodeJS.ReadableStream {
  return file === STANDARD ? process.stdin : createReadStream(file)
}

/** Reads a small file. @throws NodeJS.ErrnoException with the path, which Node itself leaves out for a folder */
export function readNamed(file: string): Uint8Array {
  try {
    return readFileSync(file)
  } catch (error) {
    throw Object.assign(error as NodeJS.ErrnoException, { path: file })
  }
}
