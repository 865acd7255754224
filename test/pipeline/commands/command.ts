// Runs npm run snapshot as a real process.
import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Ended, endOf, startNode } from '../../support/programs.ts'

export const CLI = fileURLToPath(new URL('../../../pipeline/commands/snapshot.ts', import.meta.url))

/** Starts the command in a folder, from which it reads .env. Its environment is PATH and `env`. */
export function startCommand(
  args: string[],
  cwd: string,
  env: Record<string, string>,
): { child: ChildProcess; ended: Promise<Ended> } {
  const child = startNode([CLI, ...args], { cwd, env })
  return { child, ended: endOf(child) }
}

export const runCommand = (args: string[], cwd: string, env: Record<string, string> = {}) =>
  startCommand(args, cwd, env).ended
