// npm run encode and npm run decode: the one file of the protocol that touches files and the terminal.
import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { parseArgs, styleText } from 'node:util'
import { fieldsOf, parseAnySnapshot, type Snapshot } from '../../archive/format/snapshot.ts'
import { encodeTransmission, WavDecoder, writeWav } from '../../protocol/index.ts'
import { type FileReport, reportFile, tableRows } from '../../protocol/receiver/report.ts'

const ENCODE_USAGE = `Makes the audio of a day.

  npm run encode -- SNAPSHOT.json OUT.wav

SNAPSHOT.json is a day's snapshot as the archive holds it, <day>.json, with whatever line ends,
white space and order of properties; - reads it from standard input.
OUT.wav is written anew: 29.14 s, mono, 48 kHz, 16 bits; - writes it to standard output.

  --help   prints this

Exit: 0 the file is written, 1 the snapshot cannot be read or encoded, 2 wrong usage.
`

const DECODE_USAGE = `Prints the day that a recording carries, and how well it was received.

  npm run decode -- FILE.wav…

FILE.wav may be of any length and have noise, gaps and other sounds in it; - reads standard input.

  --all    prints every transmission of a file, not only the first
  --json   prints an array with all transmissions of each file:
           [{"file","transmissions":[{"day","counters","availability","coverage","clock","conclusion",
           "frame","diagnostics"}],"error":null|{"code","message"}}]
  --help   prints this

Exit: 0 a transmission was found in each file, 1 not in each, 2 wrong usage.
`

const ENCODE_FLAGS = { help: { type: 'boolean', short: 'h' } } as const
const DECODE_FLAGS = {
  ...ENCODE_FLAGS,
  all: { type: 'boolean' },
  json: { type: 'boolean' },
} as const

const EXIT_FAILED = 1
const EXIT_USAGE = 2
/** How standard input and standard output are named among files. */
const STANDARD = '-'
/** A bar appears once a file has taken this long. */
const PROGRESS_AFTER_MS = 1000
const PROGRESS_EVERY_MS = 100
const BAR_WIDTH = 24
const CLEAR_LINE = '\r\u001b[2K'

/** The command line asks for something that does not exist. */
class UsageError extends Error {}

async function encode(args: string[]): Promise<number> {
  const { values, positionals } = parse(args, ENCODE_FLAGS)
  if (values.help) {
    process.stdout.write(ENCODE_USAGE)
    return 0
  }
  const [snapshot, out, ...rest] = positionals
  if (snapshot === undefined || out === undefined || rest.length > 0) {
    throw new UsageError('name one snapshot and one file to write: SNAPSHOT.json OUT.wav')
  }
  const fields = fieldsOf(await readSnapshot(snapshot))
  const wav = writeWav(encodeTransmission(fields))
  await pipeline([wav], out === STANDARD ? process.stdout : createWriteStream(out))
  return 0
}

/** @throws Error naming the file */
async function readSnapshot(file: string): Promise<Snapshot> {
  try {
    return parseAnySnapshot(await buffer(openInput(file)))
  } catch (error) {
    const reason = isSystemError(error) ? reasonOf(error) : (error as Error).message
    throw new Error(`${file}: ${reason}`, { cause: error })
  }
}

async function decode(args: string[]): Promise<number> {
  const { values, positionals } = parse(args, DECODE_FLAGS)
  if (values.help) {
    process.stdout.write(DECODE_USAGE)
    return 0
  }
  if (positionals.length === 0) throw new UsageError('name a file to decode: FILE.wav')
  const reports: FileReport[] = []
  for (const file of positionals) {
    const report = await decodeFile(file)
    reports.push(report)
    if (!values.json) printTable(report, values.all === true)
    if (report.error) console.error(`${file}: ${report.error.message} (${report.error.code})`)
  }
  if (values.json) process.stdout.write(`${JSON.stringify(reports, null, 2)}\n`)
  return reports.some(({ error }) => error !== null) ? EXIT_FAILED : 0
}

async function decodeFile(file: string): Promise<FileReport> {
  const decoder = new WavDecoder()
  const progress = progressBar(file)
  try {
    for await (const piece of openInput(file)) {
      decoder.push(piece as Uint8Array)
      progress.advance(piece.length)
    }
    return reportFile(file, decoder.end())
  } catch (error) {
    if (!isSystemError(error)) throw error
    return { file, transmissions: [], error: { code: 'unreadable', message: reasonOf(error) } }
  } finally {
    progress.clear()
  }
}

function printTable({ file, transmissions }: FileReport, all: boolean): void {
  for (const [i, transmission] of (all ? transmissions : transmissions.slice(0, 1)).entries()) {
    const number =
      transmissions.length > 1 ? `, transmission ${i + 1} of ${transmissions.length}` : ''
    const rows = tableRows(transmission).map(([name, value]) => `  ${name.padEnd(20)}${value}`)
    const hint = !all && transmissions.length > 1 ? ['  --all prints the others'] : []
    const lines = [styleText('bold', `${file}${number}`), ...rows, ...hint]
    process.stdout.write(`${lines.join('\n')}\n`)
  }
}

/** A bar on a terminal for a file that takes its time; silent when nobody watches. */
function progressBar(file: string): { advance(bytes: number): void; clear(): void } {
  if (!process.stderr.isTTY) return { advance() {}, clear() {} }
  const total = file === STANDARD ? undefined : statSync(file, { throwIfNoEntry: false })?.size
  let done = 0
  let due = performance.now() + PROGRESS_AFTER_MS
  let shown = false
  return {
    advance(bytes) {
      done += bytes
      if (performance.now() < due) return
      due = performance.now() + PROGRESS_EVERY_MS
      shown = true
      const part = total ? barOf(Math.min(done / total, 1)) : `${(done / 1e6).toFixed(0)} MB`
      process.stderr.write(`${CLEAR_LINE}${part} ${file}`)
    },
    clear() {
      if (shown) process.stderr.write(CLEAR_LINE)
    },
  }
}

function barOf(part: number): string {
  const filled = Math.round(part * BAR_WIDTH)
  const percent = String(Math.floor(part * 100)).padStart(3)
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}] ${percent} %`
}

function openInput(file: string): NodeJS.ReadableStream {
  return file === STANDARD ? process.stdin : createReadStream(file)
}

function parse<Flags extends typeof ENCODE_FLAGS>(args: string[], flags: Flags) {
  try {
    return parseArgs({ args, options: flags, allowPositionals: true })
  } catch (error) {
    // Only the first sentence is about what was typed; the rest is advice on quoting.
    throw new UsageError((error as Error).message.split(/\.\s/)[0])
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}

function reasonOf(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return 'no such file or folder'
  if (error.code === 'EACCES') return 'access is not allowed'
  if (error.code === 'EISDIR') return 'is a folder'
  return error.message
}

/** One line for people: what failed, without the path through the code. */
function explain(error: unknown): string {
  if (!isSystemError(error)) return (error as Error).message
  return error.path === undefined ? reasonOf(error) : `${error.path}: ${reasonOf(error)}`
}

async function main([command, ...args]: string[]): Promise<number> {
  if (command === 'encode') return encode(args)
  if (command === 'decode') return decode(args)
  throw new UsageError('the commands are encode and decode')
}

// A reader that has seen enough, such as head, is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  console.error(explain(error))
  process.exitCode = error instanceof UsageError ? EXIT_USAGE : EXIT_FAILED
}
