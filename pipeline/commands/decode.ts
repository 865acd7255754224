// npm run decode: prints the days that recordings carry, as tables for people or JSON for programs.
import { statSync } from 'node:fs'
import { styleText } from 'node:util'
import { program, programLine } from '../../archive/base/command-line.ts'
import { type ProgressBar, progressBar } from '../../archive/base/progress-bar.ts'
import { isSystemError, reasonOf } from '../../archive/base/system-error.ts'
import { EXIT_FAILED, runCommand, type Terminal } from '../../archive/base/terminal.ts'
import { table, wrapped } from '../../archive/base/terminal-text.ts'
import { SLOTS } from '../../protocol/index.ts'
import { Combiner, isWeak } from '../../protocol/receiver/combine.ts'
import {
  type Decoding,
  isSame,
  LiveReceiver,
  type Transmission,
  WavDecoder,
} from '../../protocol/receiver/index.ts'
import { system } from '../../server/system/system.ts'
import {
  type CombinedReport,
  type FileReport,
  reportFile,
  reportTransmission,
  type TransmissionReport,
  tableRows,
} from './decode-report.ts'
import { openInput, STANDARD } from './input.ts'

const DECODE = programLine({
  name: 'decode',
  summary: 'Prints the day that a recording carries, and how well it was received.',
  words: [
    {
      name: 'FILE.wav',
      isRepeated: true,
      help: 'may have any length and contain noise, gaps and other sounds; - reads standard input, such as a microphone, and prints each transmission as soon as it has ended',
    },
  ],
  options: {
    all: { help: 'prints every transmission in a file, not only the first' },
    combine: {
      help: 'adds up what is too weak alone: the same day in several files, or repeated in one; prints every day once, in JSON as one item with "files" in place of "file"',
    },
    json: {
      help: 'prints an array with all transmissions in each file: [{"file", "transmissions":[{"day","counters","availability", "coverage","clock","conclusion","frame","diagnostics"}], "error":null|{"code","message"}}]; SPEC.md 9.11 explains the diagnostics, section 10 the codes',
    },
  },
  closing: [
    'Exit: 0 a transmission was found in each file, with --combine in any, 1 not so, 2 usage error.',
  ],
  prepare: (files, options) => ({ files, ...options }),
})

/** The progress bar appears once a file has taken this long. */
const PROGRESS_AFTER_MS = 1000

export const decode = program(DECODE, async ({ files, all, combine, json }, terminal) => {
  const { stdout, stderr } = terminal
  if (combine) return await decodeCombined(files, json, terminal)
  const reports: FileReport[] = []
  for (const file of files) {
    const isLive = file === STANDARD && !json
    const report = isLive ? await decodeLive(terminal) : await decodeFile(file, terminal)
    reports.push(report)
    if (!json && !isLive) stdout.write(tablesOf(report, all))
    writeError(report, stderr)
  }
  if (json) stdout.write(`${JSON.stringify(reports, null, 2)}\n`)
  return reports.some(({ error }) => error !== null) ? EXIT_FAILED : 0
})

/** Decodes the files, combines them, and prints each day once. A file without one matters only if no other has one. */
async function decodeCombined(files: string[], json: boolean, terminal: Terminal): Promise<number> {
  const combiner = new Combiner()
  const receiverFor = combiner.receiverFor.bind(combiner)
  const reports: FileReport[] = []
  for (const file of files) {
    reports.push(await decodeFile(file, terminal, new WavDecoder(undefined, receiverFor)))
  }
  const transmissions = combiner.finish().map(reportTransmission)
  const isFound = transmissions.length > 0
  const error = isFound ? null : reports[0]!.error
  const report: CombinedReport = { files, transmissions, error }
  if (json) terminal.stdout.write(`${JSON.stringify([report], null, 2)}\n`)
  else terminal.stdout.write(tablesOf({ ...report, file: files.join(', ') }, true))
  for (const each of reports) if (!isFound || !isWeak(each)) writeError(each, terminal.stderr)
  return isFound ? 0 : EXIT_FAILED
}

