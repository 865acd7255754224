// Runs the operator's command in tests, on a service's data while the service runs.
import type { Terminal } from '../../archive/base/terminal.ts'
import { operate } from '../../server/operator/main.ts'
import { type Clock, system } from '../../server/system/system.ts'
import { executeHere } from '../pipeline/commands/in-process.ts'
import { dataEnvironment } from './database.ts'
import { ROOT } from './imports.ts'
import { runNode } from './programs.ts'
import type { TestService } from './service.ts'

export interface Operated {
  code: number
  out: string
  err: string
}

/** Runs one command in this process, by default with the clock of the service. */
export async function operator(
  service: Pick<TestService, 'dataDir'> & Partial<Pick<TestService, 'clock'>>,
  args: string[],
  options: { env?: Record<string, string>; clock?: Clock } = {},
): Promise<Operated> {
  const { env = {}, clock = service.clock ?? system.clock } = options
  const context = {
    env: { ...dataEnvironment(service.dataDir), ...env },
    clock,
    progress: { show() {}, clear() {} },
    random: () => 0,
  }
  const run = (words: string[], terminal: Terminal) => operate(words, context, terminal)
  const { status, out, error } = await executeHere({ name: 'operator', run }, args)
  return { code: status, out: String(out), err: error }
}

/** Runs one command in a child process, from the project's root. */
export async function operatorProcess(
  { dataDir }: Pick<TestService, 'dataDir'>,
  args: string[],
): Promise<Operated> {
  const options = { cwd: ROOT, env: dataEnvironment(dataDir) }
  const { status, stdout, stderr } = await runNode(['server/operator/main.ts', ...args], options)
  return { code: status ?? 0, out: stdout, err: stderr }
}

/** Runs a command that must succeed. @returns its output */
export async function operated(service: TestService, ...args: string[]): Promise<string> {
  const { code, out, err } = await operator(service, args)
  if (code !== 0) throw new Error(`operator ${args.join(' ')}: ${err}`)
  return out
}

/** Runs an action that must succeed, as in `hide message 5` or `mode read-only`, with a reason. @returns its output */
export const act = (service: TestService, ...words: (string | bigint)[]): Promise<string> =>
  operated(service, ...words.map(String), '--reason', 'a test')
