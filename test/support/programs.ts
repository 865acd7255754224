// Finds programs that some tests need, and runs scripts with Node. With CI=true each must be installed; otherwise its tests are skipped.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/**
 * Returns the path of a program on PATH; without it, prints a line to stderr and returns undefined, for `test.skipIf`.
 * @throws Error with CI=true, if the program is missing
 */
export function findProgram(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const path = folders.map((folder) => join(folder, name)).find((file) => existsSync(file))
  if (path === undefined && process.env.CI === 'true') throw new Error(`${name} is not on PATH`)
  if (path === undefined) console.error(`skipping tests that need ${name}: it is not on PATH`)
  return path
}

/** Flags of Node, with which a script takes this machine for one with Windows. */
export const ON_WINDOWS = [
  '--import',
  'data:text/javascript,Object.defineProperty(process, "platform", { value: "win32" })',
]

/** The environment of a Node process that a test starts: only PATH and the run's folders are inherited. */
export function childEnvironment(variables: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { PATH, TMPDIR, TEST_COMPILE_CACHE } = process.env
  return {
    PATH,
    ...(TMPDIR && { TMPDIR }),
    ...(TEST_COMPILE_CACHE && { NODE_COMPILE_CACHE: TEST_COMPILE_CACHE }),
    ...variables,
  }
}

/** How a program ended. */
export interface Ended {
  /** As a shell states it: 128 and more after a signal. */
  status: number | null
  stdout: string
  stderr: string
}

/** Waits for the end of a child process whose output goes to pipes. */
export async function endOf(child: ChildProcess): Promise<Ended> {
  const output = [text(child.stdout as Readable), text(child.stderr as Readable)] as const
  const [stdout, stderr, [code, signal]] = await Promise.all([...output, once(child, 'close')])
  const status = signal === null ? code : 128 + constants.signals[signal as NodeJS.Signals]
  return { status, stdout, stderr }
}

/** Ends a process, unless it has ended, and waits for its end. */
export async function endProcess(
  child: ChildProcess,
  signal: NodeJS.Signals = 'SIGKILL',
): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.ref()
  child.kill(signal)
  await ended
}

/** The arguments of node, before a program, that make it one of a made-up next version with a migration more. */
export const AS_NEXT_VERSION = ['--import', './test/support/next-version.ts'] as const

export interface NodeOptions {
  cwd?: string
  env?: Record<string, string>
}

/** Starts a script with Node. @param words its path and arguments */
export const startNode = (words: readonly string[], { cwd, env }: NodeOptions = {}) =>
  spawn(process.execPath, words, {
    cwd,
    env: childEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })

export const runNode = (words: readonly string[], options?: NodeOptions): Promise<Ended> =>
  endOf(startNode(words, options))

/** Asks a script in Python that reads and writes JSON. */
export function askPython<Answer>(script: URL, questions: readonly unknown[]): Answer[] {
  const input = JSON.stringify(questions)
  const options = { input, encoding: 'utf8' } as const
  return JSON.parse(execFileSync('python3', [fileURLToPath(script)], options))
}
