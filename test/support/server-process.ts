// Starts a server in a child process, for tests that kill it.
import { spawn } from 'node:child_process'
import { ROOT } from './imports.ts'
import { childEnvironment, endProcess } from './programs.ts'
import { released } from './release.ts'
import { QUIET } from './service.ts'

export interface ServerProcess {
  /** Without a trailing slash. */
  readonly url: string
  readonly pid: number
  /** The end of what it has written to both outputs. */
  log(): string
  /** Sends SIGTERM, and waits for the end. @returns the exit code */
  stop(): Promise<number | null>
  /** Sends SIGKILL, unless the process has ended, and waits for the end. */
  kill(): Promise<void>
}

const KEPT_LOG_LENGTH = 100_000

/**
 * Starts a server and waits until it listens.
 * @param env variables that override those of QUIET
 * @param program the script, relative to the root, and its arguments
 * @throws Error with the output, if the server ends before it listens
 */
export async function startServerProcess(
  env: Record<string, string>,
  program: readonly string[] = ['server/start.js'],
): Promise<ServerProcess> {
  const child = spawn(process.execPath, program, {
    cwd: ROOT,
    env: childEnvironment({ ...QUIET, ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  const url = await new Promise<string>((resolve, reject) => {
    const keep = (chunk: Buffer) => {
      text = (text + chunk).slice(-KEPT_LOG_LENGTH)
    }
    child.stderr.on('data', keep).pipe(process.stderr, { end: false })
    child.stdout.on('data', (chunk: Buffer) => {
      keep(chunk)
      const url = /"url":"([^"]+?)\/?"/.exec(text)?.[1]
      if (url) resolve(url)
    })
    child.once('exit', () => reject(new Error(`the server did not start: ${text}`)))
  })
  return {
    url,
    pid: child.pid as number,
    log: () => text,
    stop: async () => {
      await endProcess(child, 'SIGTERM')
      return child.exitCode
    },
    kill: released(() => endProcess(child)),
  }
}
