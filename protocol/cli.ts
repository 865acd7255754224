// npm run encode and npm run decode: the one file of the protocol that touches files and the terminal.
import { createReadStream, createWriteStream } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { fieldsOf, parseSnapshot } from '../archive/manifest.ts'
import { encodeTransmission, writeWav } from './index.ts'

const ENCODE_USAGE = `Makes the audio of a day.

  npm run encode -- SNAPSHOT.json OUT.wav

SNAPSHOT.json is a day's snapshot as the archive holds it, <day>.json; - reads it from standard input.
OUT.wav is written anew: 29.14 s, mono, 48 kHz, 16 bits; - writes it to standard output.

  --help   prints this

Exit: 0 the file is written, 1 the snapshot cannot be read or encoded, 2 wrong usage.
`

const EXIT_FAILED = 1
const EXIT_USAGE = 2
/** How standard input and standard output are named among files. */
const STANDARD = '-'

/** The command line asks for something that does not exist. */
class UsageError extends Error {}

async function encode(args: string[]): Promise<number> {
  const { values, positionals } = parse(args, { help: { type: 'boolean', short: 'h' } })
  if (values.help) {
    process.stdout.write(ENCODE_USAGE)
    return 0
  }
  const [snapshot, out, ...rest] = positionals
  if (snapshot === undefined || out === undefined || rest.length > 0) {
    throw new UsageError('name one snapshot and one file to write: SNAPSHOT.json OUT.wav')
  }
  const fields = fieldsOf(parseSnapshot(await buffer(openInput(snapshot))))
  const wav = writeWav(encodeTransmission(fields))
  await pipeline([wav], out === STANDARD ? process.stdout : createWriteStream(out))
  return 0
}

function openInput(file: string): NodeJS.ReadableStream {
  return file === STANDARD ? process.stdin : createReadStream(file)
}

function parse<Options extends NonNullable<Parameters<typeof parseArgs>[0]>['options'] & {}>(
  args: string[],
  options: Options,
) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    // Only the first sentence is about what was typed; the rest is advice on quoting.
    throw new UsageError((error as Error).message.split(/\.\s/)[0])
  }
}

/** One line for people: what failed, without the path through the code. */
function explain(error: unknown): string {
  const { code, path, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return `${path}: no such file or folder`
  if (code === 'EACCES') return `${path}: access is not allowed`
  if (code === 'EISDIR') return `${path ?? 'the input'}: is a folder`
  return message.split('\n')[0]!
}

async function main([command, ...args]: string[]): Promise<number> {
  if (command === 'encode') return encode(args)
  throw new UsageError('the commands are encode and decode')
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  console.error(explain(error))
  process.exitCode = error instanceof UsageError ? EXIT_USAGE : EXIT_FAILED
}
