// npm run test:mutations: breaks each promise of the table in test/README.md in a copy, and demands that its test fails.
// Given names of patches, it tries only those.
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readDocument } from '../support/documents.ts'
import { ROOT } from '../support/imports.ts'

/** A row of the table. */
interface Mutation {
  promise: string
  /** The file of the test, as a path from `test/`. */
  file: string
  /** The name of the test, or its beginning. */
  name: string
  /** The project of vitest that runs it. */
  project: string
  /** The name of the patch, without its ending. */
  patch: string
}

/** `| A cursor misses nothing | board/messages.test.ts: pages of a list … | [cursor](mutations/cursor.patch) |` */
const ROW =
  /^\| (.+) \| `(\S+\.ts)`( on PostgreSQL)?: (.+) \| \[\S+\]\(mutations\/(\S+)\.patch\) \|$/gm

function readTable(document: string): Mutation[] {
  return [...document.matchAll(ROW)].map(
    ([, promise = '', file = '', onPostgres, name = '', patch = '']) => ({
      promise,
      file,
      name,
      project: onPostgres ? 'engines' : projectOf(file),
      patch,
    }),
  )
}

/** What vitest's JSON reporter writes, as far as it is read here. */
interface Report {
  numFailedTests: number
  numTotalTests: number
  numPendingTests: number
}

/** A copy of the working tree, in which one mutation after the other is applied and taken back. */
class Copy {
  readonly #folder: string

  constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), 'daysignal-mutations-'))
    const files = execFileSync('git', ['ls-files', '-z', '-c', '-o', '--exclude-standard'], {
      cwd: ROOT,
      encoding: 'utf8',
      maxBuffer: 64 << 20,
    })
    for (const file of files.split('\0').filter(Boolean)) {
      mkdirSync(dirname(join(this.#folder, file)), { recursive: true })
      cpSync(join(ROOT, file), join(this.#folder, file))
    }
    symlinkSync(join(ROOT, 'node_modules'), join(this.#folder, 'node_modules'))
    execFileSync('git', ['init', '-q'], { cwd: this.#folder })
  }

  /** @returns what is wrong, or undefined if the test fails as it should */
  async fault(mutation: Mutation): Promise<string | undefined> {
    const path = join(ROOT, 'test/mutations', `${mutation.patch}.patch`)
    if (!this.#apply(path)) return 'the patch does not apply'
    try {
      const report = await this.#test(mutation)
      if (!report) return 'the tests did not run'
      if (report.numTotalTests === report.numPendingTests) return 'no such test, or it was skipped'
      return report.numFailedTests > 0 ? undefined : 'SURVIVED'
    } finally {
      this.#apply(path, '--reverse')
    }
  }

  #apply(path: string, ...options: string[]): boolean {
    try {
      execFileSync('git', ['apply', ...options, path], { cwd: this.#folder, stdio: 'ignore' })
      return true
    } catch {
      return false
    }
  }

  /** Runs the named test. Its processes have ended when this returns. */
  async #test({ file, name, project }: Mutation): Promise<Report | undefined> {
    const written = join(this.#folder, 'report.json')
    rmSync(written, { force: true })
    const args = [
      join(ROOT, 'node_modules/vitest/vitest.mjs'),
      ...['run', '--config', 'test/vitest.config.ts', '--project', project],
      ...[`test/${file}`, '--testNamePattern', RegExp.escape(name), '--bail', '1'],
      ...['--reporter', 'json', '--outputFile', written],
    ]
    const child = spawn(process.execPath, args, { cwd: this.#folder, stdio: 'ignore' })
    await new Promise((resolve) => child.once('close', resolve))
    try {
      return JSON.parse(readFileSync(written, 'utf8')) as Report
    } catch {
      return undefined
    }
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

function projectOf(file: string): string {
  if (file.startsWith('engines/')) return 'engines'
  return /\.(slow|browser)\.test\.ts$/.exec(file)?.[1] ?? 'suite'
}

async function main(named: string[]): Promise<void> {
  const table = readTable(readDocument('test/README.md'))
  const unknown = named.filter((name) => !table.some(({ patch }) => patch === name))
  if (unknown.length > 0) {
    console.error(`mutations: no row has the patch ${unknown.join(', ')}`)
    process.exitCode = 2
    return
  }
  const chosen = table.filter(({ patch }) => named.length === 0 || named.includes(patch))
  const waiting = [...chosen]
  let killed = 0
  const work = async () => {
    const copy = new Copy()
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const fault = await copy.fault(next)
      if (fault) console.error(`${next.patch}: ${fault} (${next.promise})`)
      else killed++
    }
    copy.remove()
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  console.error(`${killed} of ${chosen.length} mutations were noticed`)
  if (killed < chosen.length) process.exitCode = 1
}

if (import.meta.main) await main(process.argv.slice(2))
