// The command line of npm run snapshot.
import { programLine, type Values } from '../../archive/base/command-line.ts'
import { lineOf, UsageError } from '../../archive/base/terminal.ts'
import { DAY_PATTERN } from '../../archive/format/calendar.ts'
import { demandOrder, readDay, readLocation } from './values.ts'

const OPTIONS = {
  day: {
    takes: 'DAY',
    read: readDay,
    help: 'one day, such as 2026-11-19, after the missing days before it whose messages have receipts',
  },
  from: {
    takes: 'DAY or PLACE',
    help: 'with --to, a range of days, inclusive; with --repair also a PLACE: first takes missing or damaged files from another archive of the same days, a folder, an address or s3://BUCKET/PREFIX, with --day those of that day only',
  },
  to: { takes: 'DAY', read: readDay, help: 'the last day of a range' },
  repair: {
    help: 'restores missing or damaged files of archived days and of the log; with --day, or --from and --to, of those days only',
  },
  'newest-first': {
    help: 'takes all missing snapshots first, then renders and seals the newest first; not once the log has a day, for days whose messages have receipts',
  },
  static: { help: 'also writes index.html, for a plain file server' },
  rekey: { help: 'from now on signs the log with a new key, and with the earlier ones' },
  witness: { help: 'only asks the witnesses that have not signed the newest checkpoint' },
  json: {
    help: 'prints {"days":[{"day","status","message"?}]}; the status is published, present, repaired, waiting or failed',
  },
} as const

export const SNAPSHOT = programLine({
  name: 'snapshot',
  summary:
    'Archives the days that are missing, up to yesterday (UTC): all since the first day of the board, unless an option names some.',
  words: [],
  options: OPTIONS,
  closing: [
    'Exit: 0 success, 1 a day failed, or a witness knows another log, 2 usage error, 75 another pipeline is running.',
  ],
  prepare(_, options) {
    const { day, from, to, repair, rekey, witness, static: indexPage, json } = options
    const { 'newest-first': newestFirst } = options
    const others = [day, from, to].some((value) => value !== undefined)
    if (witness && (others || repair || newestFirst || rekey || indexPage))
      throw new UsageError('--witness can only be combined with --json')
    if (repair && newestFirst)
      throw new UsageError('--newest-first cannot be combined with --repair')
    const copy = repair && from !== undefined && !isDayLike(from) ? from : null
    if (copy !== null && to !== undefined) throw new UsageError('--to needs a first day')
    return {
      /** The first and last day; null for all missing days, or with `repair` all archived ones. */
      range: requestedRange(copy === null ? options : { ...options, from: undefined }),
      /** The location of another archive to restore files from. */
      copy: copy === null ? null : readLocation(copy),
      ...{ repair, newestFirst, rekey, witness, indexPage, json },
    }
  },
})

export type Arguments = ReturnType<typeof SNAPSHOT.prepare>

/** Whether a value is meant as a day, so that an invalid date is not taken for a folder. */
function isDayLike(text: string): boolean {
  return new RegExp(DAY_PATTERN).test(text)
}

/** Parses the value of --from, which need not be a day. @throws UsageError with one line */
function readFirst(text: string): string {
  try {
    return readDay(text)
  } catch (error) {
    throw new UsageError(`--from: ${lineOf(error)}`)
  }
}

function requestedRange({ day, from, to }: Values<typeof OPTIONS>) {
  if (day !== undefined && (from !== undefined || to !== undefined))
    throw new UsageError('--day cannot be combined with --from or --to')
  if ((from === undefined) !== (to === undefined))
    throw new UsageError('--from and --to go together')
  if (day !== undefined) return { from: day, to: day }
  if (from === undefined || to === undefined) return null
  const range = { from: readFirst(from), to }
  demandOrder(range.from, to)
  return range
}
