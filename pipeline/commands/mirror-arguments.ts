// Parses the command line of npm run mirror.
import { demandValues, parseWords, UsageError } from '../../archive/base/terminal.ts'
import { MEDIA_KINDS, type MediaKind } from '../../archive/format/media.ts'
import type { Selection } from '../../archive/format/mirror.ts'
import type { Verifier } from '../../archive/log/note.ts'
import type { Policy } from '../../archive/log/policy.ts'
import { demandDays } from './days.ts'
import { readAddress } from './location.ts'
import { readHours, readKey, readPeers, readPolicy } from './trust-arguments.ts'

export const USAGE = `Creates and updates a mirror: a folder that is an archive of the same format.
Existing files are not fetched again; the next run resumes an interrupted one. A
rewritten history is not followed.

  npm run mirror -- URL DIR [options]

  URL           the address of a service, such as https://example.org (its
                BASE_URL, not one of its pages), or of an archive's folder
  DIR           the mirror's folder, empty or created by this command
  --media LIST  the media files to fetch: some of ${MEDIA_KINDS.join(',')}, or none; by
                default those of the mirror, or all for a new one
  --from DAY    the first day, such as 2026-11-19
  --to DAY      the last day
  --key VKEY    the key that must have signed the log, in this run and in later
                ones; by default the keys that the mirror has stored
  --policy FILE does not follow the log without the signatures of this policy
                (c2sp.org/tlog-policy): of one of its logs, which count as
                --key, and of a quorum of witnesses
  --fresh N     fails if the newest day ended more than N hours ago
  --peer URL    does not follow the log unless the archive at URL, such as
                another mirror, has the same one; may be repeated
  --records     also keeps the words of each day and the record of moderation,
                in this run and in later ones; what the source hides is removed
  --jobs N      the number of days fetched at a time, 1 to 16; by default 4
  --json        prints one JSON object: {"ok","source","days","updated",
                "bytes","words","findings":[{"code","file","message"}]}
  --help        prints this

A mirror stores its selection of days and files; later runs use it, or extend it
with --media, --from, --to and --records.
Exit: 0 complete, 1 something is wrong or missing, 2 usage error, 75 another
process is updating the folder, or only a quorum of witnesses is missing, and
there is time left for it.
`

const OPTIONS = {
  media: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  key: { type: 'string' },
  policy: { type: 'string' },
  fresh: { type: 'string' },
  peer: { type: 'string', multiple: true },
  records: { type: 'boolean' },
  jobs: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

const DEFAULT_JOBS = 4
const MAX_JOBS = 16

export interface Arguments {
  /** An address without trailing slash. */
  source: string
  /** The mirror's folder. */
  dir: string
  selection: Partial<Selection>
  /** The keys that must have signed the log; null for those that the mirror knows. */
  keys: Verifier[] | null
  /** The keys, witnesses and quorum that the caller trusts. */
  policy: Policy | undefined
  /** The most that may have passed since the newest day ended [h]. */
  fresh: number | undefined
  /** The addresses of other copies of the log. */
  peers: string[]
  /** The number of days fetched at a time. */
  jobs: number
  json: boolean
}

/**
 * @returns null for --help
 * @throws UsageError with one line
 */
export function parseArguments(args: string[]): Arguments | null {
  const { values, words } = parseWords(args, OPTIONS)
  if (values.help) return null
  demandValues(values)
  const [source, dir, ...others] = words
  if (source === undefined || dir === undefined || dir === '' || others.length > 0)
    throw new UsageError('name an address and a folder')
  return {
    source: readAddress(source),
    dir,
    selection: readSelection(values),
    keys: values.key === undefined ? null : [readKey(values.key)],
    policy: readPolicy(values.policy),
    fresh: readHours(values.fresh),
    peers: readPeers(values.peer),
    jobs: readJobs(values.jobs),
    json: values.json === true,
  }
}

function readSelection({
  media,
  from,
  to,
  records,
}: {
  media?: string
  from?: string
  to?: string
  records?: boolean
}): Partial<Selection> {
  demandDays({ from, to })
  return {
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(media !== undefined && { media: readMedia(media) }),
    ...(records === true && { records }),
  }
}

function readMedia(list: string): MediaKind[] {
  const names = list === 'none' ? [] : list.split(',')
  const kinds = MEDIA_KINDS.filter((kind) => names.includes(kind))
  if (kinds.length !== names.length)
    throw new UsageError(`--media: must be some of ${MEDIA_KINDS.join(',')}, or none`)
  return kinds
}

function readJobs(text = String(DEFAULT_JOBS)): number {
  const jobs = Number(text)
  if (!/^[1-9][0-9]?$/.test(text) || jobs > MAX_JOBS)
    throw new UsageError(`--jobs: must be a whole number from 1 to ${MAX_JOBS}`)
  return jobs
}
