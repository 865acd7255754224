// Opens a command's input files; - is standard input.
import { createReadStream } from 'node:fs'
import { readRegularFile } from '../../archive/base/regular-file.ts'
import { MAX_JSON_BYTES } from '../../archive/format/bounds.ts'

/** The file name that means standard input or standard output. */
export const STANDARD = '-'

export function openInput(file: string, stdin: NodeJS.ReadableStream): NodeJS.ReadableStream {
  return file === STANDARD ? stdin : createReadStream(file)
}

/** Reads a small file. @throws as `readRegularFile` */
export function readNamed(file: string, limit = MAX_JSON_BYTES): Uint8Array {
  return readRegularFile(file, limit)
}
