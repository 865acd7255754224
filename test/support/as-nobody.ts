// Servers that tests start as an ordinary user, and that end with this process.
import { execFile } from 'node:child_process'
import { chownSync } from 'node:fs'
import { promisify } from 'node:util'

/** They refuse root, and want a user that the system knows: this is nobody. */
const NOBODY = 65534

const isRoot = (): boolean => process.getuid?.() === 0

/** What runs a command as an ordinary user, and not longer than this process lives. */
export const asUser = (atOurDeath: string): string[] => [
  'setpriv',
  ...(isRoot() ? [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : []),
  `--pdeathsig=${atOurDeath}`,
  '--',
]

/** Makes a file or folder theirs. */
export function giveAway(path: string): void {
  if (isRoot()) chownSync(path, NOBODY, NOBODY)
}

/** A folder that anybody may be in, and nothing of our environment but the PATH. */
export const HOME = { cwd: '/', env: { PATH: process.env.PATH, LC_ALL: 'C', HOME: '/nonexistent' } }

export async function runAsUser(...command: string[]): Promise<void> {
  const [setpriv, ...args] = [...asUser('KILL'), ...command] as [string, ...string[]]
  await promisify(execFile)(setpriv, args, HOME)
}
