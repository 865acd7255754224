// npm run operator: reviews, moderation, modes, reports, and moving records, next to a running server (API.md 10.5).
import { styleText } from 'node:util'
import { stringifyJson } from '../../archive/base/json.ts'
import { progressBar } from '../../archive/base/progress-bar.ts'
import {
  EXIT_FAILED,
  EXIT_USAGE,
  lineOf,
  runCommand,
  SettingError,
  UsageError,
} from '../../archive/base/terminal.ts'
import { loadDotEnv } from '../data/location.ts'
import { system } from '../system.ts'
import type { Context } from './command.ts'
import { HELP, parseRequest } from './parse.ts'

/** Where a command prints its output and its errors. */
export interface Printer {
  out(text: string): void
  err(text: string): void
}

/** Runs one command. @returns the exit code: 0 done, 1 not done, 2 usage error */
export async function operate(argv: string[], context: Context & Printer): Promise<number> {
  try {
    const request = parseRequest(argv)
    if (request === null) {
      context.out(HELP)
      return 0
    }
    const output = await request.action(context)
    context.out(`${request.json ? stringifyJson(output.json) : output.text}\n`)
    if (output.failedCheck === undefined) return 0
    context.err(`operator: ${output.failedCheck}\n`)
    return EXIT_FAILED
  } catch (error) {
    context.progress.clear()
    const isUsage = error instanceof UsageError
    context.err(`operator: ${lineOf(error)}${isUsage ? '; see --help' : ''}\n`)
    return isUsage || error instanceof SettingError ? EXIT_USAGE : EXIT_FAILED
  }
}

async function run(args: string[]): Promise<number> {
  loadDotEnv()
  return operate(args, {
    env: process.env,
    clock: system.clock,
    heading: (line) => styleText('bold', line, { stream: process.stdout }),
    progress: progressBar(process.stderr, system.clock),
    random: Math.random,
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  })
}

if (import.meta.main) await runCommand({ name: 'operator', run })
