// npm run operator: reviews, moderation, modes, reports, and moving records, next to a running server (COMMANDS.md 6).
import { stringifyJson } from '../../archive/base/json.ts'
import { progressBar } from '../../archive/base/progress-bar.ts'
import { EXIT_FAILED, runCommand, type Terminal } from '../../archive/base/terminal.ts'
import { loadDotEnv } from '../data/environment.ts'
import { system } from '../system/system.ts'
import type { Context } from './command.ts'
import { parseRequest } from './parse.ts'

/**
 * Runs one command.
 * @returns the exit code: 0 done, 1 not done
 * @throws UsageError
 */
export async function operate(
  args: string[],
  context: Context,
  { stdout, stderr }: Pick<Terminal, 'stdout' | 'stderr'>,
): Promise<number> {
  const request = parseRequest(args)
  if ('help' in request) {
    stdout.write(request.help)
    return 0
  }
  const output = await request.action(context).finally(() => context.progress.clear())
  stdout.write(`${request.json ? stringifyJson(output.json) : output.text}\n`)
  if (output.failedCheck === undefined) return 0
  stderr.write(`operator: ${output.failedCheck}\n`)
  return EXIT_FAILED
}

const run = (args: string[], terminal: Terminal): Promise<number> =>
  operate(
    args,
    {
      env: terminal.environment(),
      clock: system.clock,
      progress: progressBar(terminal.stderr, system.clock),
      random: Math.random,
    },
    terminal,
  )

if (import.meta.main)
  await runCommand({ name: 'operator', run }, () => {
    loadDotEnv()
    return process.env
  })
