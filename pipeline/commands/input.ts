// Opens a command's input files; - is standard input.
import { createReadStream } from 'node:fs'

/** The file name that means standard input or standard output. */
export const STANDARD = '-'

export function openInput(file: string, stdin: NodeJS.ReadableStream): NodeJS.ReadableStream {
  return file === STANDARD ? stdin : createReadStream(file)
}
