// Parses the command line of npm run snapshot.
import { parseWords, UsageError } from '../../archive/base/terminal.ts'
import { DAY_PATTERN } from '../../archive/format/calendar.ts'
import { isBucketUrl } from '../../archive/place/location.ts'
import { demandDays } from './days.ts'
import { readLocation } from './location.ts'

export const USAGE = `Archives the days that are missing, up to yesterday (UTC).

  npm run snapshot                       all missing days since the first record
  npm run snapshot -- --day 2026-11-19   one day, after the missing days before
                                         it whose messages have receipts
  npm run snapshot -- --from D --to D    a range of days, inclusive
  npm run snapshot -- --repair           restores missing or damaged files of
                                         archived days and of the log; with
                                         --day, or --from and --to, of those
                                         days only
  npm run snapshot -- --repair --from PLACE
                                         first takes missing or damaged files
                                         from another archive of the same days,
                                         a folder or an address; with --day
                                         those of that day only
  npm run snapshot -- --newest-first     takes all missing snapshots first, then
                                         renders and seals the newest first; not
                                         once the log has a day, for days whose
                                         messages have receipts
  npm run snapshot -- --static           also writes index.html, for a plain
                                         file server
  npm run snapshot -- --rekey            from now on signs the log with a new
                                         key, and with the earlier ones
  npm run snapshot -- --witness          only asks the witnesses that have not
                                         signed the newest checkpoint

  --json   prints {"days":[{"day","status","message"?}]}; the status is
           published, present, repaired or failed
  --help   prints this

Exit: 0 success, 1 a day failed, or a witness knows another log, 2 usage error,
75 another pipeline is running.
`

const OPTIONS = {
  day: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  repair: { type: 'boolean' },
  'newest-first': { type: 'boolean' },
  rekey: { type: 'boolean' },
  witness: { type: 'boolean' },
  static: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

export interface Arguments {
  /** The first and last day; null for all missing days, or with `repair` all archived ones. */
  range: { from: string; to: string } | null
  repair: boolean
  /** The location of another archive to restore files from, or null. */
  copy: string | null
  /** Fix all snapshots first, then publish the newest day first. */
  newestFirst: boolean
  /** Replace the signing key. */
  rekey: boolean
  /** Only ask the witnesses. */
  witness: boolean
  /** Create `index.html`, for plain file servers. */
  indexPage: boolean
  json: boolean
  help: boolean
}

/** @throws UsageError with one line */
export function parseArguments(args: string[]): Arguments {
  const { values, words } = parseWords(args, OPTIONS)
  const { repair = false, rekey = false, witness = false, static: indexPage = false } = values
  const { json = false, help = false, 'newest-first': newestFirst = false } = values
  const switches = { repair, newestFirst, rekey, witness, indexPage, json, help }
  if (help) return { range: null, copy: null, ...switches }
  if (words[0] !== undefined) throw new UsageError(`${JSON.stringify(words[0])} is not an option`)
  const { json: _json, witness: _witness, ...others } = values
  if (witness && Object.keys(others).length > 0)
    throw new UsageError('--witness can only be combined with --json')
  if (repair && newestFirst) throw new UsageError('--newest-first cannot be combined with --repair')
  const copy = repair && values.from !== undefined && !isDayLike(values.from) ? values.from : null
  if (copy === null) return { range: requestedRange(values), copy, ...switches }
  const { from: _, ...range } = values
  if (range.to !== undefined) throw new UsageError('--to needs a first day')
  return { range: requestedRange(range), copy: readCopy(copy), ...switches }
}

/** Parses the location of another archive to restore files from. */
function readCopy(text: string): string {
  const location = readLocation(text)
  if (isBucketUrl(location))
    throw new UsageError(
      `${location}: files are taken from a folder or over http; copy the store to a folder first`,
    )
  return location
}

/** Whether a value is meant as a day, so that an invalid date is not taken for a folder. */
function isDayLike(text: string): boolean {
  return new RegExp(DAY_PATTERN).test(text)
}

function requestedRange(values: { day?: string; from?: string; to?: string }): Arguments['range'] {
  const { day, from, to } = values
  if (day !== undefined && (from !== undefined || to !== undefined))
    throw new UsageError('--day cannot be combined with --from or --to')
  if ((from === undefined) !== (to === undefined))
    throw new UsageError('--from and --to go together')
  demandDays({ day, from, to })
  if (day !== undefined) return { from: day, to: day }
  return from === undefined || to === undefined ? null : { from, to }
}
