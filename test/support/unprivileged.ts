// Runs programs for tests as an unprivileged user, and ends them with this process.
import { execFile } from 'node:child_process'
import { chownSync } from 'node:fs'
import { promisify } from 'node:util'

/** The user `nobody`: PostgreSQL and Ceph refuse to run as root, and need a user that exists. */
const NOBODY = 65534

const isRoot = (): boolean => process.getuid?.() === 0

/**
 * Returns the start of a command line that runs a command as an unprivileged user.
 * @param deathSignal what the command gets when this process ends, such as KILL
 */
export const asUser = (deathSignal: string): string[] => [
  'setpriv',
  ...(isRoot() ? [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : []),
  `--pdeathsig=${deathSignal}`,
  '--',
]

/** Gives a file or folder to that user. */
export function chownToUser(path: string): void {
  if (isRoot()) chownSync(path, NOBODY, NOBODY)
}

/** Options for these processes: a folder that every user may enter, and only PATH from our environment. */
export const SPAWN_OPTIONS = {
  cwd: '/',
  env: { PATH: process.env.PATH, LC_ALL: 'C', HOME: '/nonexistent' },
}

export async function runAsUser(...command: string[]): Promise<void> {
  const [setpriv, ...args] = [...asUser('KILL'), ...command] as [string, ...string[]]
  await promisify(execFile)(setpriv, args, SPAWN_OPTIONS)
}
