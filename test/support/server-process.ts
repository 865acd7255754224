// Starts a server in a child process, for tests that kill it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { ROOT } from './imports.ts'
import { childEnvironment } from './programs.ts'
import { released } from './release.ts'

export interface ServerProcess {
  /** Without a trailing slash. */
  readonly url: string
  /** Sends SIGKILL, unless the process has ended, and waits for the end. */
  kill(): Promise<void>
}

/** No schedule, and no limits for messages. */
const QUIET = {
  SCHEDULE: 'off',
  LIMIT_MESSAGES_ORIGIN_MINUTE: '0',
  LIMIT_MESSAGES_GLOBAL_MINUTE: '0',
  LIMIT_MESSAGES_GLOBAL_DAY: '0',
}

/**
 * Starts a server and waits until it listens.
 * @param env its variables; by default PORT is a free one
 * @param program the script, relative to the root, and its arguments
 * @throws Error with the output, if the server ends before it listens
 */
export async function startServerProcess(
  env: Record<string, string>,
  program: readonly string[] = ['server/start.js'],
): Promise<ServerProcess> {
  const child = spawn(process.execPath, program, {
    cwd: ROOT,
    env: childEnvironment({ ...QUIET, PORT: '0', ...env }),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await new Promise<string>((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => {
      // Later output is read and dropped, so that the server never blocks on a full pipe.
      if (text.length < 10_000) text += chunk
      const url = /"url":"([^"]+?)\/?"/.exec(text)?.[1]
      if (url) resolve(url)
    })
    child.once('exit', () => reject(new Error(`the server did not start: ${text}`)))
  })
  return {
    url,
    kill: released(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }),
  }
}
