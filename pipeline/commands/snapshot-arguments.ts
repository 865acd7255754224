// What npm run snapshot is asked to do.
import { DAY_PATTERN } from '../../archive/format/paths.ts'
import { isStoreUrl } from '../../archive/place/location.ts'
import { demandDays } from './days.ts'
import { readPlace } from './place.ts'
import { parseWords, UsageError } from './terminal.ts'

export const USAGE = `Makes the daily snapshots that are missing, up to yesterday (UTC).

  npm run snapshot                       all missing days since the first record
  npm run snapshot -- --day 2026-11-19   one day
  npm run snapshot -- --from D --to D    a range of days, both included
  npm run snapshot -- --repair           restores missing or damaged files of
                                         archived days and of the log; with
                                         --day, or --from and --to, of those
                                         days only
  npm run snapshot -- --repair --from PLACE
                                         first takes what is missing or damaged
                                         from another archive of the same days:
                                         a folder, or an address; with --day of
                                         that only
  npm run snapshot -- --newest-first     takes all missing snapshots first, then
                                         makes the days from the newest on
  npm run snapshot -- --static           also writes index.html, for a server of
                                         plain files
  npm run snapshot -- --rekey            signs the log with a new key from now
                                         on, and with the earlier ones

  --json   prints {"days":[{"day","status","message"?}]}; the status is
           published, present, repaired or failed
  --help   prints this

Exit: 0 all is well, 1 a day failed, 2 wrong usage, 75 another pipeline runs.
`

const OPTIONS = {
  day: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  repair: { type: 'boolean' },
  'newest-first': { type: 'boolean' },
  rekey: { type: 'boolean' },
  static: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

export interface Arguments {
  /** The first and the last day; null: all that are missing, or with repair all that are archived. */
  range: { from: string; to: string } | null
  repair: boolean
  /** Another archive, from which a repair takes what it lacks; null without one. */
  copy: string | null
  /** Make the newest day first, once the snapshots of all are fixed. */
  newestFirst: boolean
  /** Sign with a new key. */
  rekey: boolean
  /** Write the page for a plain file server. */
  indexPage: boolean
  json: boolean
  help: boolean
}

/** @throws UsageError with one line */
export function parseArguments(args: string[]): Arguments {
  const { values, words } = parseWords(args, OPTIONS)
  const { repair = false, rekey = false, static: indexPage = false } = values
  const { json = false, help = false, 'newest-first': newestFirst = false } = values
  const switches = { repair, newestFirst, rekey, indexPage, json, help }
  if (help) return { range: null, copy: null, ...switches }
  if (words[0] !== undefined) throw new UsageError(`${JSON.stringify(words[0])} is no option`)
  if (repair && newestFirst) throw new UsageError('--newest-first does not go with --repair')
  const copy = repair && values.from !== undefined && !isDayLike(values.from) ? values.from : null
  if (copy === null) return { range: requestedRange(values), copy, ...switches }
  const { from: _, ...range } = values
  if (range.to !== undefined) throw new UsageError('--to goes with a first day')
  return { range: requestedRange(range), copy: readCopy(copy), ...switches }
}

/** Another archive to take files from. */
function readCopy(text: string): string {
  const place = readPlace(text)
  if (isStoreUrl(place))
    throw new UsageError(
      `${place}: files are taken from a folder or over http; copy the store to a folder first`,
    )
  return place
}

/** What was meant as a day, so that a wrong one is not taken for a folder. */
function isDayLike(text: string): boolean {
  return new RegExp(DAY_PATTERN).test(text)
}

function requestedRange(values: { day?: string; from?: string; to?: string }): Arguments['range'] {
  const { day, from, to } = values
  if (day !== undefined && (from !== undefined || to !== undefined))
    throw new UsageError('--day goes with neither --from nor --to')
  if ((from === undefined) !== (to === undefined))
    throw new UsageError('--from and --to go together')
  demandDays({ day, from, to })
  if (day !== undefined) return { from: day, to: day }
  return from === undefined || to === undefined ? null : { from, to }
}
