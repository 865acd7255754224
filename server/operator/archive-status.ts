// The part of the status report about the archive: its days, their signed log and its witnesses.
import { isArchiveError } from '../../archive/base/errors.ts'
import { headedTable, visible } from '../../archive/base/terminal-text.ts'
import { dayOf, previousDay } from '../../archive/format/calendar.ts'
import type { WitnessPolicy } from '../../archive/log/policy-file.ts'
import { witnessSummary } from '../../archive/log/witnessed.ts'
import type { ArchiveReader } from '../../archive/reading/reader.ts'
import type { Claim, RunFailure } from '../database/settings/settings.ts'
import { instant } from '../wire/instant.ts'
import { toSeconds } from './clocks/status.ts'

type DaysState = Awaited<ReturnType<typeof stateOfArchive>>['days']

/** Whether yesterday is before the first day of the board, so that it is not made (COMMANDS.md 2.2). */
const isBeforeBoard = ({ first, yesterday }: DaysState): boolean =>
  first === null || yesterday < first

/** Returns the state of the days and of the log, and the problem if the archive cannot be read. */
export async function stateOfArchive(
  archive: ArchiveReader,
  {
    beginning,
    now,
    witnessPolicy,
  }: { beginning: number | null; now: number; witnessPolicy: WitnessPolicy | null },
) {
  /** The first day of the board; null before its first heartbeat and record. */
  const first = beginning === null ? null : dayOf(beginning)
  const yesterday = previousDay(dayOf(now))
  try {
    const days = await archive.days()
    const newest = days.at(-1) ?? null
    return {
      problem: null,
      days: { first, newest, yesterday, yesterday_sealed: days.includes(yesterday) },
      log: await signedLog(archive, witnessPolicy, now),
    }
  } catch (error) {
    if (!isArchiveError(error, 'archive_unavailable')) throw error
    const days = { first, newest: null, yesterday, yesterday_sealed: null }
    return { problem: error.message, days, log: null }
  }
}

/** Why `--check` fails; null if yesterday is archived, or before the first day. */
export function missingDay(days: DaysState, problem: string | null): string | null {
  if (problem !== null) return `the archive cannot be read: ${problem}`
  return days.yesterday_sealed || isBeforeBoard(days) ? null : `${days.yesterday} has not been made`
}

/** @param loss the messages that were found to be lost last */
export function daysTable(
  days: DaysState,
  problem: string | null,
  failure: RunFailure | null,
  loss: { at: string; target: string } | null,
): string {
  const { first, newest, yesterday, yesterday_sealed } = days
  const missing = isBeforeBoard(days) ? 'before the first day' : 'not made'
  const rows = [
    ...(problem
      ? [['archive', `cannot be read: ${problem}`]]
      : [
          ['first', first ?? 'none'],
          ['newest', newest ?? 'none'],
          ['yesterday', `${yesterday}, ${yesterday_sealed ? 'sealed' : missing}`],
        ]),
    ['last failure', failure ? toSeconds(instant(failure.at)) : 'none'],
    ...(loss ? [['lost', `${loss.target}, found ${toSeconds(loss.at)}`]] : []),
  ]
  const shown = headedTable([['days', ''], ...rows])
  return failure ? `${shown}\n  ${failure.day ? `${failure.day}: ` : ''}${failure.message}` : shown
}

/**
 * Returns the signed log, with its newest key and how many witnesses have signed it, or what is wrong with one that is damaged,
 * or that none of its keys has signed; null if there is none yet.
 * @throws ArchiveError `archive_unavailable`
 */
async function signedLog(archive: ArchiveReader, policy: WitnessPolicy | null, now: number) {
  const log = await archive.log().catch((error) => {
    if (!isArchiveError(error) || error.code === 'archive_unavailable') throw error
    return { problem: error.message }
  })
  if (!log || 'problem' in log) return log
  const { origin, size, root } = log.head
  const witnesses = witnessSummary(log, policy, now)
  const head = { origin, size, root: Buffer.from(root).toString('hex') }
  return { ...head, key: log.keys[0] ?? '', witnesses }
}

export function claimOf({ name, at, message, fork }: Claim) {
  return { witness: name, at: instant(at), message, checkpoint: fork }
}

/** States what a witness claims, and whether it has shown a checkpoint that a key of the log has signed. */
export function claimLine({ name, at, message, fork }: Claim): string {
  const shown =
    fork === null ? '' : ', and shows a signed checkpoint that the log does not continue'
  return `Witness ${visible(name)} claims to know another log, since ${toSeconds(instant(at))}: it ${visible(message)}${shown}.`
}

export function logTable(log: object | null, keys: string | null): string {
  if (!log)
    return `The archive has no log of days${keys ? `; its name is ${keys.split('+')[0]}` : ''}.`
  const rows = Object.entries(log).map(([name, value]) => [name, String(value ?? 'none asked')])
  return headedTable([['log', ''], ...rows])
}
