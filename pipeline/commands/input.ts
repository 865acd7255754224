// A file that a command reads: by its name, or standard input.
import { createReadStream } from 'node:fs'

/** How standard input and standard output are named among files. */
export const STANDARD = '-'

export function openInput(file: string): NodeJS.ReadableStream {
  return file === STANDARD ? process.stdin : createReadStream(file)
}
