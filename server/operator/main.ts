// npm run operator: reviews, moderation and switches, beside a running server (decisions.md section 10).
import { styleText } from 'node:util'
import { EXIT_FAILED, EXIT_USAGE, lineOf, UsageError } from '../../pipeline/commands/terminal.ts'
import { readConfig } from '../config.ts'
import { openStore, type Store } from '../store/database.ts'
import { loadDotEnv, readDataConfig } from '../store/location.ts'
import { stringifyJson } from '../wire/json.ts'
import { feature, hide, mode, type Output, review, show } from './actions.ts'
import { log, status } from './reports.ts'
import { type Arguments, parseArguments, USAGE } from './usage.ts'

export interface Surroundings {
  env: Record<string, string | undefined>
  /** Wall time, ms since 1970. */
  now(): number
  /** Sets off the heading of a table. */
  heading(line: string): string
  out(text: string): void
  err(text: string): void
}

/** Runs one command. @returns the exit code: 0 done, 1 not done, 2 wrong usage */
export async function operate(argv: string[], around: Surroundings): Promise<number> {
  try {
    const args = parseArguments(argv)
    if (args === null) {
      around.out(USAGE)
      return 0
    }
    const output = await withStore(around, (store) => run(store, args, around))
    around.out(`${args.json ? stringifyJson(output.json) : output.text}\n`)
    return 0
  } catch (error) {
    around.err(`operator: ${lineOf(error)}\n`)
    return error instanceof UsageError ? EXIT_USAGE : EXIT_FAILED
  }
}

async function withStore<T>({ env }: Surroundings, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(readDataConfig(env).database, { create: false })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

const ACTS = { review, hide, show, mode, feature }

function run(store: Store, args: Arguments, around: Surroundings): Promise<Output> {
  const { command } = args
  if (command === 'log') return log(store, args, around.heading)
  if (command !== 'status') return ACTS[command](store, args, around.now)
  return status(store, readConfig(around.env).forcedModes, around.now(), around.heading)
}

if (import.meta.main) {
  loadDotEnv()
  process.exitCode = await operate(process.argv.slice(2), {
    env: process.env,
    now: Date.now,
    heading: (line) => styleText('bold', line, { stream: process.stdout }),
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  })
}
