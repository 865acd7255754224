// What every command shares at the terminal: options, usage errors, one line for an error, a progress bar, tables.
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { isSystemError, reasonOf } from '../../server/store/system-error.ts'

export const EXIT_FAILED = 1
export const EXIT_USAGE = 2

/** The command line is wrong (API.md 10.2). The message is one line. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/**
 * Reads options and words.
 * @throws UsageError also for an option that is given twice: parseArgs alone would take the last
 */
export function parseWords<const Options extends ParseArgsOptionsConfig>(
  args: string[],
  options: Options,
) {
  const { values, positionals, tokens } = parse(args, options)
  const given = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []))
  const twice = given.find((name, i) => given.indexOf(name) < i)
  if (twice !== undefined) throw new UsageError(`--${twice}: is given twice`)
  return { values, words: positionals }
}

/**
 * Reads the arguments of a program that takes none but --help.
 * @returns whether its help was asked for, which is printed then
 * @throws UsageError
 */
export function printsHelp(args: string[], usage: string): boolean {
  const { values, words } = parseWords(args, { help: { type: 'boolean', short: 'h' } })
  if (words[0] !== undefined) throw new UsageError(`${JSON.stringify(words[0])} is no option`)
  if (values.help) process.stdout.write(usage)
  return values.help === true
}

function parse<const Options extends ParseArgsOptionsConfig>(args: string[], options: Options) {
  try {
    return parseArgs({ args, options, allowPositionals: true, tokens: true })
  } catch (error) {
    // Only the first sentence is about what was typed; the rest is advice on quoting.
    throw new UsageError((error as Error).message.split(/\.\s/)[0])
  }
}

/**
 * Runs a command to its end: its exit code, and one line on standard error for whatever it throws.
 * @param exitCodeOf the exit code of an error that is neither wrong usage nor a plain failure
 */
export async function runCommand(
  name: string,
  main: (args: string[]) => Promise<number>,
  exitCodeOf: (error: unknown) => number | undefined = () => undefined,
): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that has seen enough, such as head, is no error.
    if (error.code === 'EPIPE') return
    console.error(`${name}: standard output: ${lineOf(error)}`)
    process.exit(EXIT_FAILED)
  })
  try {
    process.exitCode = await main(process.argv.slice(2))
  } catch (error) {
    const isUsage = error instanceof UsageError
    process.exitCode = isUsage ? EXIT_USAGE : (exitCodeOf(error) ?? EXIT_FAILED)
    console.error(`${name}: ${lineOf(error)}${isUsage ? '; see --help' : ''}`)
  }
}

/** An error as one line for people. */
export function lineOf(error: unknown): string {
  const message = isSystemError(error)
    ? [error.path, reasonOf(error)].filter((part) => part !== undefined).join(': ')
    : error instanceof Error
      ? error.message
      : String(error)
  return message.trim().replaceAll(/\s*\n\s*/g, ' ')
}

const BAR_WIDTH = 24
const CLEAR_LINE = '\r\u001b[2K'
/** The bar is drawn at most this often. */
const REDRAW_MS = 100
/** The time left is told once this much has been measured. */
const MEASURED_MS = 2000
const MEASURED_PART = 0.01

export interface ProgressBar {
  /** @param part 0 to 1, null when the whole is unknown; @param label what is being done */
  show(part: number | null, label: string): void
  /** Removes the bar, so that a line can be printed. */
  clear(): void
}

/**
 * A progress bar with the time left; silent where nobody watches.
 * @param after how long the work goes on before the bar appears [ms]
 * @param clock monotonic [ms]
 */
export function progressBar(
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>,
  after = 0,
  clock: () => number = () => performance.now(),
): ProgressBar {
  if (!stream.isTTY) return { show() {}, clear() {} }
  const begin = clock()
  let nextDraw = begin + after
  let isShown = false
  return {
    show(part, label) {
      const now = clock()
      if (now < nextDraw) return
      nextDraw = now + REDRAW_MS
      isShown = true
      const bar = part === null ? '' : `${barOf(part)}${timeLeft(part, now - begin)} `
      stream.write(`${CLEAR_LINE}${bar}${label}`)
    },
    clear() {
      if (isShown) stream.write(CLEAR_LINE)
      isShown = false
    },
  }
}

function barOf(part: number): string {
  const filled = Math.round(part * BAR_WIDTH)
  const percent = String(Math.floor(part * 100)).padStart(3)
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}] ${percent} %`
}

/** ` 2:05 left`, at the speed so far [min:s]. */
function timeLeft(part: number, elapsedMs: number): string {
  if (elapsedMs < MEASURED_MS || part < MEASURED_PART) return ''
  const seconds = Math.ceil((elapsedMs * (1 - part)) / part / 1000)
  return ` ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} left`
}

/** Shows control characters: anyone may name a stray file, and no server may move the cursor. */
export function visible(text: string): string {
  return text.replace(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

/** Replaces what would move the cursor: a cell is one line. */
const flat = (cell: string): string => cell.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')

/**
 * A table whose columns are as wide as their widest cell; the last one is left ragged.
 * @param heading styles the first line
 * @returns lines without a final line feed
 */
export function table(
  rows: readonly (readonly string[])[],
  heading: (line: string) => string = (line) => line,
): string {
  const cells = rows.map((row) => row.map(flat))
  const widths = (cells[0] ?? []).map((_, i) =>
    Math.max(...cells.map((row) => row[i]?.length ?? 0)),
  )
  const lines = cells.map((row) =>
    row
      .map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
  return lines.map((line, i) => (i === 0 ? heading(line) : line)).join('\n')
}
