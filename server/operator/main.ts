// npm run operator: reviews, moderation, modes, reports, and moving records, next to a running server (API.md 10.5).
import { styleText } from 'node:util'
import { stringifyJson } from '../../archive/format/json.ts'
import { openReaderAt } from '../../archive/reader.ts'
import {
  EXIT_FAILED,
  EXIT_USAGE,
  lineOf,
  type ProgressBar,
  progressBar,
  runCommand,
  UsageError,
} from '../../pipeline/commands/terminal.ts'
import { readConfig } from '../config.ts'
import { openStore, type Store } from '../store/database.ts'
import { type Env, loadDotEnv, nameOfDatabase, readDataConfig } from '../store/location.ts'
import { type Clock, system } from '../system.ts'
import { erase, feature, mode, moderation, type Output, review } from './actions.ts'
import { acceptClock } from './clock-accept.ts'
import { repairClock } from './clock-repair.ts'
import { type Command, parseRequest } from './command.ts'
import { backUp, exportRecords } from './export.ts'
import { importRecords, verifyExport } from './import.ts'
import { log } from './log.ts'
import { status } from './status.ts'
import { USAGE } from './usage.ts'

/** The parts of its process that a command uses. */
export interface Context {
  env: Env
  clock: Clock
  /** Styles the heading of a table. */
  heading(line: string): string
  /** Shows the progress of long work. */
  progress: ProgressBar
  out(text: string): void
  err(text: string): void
}

/** Runs one command. @returns the exit code: 0 done, 1 not done, 2 usage error */
export async function operate(argv: string[], context: Context): Promise<number> {
  try {
    const request = parseRequest(argv)
    if (request === null) {
      context.out(USAGE)
      return 0
    }
    const { command, json } = request
    const output = await run(command, context)
    context.out(`${json ? stringifyJson(output.json) : output.text}\n`)
    if (output.failedCheck === undefined) return 0
    context.err(`operator: ${output.failedCheck}\n`)
    return EXIT_FAILED
  } catch (error) {
    context.progress.clear()
    const isUsage = error instanceof UsageError
    context.err(`operator: ${lineOf(error)}${isUsage ? '; see --help' : ''}\n`)
    return isUsage ? EXIT_USAGE : EXIT_FAILED
  }
}

function run(command: Command, context: Context): Promise<Output> {
  if (command.name === 'import') return runImport(command, context)
  const onlyReads = READERS.includes(command.name)
  return withStore(context, { create: false, onlyReads }, (store) => runOn(store, command, context))
}

/** The commands that also work on a read-only file system. */
const READERS: readonly Command['name'][] = ['log', 'status', 'export', 'backup']

async function withStore<T>(
  { env, clock }: Context,
  options: Omit<Parameters<typeof openStore>[1], 'clock' | 'dataDir'>,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const { database, dataDir } = readDataConfig(env)
  const store = await openStore(database, { clock, dataDir, ...options })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Verifies the export first, because this is the only command that creates a database. */
async function runImport(
  { file }: Extract<Command, { name: 'import' }>,
  context: Context,
): Promise<Output> {
  const { env, progress } = context
  const name = nameOfDatabase(readDataConfig(env).database)
  const verified = await verifyExport(file, progress)
  return withStore(context, { create: true, forImport: true }, (store) =>
    importRecords(store, verified, { name, progress }),
  )
}

async function runOn(
  store: Store,
  command: Exclude<Command, { name: 'import' }>,
  context: Context,
): Promise<Output> {
  const { heading, progress } = context
  const { now } = context.clock
  switch (command.name) {
    case 'review':
      return review(store, command, context.clock)
    case 'hide':
    case 'show':
      return moderation(store, command, now)
    case 'erase':
      return erase(store, command, now)
    case 'mode':
      return mode(store, command, now)
    case 'feature':
      return feature(store, command, now)
    case 'clock':
      return command.act === 'accept'
        ? acceptClock(store, command, context.clock, heading)
        : repair(store, command, context)
    case 'log':
      return log(store, command, heading)
    case 'status':
      return reportStatus(store, command, context)
    case 'export':
      return exportRecords(store, command.file, progress)
    case 'backup':
      return backUp(store, command.file)
  }
}

async function repair(
  store: Store,
  command: Extract<Command, { name: 'clock' }>,
  { env, clock }: Context,
): Promise<Output> {
  const config = readDataConfig(env)
  const reader = await openReaderAt(config.archive, Math.random)
  return repairClock(store, command, { ...config, reader, clock })
}

async function reportStatus(
  store: Store,
  command: Extract<Command, { name: 'status' }>,
  { env, clock, heading }: Context,
): Promise<Output> {
  const { forcedModes, archive } = readConfig(env)
  const reader = await openReaderAt(archive, Math.random)
  return status(store, command, { forcedModes, archive: reader }, clock, heading)
}

if (import.meta.main)
  await runCommand('operator', (args) => {
    loadDotEnv()
    return operate(args, {
      env: process.env,
      clock: system.clock,
      heading: (line) => styleText('bold', line, { stream: process.stdout }),
      progress: progressBar(process.stderr, system.clock),
      out: (text) => process.stdout.write(text),
      err: (text) => process.stderr.write(text),
    })
  })
