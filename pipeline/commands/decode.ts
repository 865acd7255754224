// npm run decode: prints the days that recordings carry, as tables for people or JSON for programs.
import { statSync } from 'node:fs'
import { styleText } from 'node:util'
import { program, programLine } from '../../archive/base/command-line.ts'
import { progressBar } from '../../archive/base/progress-bar.ts'
import { isSystemError, reasonOf } from '../../archive/base/system-error.ts'
import { EXIT_FAILED, runCommand, type Terminal } from '../../archive/base/terminal.ts'
import { table, wrapped } from '../../archive/base/terminal-text.ts'
import { WavDecoder } from '../../protocol/receiver/index.ts'
import { system } from '../../server/system/system.ts'
import { type FileReport, reportFile, tableRows } from './decode-report.ts'
import { openInput, STANDARD } from './input.ts'

const DECODE = programLine({
  name: 'decode',
  summary: 'Prints the day that a recording carries, and how well it was received.',
  words: [
    {
      name: 'FILE.wav',
      isRepeated: true,
      help: 'may have any length and contain noise, gaps and other sounds; - reads standard input',
    },
  ],
  options: {
    all: { help: 'prints every transmission in a file, not only the first' },
    json: {
      help: 'prints an array with all transmissions in each file: [{"file", "transmissions":[{"day","counters","availability", "coverage","clock","conclusion","frame","diagnostics"}], "error":null|{"code","message"}}]; SPEC.md 9.11 explains the diagnostics, section 10 the codes',
    },
  },
  closing: ['Exit: 0 a transmission was found in each file, 1 not in every file, 2 usage error.'],
  prepare: (files, options) => ({ files, ...options }),
})

/** The progress bar appears once a file has taken this long. */
const PROGRESS_AFTER_MS = 1000

export const decode = program(DECODE, async ({ files, all, json }, terminal) => {
  const { stdout, stderr } = terminal
  const reports: FileReport[] = []
  for (const file of files) {
    const report = await decodeFile(file, terminal)
    reports.push(report)
    if (!json) stdout.write(tablesOf(report, all))
    if (report.error) {
      const line = `${file}: ${report.error.message} (${report.error.code})`
      stderr.write(`${wrapped(line, stderr.columns, '  ')}\n`)
    }
  }
  if (json) stdout.write(`${JSON.stringify(reports, null, 2)}\n`)
  return reports.some(({ error }) => error !== null) ? EXIT_FAILED : 0
})

async function decodeFile(file: string, { stdin, stderr }: Terminal): Promise<FileReport> {
  const decoder = new WavDecoder()
  const bar = progressBar(stderr, system.clock, PROGRESS_AFTER_MS)
  const total = file === STANDARD ? undefined : statSync(file, { throwIfNoEntry: false })?.size
  let done = 0
  try {
    for await (const chunk of openInput(file, stdin)) {
      decoder.push(chunk as Uint8Array)
      // The input may be endless, so stop once its sound has ended or cannot follow.
      if (decoder.isDone) break
      done += chunk.length
      if (total) bar.show(Math.min(done / total, 1), file)
      else bar.show(null, `${(done / 1e6).toFixed(0)} MB ${file}`)
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
    const rows = tableRows(transmission).map(([name, value]) => [`  ${name}`, value])
    const hint = several && !all ? '\n  --all prints the others' : ''
    output += `${styleText('bold', `${file}${number}`)}\n${table(rows)}${hint}\n`
  }
  return output
}

if (import.meta.main) await runCommand(decode)
