// What a command of `npm run operator` consists of. Each is defined in a file of commands/ and listed in parse.ts.
import { z } from 'zod'
import {
  accept,
  type CommandLine,
  type Given,
  type OptionRules,
} from '../../archive/base/command-line.ts'
import type { ProgressBar } from '../../archive/base/progress-bar.ts'
import type { Env } from '../data/environment.ts'
import { readDataConfig } from '../data/location.ts'
import type { Database } from '../database/database.ts'
import { openDatabase } from '../database/open.ts'
import type { Clock } from '../system/system.ts'
import { readShape } from '../wire/shape.ts'
import { reason } from '../wire/text.ts'

/** The output of a command: JSON with `--json`, text otherwise. */
export interface CommandResult {
  json: unknown
  text: string
  /** The reason why a check failed; the exit code is then 1. */
  failedCheck?: string
}

export interface Context {
  env: Env
  clock: Clock
  progress: ProgressBar
  /** Returns a number from 0 to 1, for the pauses between the tries of a request. */
  random(): number
}

/** A command whose arguments have been validated. */
export type Action = (context: Context) => Promise<CommandResult>

export interface Command {
  name: string
  /** What the command does, by its forms with their arguments, one a line. */
  help: Readonly<Record<string, string>>
  options: OptionRules
  /**
   * Validates the arguments, before the database is opened.
   * @throws UsageError, or Problem for a value that breaks a rule
   */
  accept(words: string[], given: Given): Action
}

/** Defines a command; the types of its options follow from their rules. */
export const defineCommand = <const Rules extends OptionRules>(
  command: CommandLine<Rules, Action> & Pick<Command, 'help'>,
): Command => ({
  name: command.name,
  help: command.help,
  options: command.options,
  accept: (words, given) => accept(command, words, given),
})

const onDatabase =
  (onlyReads: boolean) =>
  (work: (database: Database, context: Context) => Promise<CommandResult>): Action =>
  (context) =>
    withDatabase(context, { create: false, onlyReads }, (database) => work(database, context))

export const writing = onDatabase(false)
/** An action that also works on a read-only file system. */
export const reading = onDatabase(true)

/** Opens the database of the environment for `work`. */
export async function withDatabase<T>(
  { env, clock }: Context,
  options: Omit<Parameters<typeof openDatabase>[1], 'clock' | 'dataDir'>,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const { database: address, dataDir } = readDataConfig(env)
  const database = await openDatabase(address, { clock, dataDir, ...options })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** The option of commands that act. */
export const REASON = { reason: { takes: 'R', isRequired: true } } as const

const input = z.strictObject({ reason })

/** @throws Problem for a reason that breaks a rule */
export const readReason = (given: string): string => readShape(input, { reason: given }).reason
