// npm run bench: measures all goals of speed and size in some 40 minutes, or only the named parts, and writes a report.
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { program, programLine } from '../../archive/base/command-line.ts'
import { runCommand } from '../../archive/base/terminal.ts'
import { benchDecode } from './decode.ts'
import { benchFiles } from './files.ts'
import { benchHtml } from './html.ts'
import { benchMemory } from './memory.ts'
import { benchPages } from './pages.ts'
import { benchPosts } from './posts.ts'
import { lineOf, type Row, writeReport } from './report.ts'
import { benchScale } from './scale.ts'
import { benchSearch } from './search.ts'
import { onStage, type Stage } from './servers.ts'
import { benchStart } from './start.ts'
import { benchVerify } from './verify.ts'

/** @returns rows; a string instead of a row gives the reason why it cannot be measured on this machine */
export type Part = (stage: Stage) => Promise<(Row | string)[]>

const PARTS: Record<string, Part> = {
  pages: benchPages,
  html: benchHtml,
  posts: benchPosts,
  files: benchFiles,
  process: async (stage) => [...(await benchStart(stage)), ...(await benchMemory(stage))],
  decode: benchDecode,
  scale: benchScale,
  search: benchSearch,
  verify: benchVerify,
}
/** Surveys print their results. They have no goals, take long, and run only when they are named. */
const SURVEYS: Record<string, () => Promise<void>> = {
  receiver: async () => (await import('./receiver.ts')).surveyReceiver(),
  noise: async () => (await import('./receiver.ts')).surveyNoise(),
  different: async () => (await import('./different.ts')).surveyDifferent(),
}

const KNOWN = [...Object.keys(PARTS), ...Object.keys(SURVEYS)]

const BENCH = programLine({
  name: 'bench',
  summary:
    'Measures every goal of speed and size, or only the named themes, prints a line per row and writes a report to DATA_DIR/bench.',
  words: [
    {
      name: 'THEME',
      oneOf: KNOWN,
      isOptional: true,
      isRepeated: true,
      help: `one of ${KNOWN.join(', ')}; without one, all but ${Object.keys(SURVEYS).join(', ')}, in some 40 minutes`,
    },
  ],
  options: {},
  closing: ['What each theme compares is in test/bench/README.md.'],
  prepare: (words) => words,
})

/** @returns the exit code */
async function main(named: string[]): Promise<number> {
  for (const name of named) await SURVEYS[name]?.()
  const parts = Object.entries(PARTS).filter(([name]) => named.length === 0 || named.includes(name))
  if (parts.length > 0) await measure(parts)
  return Number(process.exitCode ?? 0)
}

async function measure(parts: [string, Part][]): Promise<void> {
  const begun = new Date().toISOString()
  const name = `${begun.slice(0, 19).replaceAll(':', '-')}.md`
  const report = resolve(process.env.DATA_DIR || './data', 'bench', name)
  const shared = mkdtempSync(join(tmpdir(), 'daysignal-bench-'))
  const rows: Row[] = []
  const remarks = [machine(begun)]
  console.log(remarks[0])
  try {
    for (const [name, part] of parts) {
      const began = performance.now()
      for (const item of await onStage(shared, part).catch((error) => failure(name, error))) {
        if (typeof item === 'string') remarks.push(`${name}: ${item}`)
        else rows.push(item)
        console.log(typeof item === 'string' ? `  ${name}: ${item}` : lineOf(item))
      }
      console.log(`${name}: ${((performance.now() - began) / 1000).toFixed(0)} s`)
      writeReport(report, rows, remarks)
    }
  } finally {
    rmSync(shared, { recursive: true })
  }
  console.log(report)
}

/** What the figures were measured on. A load above 0 before the start means that other programs take part. */
function machine(begun: string): string {
  const gigabytes = (totalmem() / 2 ** 30).toFixed(1)
  const [load = 0] = loadavg()
  return `${begun}, Node ${process.versions.node}, ${cpus().length} x ${cpus()[0]?.model}, ${gigabytes} GiB, load ${load.toFixed(1)} before the start`
}

/** Reports a part that failed, so that the others still run. */
function failure(name: string, error: Error): string[] {
  console.error(`bench: ${name}: ${error.stack}`)
  process.exitCode = 1
  return [`not measured: ${error.message.split('\n')[0]}`]
}

await runCommand(program(BENCH, main))
