// The terminal interface that all commands share: options, usage errors, one-line errors, progress bar, tables.
import { type ParseArgsOptionsConfig, parseArgs, stripVTControlCharacters } from 'node:util'
import { isSystemError, reasonOf } from './system-error.ts'

export const EXIT_FAILED = 1
export const EXIT_USAGE = 2
/** The question cannot be answered yet; EX_TEMPFAIL of sysexits.h. */
export const EXIT_PENDING = 75

/** An invalid command line (API.md 10.2). The message is one line. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** A setting of the environment that is refused like a wrong option. The message is one line that names the setting. */
export class SettingError extends Error {
  override name = 'SettingError'
}

/**
 * Parses options and positional arguments.
 * @throws UsageError, also for a repeated option that is not `multiple`, of which parseArgs alone would use the last
 */
export function parseWords<const Options extends ParseArgsOptionsConfig>(
  args: string[],
  options: Options,
) {
  const { values, positionals, tokens } = parse(args, options)
  const given = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []))
  const twice = given.find((name, i) => given.indexOf(name) < i && !options[name]?.multiple)
  if (twice !== undefined) throw new UsageError(`--${twice}: is given twice`)
  return { values, words: positionals }
}

/**
 * Refuses empty values of options, as an unset variable of a script gives them.
 * @throws UsageError
 */
export function demandValues(values: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(values))
    if ([value].flat().includes('')) throw new UsageError(`--${name}: is empty`)
}

/**
 * Parses the arguments of a program that has no option but --help, and prints the help if requested.
 * @returns whether help was requested
 * @throws UsageError
 */
export function printsHelp(args: string[], usage: string): boolean {
  const { values, words } = parseWords(args, { help: { type: 'boolean', short: 'h' } })
  if (words[0] !== undefined) throw new UsageError(`${JSON.stringify(words[0])} is not an option`)
  if (values.help) process.stdout.write(usage)
  return values.help === true
}

function parse<const Options extends ParseArgsOptionsConfig>(args: string[], options: Options) {
  try {
    return parseArgs({ args, options, allowPositionals: true, tokens: true })
  } catch (error) {
    // Only the first sentence states the error; the rest is advice on quoting.
    throw new UsageError((error as Error).message.split(/\.\s/)[0])
  }
}

/** The parts of its process that a command uses. */
export interface Terminal {
  /** Returns the environment variables. */
  environment(): NodeJS.ProcessEnv
  stdin: NodeJS.ReadableStream
  stdout: Output
  stderr: Output
}

/** A stream, and the terminal that shows it, if any. */
type Output = NodeJS.WritableStream & Partial<Pick<NodeJS.WriteStream, 'columns' | 'isTTY'>>

/** A program that is started with arguments, such as `npm run verify`. */
export interface Command {
  /** Starts its error messages. */
  name: string
  /** @returns the exit code */
  run(args: string[], terminal: Terminal): Promise<number>
  /** Returns the exit code for errors that have one of their own. */
  exitCodeOf?(error: unknown): number | undefined
}

/**
 * Runs a command as this process and sets the exit code.
 * @param environment reads the environment variables for a command that uses them
 */
export async function runCommand(
  command: Command,
  environment: Terminal['environment'] = () => ({}),
): Promise<void> {
  const { name } = command
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader may stop early, like head. That is not an error.
    if (error.code === 'EPIPE') return
    console.error(`${name}: standard output: ${lineOf(error)}`)
    process.exit(EXIT_FAILED)
  })
  const { stdin, stdout, stderr } = process
  const terminal = { environment, stdin, stdout, stderr }
  process.exitCode = await execute(command, process.argv.slice(2), terminal)
}

/** Runs a command, and prints one line for an error that it throws. @returns the exit code */
export async function execute(
  { name, run, exitCodeOf }: Command,
  args: string[],
  terminal: Terminal,
): Promise<number> {
  try {
    return await run(args, terminal)
  } catch (error) {
    const isUsage = error instanceof UsageError
    terminal.stderr.write(`${name}: ${lineOf(error)}${isUsage ? '; see --help' : ''}\n`)
    if (isUsage || error instanceof SettingError) return EXIT_USAGE
    return exitCodeOf?.(error) ?? EXIT_FAILED
  }
}

/** Formats an error as one line. */
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
/** The minimum time between two redraws. */
const REDRAW_MS = 100
/** The time left is shown after this much time and progress. */
const MIN_MEASURED_MS = 2000
const MIN_MEASURED_PART = 0.01

export interface ProgressBar {
  /** @param part the completed fraction, 0 to 1; null when the total is unknown @param label the current item */
  show(part: number | null, label: string): void
  /** Removes the bar, so that a line can be printed. */
  clear(): void
}

/**
 * Creates a progress bar with the time left. It is silent unless the stream is a terminal.
 * @param after delay before the bar appears [ms]
 */
export function progressBar(
  stream: Pick<Output, 'isTTY' | 'write'>,
  clock: { monotonic(): number },
  after = 0,
): ProgressBar {
  if (!stream.isTTY) return { show() {}, clear() {} }
  const begin = clock.monotonic()
  /** Where the work began, or the present phase of it: less is done than was before. */
  let first = { part: 0, at: begin }
  let last = 0
  let nextDraw = begin + after
  let isShown = false
  return {
    show(part, label) {
      const now = clock.monotonic()
      if (part !== null && part < last) first = { part, at: now }
      last = part ?? last
      if (now < nextDraw) return
      nextDraw = now + REDRAW_MS
      isShown = true
      const bar = part === null ? '' : `${barOf(part)}${timeLeft(first, { part, at: now })} `
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

/** A completed fraction, 0 to 1, and the monotonic time [ms]. */
interface Reached {
  part: number
  at: number
}

/** Formats the estimated time left, like ` 2:05 left` [min:s]. */
function timeLeft(first: Reached, { part, at }: Reached): string {
  const [done, elapsedMs] = [part - first.part, at - first.at]
  if (elapsedMs < MIN_MEASURED_MS || done < MIN_MEASURED_PART) return ''
  const seconds = Math.ceil((elapsedMs * (1 - part)) / done / 1000)
  return ` ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} left`
}

/** Escapes control characters: names of stray files and texts of servers are untrusted and must not move the cursor. */
export function visible(text: string): string {
  return text.replace(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

/**
 * Breaks a line between words so that it fits a terminal. A word that does not fit has a line of its own.
 * @param columns of the terminal; undefined for other outputs, for which the line stays whole
 * @param indent of the lines after the first
 */
export function wrapped(line: string, columns: number | undefined, indent: string): string {
  if (columns === undefined) return line
  const [start = ''] = /^ */.exec(line) ?? []
  const lines: string[] = []
  let current = start
  let isEmpty = true
  for (const word of line.slice(start.length).split(' ')) {
    const longer = isEmpty ? current + word : `${current} ${word}`
    if (isEmpty || stripVTControlCharacters(longer).length <= columns) current = longer
    else {
      lines.push(current)
      current = indent + word
    }
    isEmpty = false
  }
  return [...lines, current].join('\n')
}

/** Replaces control characters and line separators by spaces, since a cell is one line. */
const flat = (cell: string): string => cell.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')

/**
 * Formats a table. Each column but the last is padded to its widest cell.
 * @param heading styles the first line
 * @returns the lines, without a final line feed
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