function writeError({ file, error }: FileReport, stderr: Terminal['stderr']): void {
  if (error === null) return
  const line = `${file}: ${error.message} (${error.code})`
  stderr.write(`${wrapped(line, stderr.columns, '  ')}\n`)
}

function decodeFile(
  file: string,
  terminal: Terminal,
  decoder = new WavDecoder(),
): Promise<FileReport> {
  const bar = progressBar(terminal.stderr, system.clock, PROGRESS_AFTER_MS)
  const total = file === STANDARD ? undefined : statSync(file, { throwIfNoEntry: false })?.size
  let done = 0
  return reportInput(file, terminal, decoder, bar, (bytes) => {
    done += bytes
    if (total) bar.show(Math.min(done / total, 1), file)
    else bar.show(null, `${(done / 1e6).toFixed(0)} MB ${file}`)
  })
}

/** Decodes standard input, and prints each transmission as soon as it has ended. */
async function decodeLive(terminal: Terminal): Promise<FileReport> {
  const { stdout, stderr } = terminal
  const bar = progressBar(stderr, system.clock)
  const printed: Transmission[] = []
  const print = (transmission: Transmission) => {
    bar.clear()
    printed.push(transmission)
    const title = `${STANDARD}, transmission ${printed.length}`
    stdout.write(tableOf(title, reportTransmission(transmission)))
  }
  let receiver: LiveReceiver | undefined
  let certainDay: string | undefined
  const decoder = new WavDecoder(undefined, (rate, channels) => {
    const live = new LiveReceiver(rate, channels)
    receiver = live
    return {
      push(block) {
        for (const { transmission, isWhole } of live.push(block)) {
          certainDay = isWhole ? undefined : transmission.fields.day
          if (isWhole) print(transmission)
        }
      },
      finish(): Decoding {
        const decoding = live.finish()
        // What the end of the input cut off, and what was found only now.
        for (const transmission of decoding.transmissions) {
          if (!printed.some((other) => isSame(other, transmission))) print(transmission)
        }
        return decoding
      },
    }
  })
  return await reportInput(STANDARD, terminal, decoder, bar, () => {
    const slots = receiver?.hearing?.slots
    if (slots === undefined) bar.show(null, 'listening')
    else bar.show(slots / SLOTS, certainDay ?? 'hearing a transmission')
  })
}

/** @param onChunk called with the number of bytes of each chunk that was decoded */
async function reportInput(
  file: string,
  { stdin, stdout }: Terminal,
  decoder: WavDecoder,
  bar: ProgressBar,
  onChunk: (bytes: number) => void,
): Promise<FileReport> {
  try {
    for await (const chunk of openInput(file, stdin)) {
      decoder.push(chunk as Uint8Array)
      // The input may be endless, so stop once its sound has ended or cannot follow, or nobody reads the output.
      if (decoder.isDone || !stdout.writable) break
      onChunk(chunk.length)
    }
    return reportFile(file, decoder.end())
  } catch (error) {
    if (!isSystemError(error)) throw error
    return { file, transmissions: [], error: { code: 'unreadable', message: reasonOf(error) } }
  } finally {
    bar.clear()
  }
}

function tablesOf({ file, transmissions }: FileReport, all: boolean): string {
  const several = transmissions.length > 1
  let output = ''
  for (const [i, transmission] of (all ? transmissions : transmissions.slice(0, 1)).entries()) {
    const number = several ? `, transmission ${i + 1} of ${transmissions.length}` : ''
    const hint = several && !all ? '  --all prints the others\n' : ''
    output += `${tableOf(`${file}${number}`, transmission)}${hint}`
  }
  return output
}

function tableOf(title: string, transmission: TransmissionReport): string {
  const rows = tableRows(transmission).map(([name, value]) => [`  ${name}`, value])
  return `${styleText('bold', title)}\n${table(rows)}\n`
}

if (import.meta.main) await runCommand(decode)
