// Runs programs for tests as an unprivileged user, and ends them with this process.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chownSync, closeSync, openSync } from 'node:fs'
import { promisify } from 'node:util'

/** The user `nobody`: PostgreSQL and Ceph refuse to run as root, and need a user that exists. */
const NOBODY = 65534

const isRoot = (): boolean => process.getuid?.() === 0

/** The arguments of setpriv that run a command as that user. @param deathSignal what it gets when this process ends */
const asUser = (command: readonly string[], deathSignal: string): string[] => [
  ...(isRoot() ? [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : []),
  ...[`--pdeathsig=${deathSignal}`, '--', ...command],
]

/** Gives a file or folder to that user. */
export function chownToUser(path: string): void {
  if (isRoot()) chownSync(path, NOBODY, NOBODY)
}

/** Where these processes run: a folder that every user may enter, and only PATH from our environment. */
const NOWHERE = {
  cwd: '/',
  env: { PATH: process.env.PATH, LC_ALL: 'C', HOME: '/nonexistent' },
}

/** Runs a command to its end. */
export async function runAsUser(command: readonly string[], options = NOWHERE): Promise<void> {
  await promisify(execFile)('setpriv', asUser(command, 'KILL'), options)
}

/** Starts a server. @param log the file that gets its output @param deathSignal what it gets when this process ends */
export function startAsUser(
  command: readonly string[],
  log: string,
  { deathSignal = 'KILL', options = NOWHERE } = {},
): ChildProcess {
  const out = openSync(log, 'a')
  // Detached, so that Ctrl-C in the terminal reaches only the tests.
  const child = spawn('setpriv', asUser(command, deathSignal), {
    ...options,
    stdio: ['ignore', out, out],
    detached: true,
  })
  closeSync(out)
  child.unref()
  return child
}
