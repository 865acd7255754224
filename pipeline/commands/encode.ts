// npm run encode: renders a snapshot file as audio.
import { createWriteStream } from 'node:fs'
import { resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { program, programLine } from '../../archive/base/command-line.ts'
import { isSystemError, reasonOf } from '../../archive/base/system-error.ts'
import { lineOf, runCommand, UsageError } from '../../archive/base/terminal.ts'
import { fieldsOf, parseAnySnapshot, type Snapshot } from '../../archive/format/snapshot.ts'
import { encodeTransmission, writeWav } from '../../protocol/index.ts'
import { openInput, STANDARD } from './input.ts'

const ENCODE = programLine({
  name: 'encode',
  summary: 'Renders the audio of a day.',
  words: [
    {
      name: 'SNAPSHOT.json',
      help: "a day's snapshot, <day>.json in the archive; line endings, white space and the order of properties do not matter; - reads standard input",
    },
    {
      name: 'OUT.wav',
      help: 'is overwritten: 29.14 s, mono, 48 kHz, 16 bits; - writes to standard output',
    },
  ],
  options: {},
  closing: [
    'Exit: 0 the file was written, 1 the snapshot cannot be read or encoded, 2 usage error.',
  ],
  prepare([snapshot = '', out = '']) {
    if (out !== STANDARD && resolve(out) === resolve(snapshot))
      throw new UsageError(`${out}: the snapshot would be overwritten`)
    return { snapshot, out }
  },
})

export const encode = program(ENCODE, async ({ snapshot, out }, { stdin, stdout }) => {
  const fields = fieldsOf(await loadSnapshot(snapshot, stdin))
  const wav = writeWav(encodeTransmission(fields))
  await pipeline([wav], out === STANDARD ? stdout : createWriteStream(out))
  return 0
})

/** @throws Error naming the file */
async function loadSnapshot(file: string, stdin: NodeJS.ReadableStream): Promise<Snapshot> {
  try {
    return parseAnySnapshot(await buffer(openInput(file, stdin)))
  } catch (error) {
    const reason = isSystemError(error) ? reasonOf(error) : lineOf(error)
    throw new Error(`${file}: ${reason}`, { cause: error })
  }
}

if (import.meta.main) await runCommand(encode)
