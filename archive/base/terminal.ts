// The terminal interface that all commands share: exit codes, usage errors, one-line errors.
import { isSystemError, reasonOf } from './system-error.ts'
import { VERSION } from './version.ts'

export const EXIT_FAILED = 1
const EXIT_USAGE = 2
/** The question cannot be answered yet; EX_TEMPFAIL of sysexits.h. */
export const EXIT_PENDING = 75

/** An invalid command line (COMMANDS.md 1.2). The message is one line. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** A setting of the environment that is refused like a wrong option. The message is one line that names the setting. */
export class SettingError extends Error {
  override name = 'SettingError'
}

/** The parts of its process that a command uses. */
export interface Terminal {
  environment(): NodeJS.ProcessEnv
  /** What its user types before the arguments, if that is not the script of npm. */
  start?: string
  stdin: NodeJS.ReadableStream
  stdout: Output
  stderr: Output
}

/** A stream, and the terminal that shows it, if any. */
export type Output = NodeJS.WritableStream & Partial<Pick<NodeJS.WriteStream, 'columns' | 'isTTY'>>

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
    if (args.length === 1 && args[0] === '--version') {
      terminal.stdout.write(`daysignal ${VERSION}\n`)
      return 0
    }
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
