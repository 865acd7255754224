// Parses the command line of npm run verify.
import { isAddress } from '../../archive/base/base-address.ts'
import { demandValues, parseWords, UsageError } from '../../archive/base/terminal.ts'
import type { Verifier } from '../../archive/log/note.ts'
import type { Policy } from '../../archive/log/policy.ts'
import { readLocation } from './location.ts'
import { readHours, readKey, readPeers, readPolicy } from './trust-arguments.ts'

export const USAGE = `Verifies an archive of transmissions and prints one line for each day.

  npm run verify -- [DIR or URL] [options]

  DIR           the archive's folder; by default ARCHIVE_DIR, or transmissions
                in DATA_DIR
  URL           the address of a service, such as https://example.org (its
                BASE_URL, not one of its pages); of an archive's folder behind
                a plain file server; or of an object store, such as
                s3://bucket/prefix, with its AWS_ variables

Is it whole? Every manifest, every hash and size, the leaves of messages, the
chain of days, that each WAV decodes to its snapshot, and no other files:
  --quick       does not read media files; in a folder or a store it compares
                their sizes
  --database    also checks the records and texts in the database of DATA_DIR
                or DATABASE_URL against the archive; not over HTTP

Is it fresh, and only longer than before?
  --fresh N     fails if the newest day ended more than N hours ago
  --since FILE  fails unless the log continues the checkpoint in this file
  --update      after a good run, replaces the file of --since by the checkpoint
                of this run, or creates it

Is it the same for others?
  --key VKEY    accepts the log's signature only by this key
  --peer URL    fails unless the archive at URL, such as a mirror, has the same
                log; may be repeated
  --policy FILE demands the signatures of this policy (c2sp.org/tlog-policy): of
                one of its logs, if it names any, and of a quorum of witnesses
  --evidence DIR
                keeps in this folder what shows that a log has two faces, or
                that the promise of a receipt was broken

Is my message in it? This checks one message instead of the archive:
  --receipt FILE
                judges a receipt, which is /messages/<id>.receipt of a service:
                whether the message is among those of its day; given twice,
                whether two receipts of one message contradict each other
  --message FILE, --text FILE
                compares the message's record, or its text, with the receipt

  --json        prints one JSON object: {"ok","days":[{"day","ok",
                "findings":[{"code","file","message"}]}],"findings"}, or
                {"ok","verdict","evidence","steps"} of a receipt
  --help        prints this

Exit: 0 everything is intact, 1 something is not or there is no day at all, 2
usage error, 75 the question cannot be answered yet: the day of a receipt is not
sealed and not known to be overdue, or only a quorum of witnesses is missing,
and there is time left for it.
`

const OPTIONS = {
  quick: { type: 'boolean' },
  key: { type: 'string' },
  since: { type: 'string' },
  update: { type: 'boolean' },
  fresh: { type: 'string' },
  policy: { type: 'string' },
  peer: { type: 'string', multiple: true },
  evidence: { type: 'string' },
  database: { type: 'boolean' },
  receipt: { type: 'string', multiple: true },
  message: { type: 'string' },
  text: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

export interface Arguments {
  /** A folder or an address; null for the archive that the environment configures. */
  location: string | null
  /** The only keys that may sign the log; undefined to use those of the archive. */
  keys: Verifier[] | undefined
  /** The file of a checkpoint that the log must continue. */
  since: string | undefined
  /** Whether a good run replaces that file by its checkpoint. */
  update: boolean
  /** The most that may have passed since the newest day ended [h]. */
  fresh: number | undefined
  /** The keys, witnesses and quorum that the reader trusts. */
  policy: Policy | undefined
  /** The addresses of other copies of the log. */
  peers: string[]
  /** The folder for evidence of a log with two faces. */
  evidence: string | undefined
  /** Receipts to judge instead of checking the archive. */
  receipt: ReceiptArguments | null
  quick: boolean
  database: boolean
  json: boolean
  help: boolean
}

/** The paths of the files of a message. */
export interface ReceiptArguments {
  /** One, or two of one message. */
  receipts: string[]
  message: string | undefined
  text: string | undefined
}

/** Parses the values of --receipt; null without any. @throws UsageError with one line */
function readReceipts(files: string[] = []): string[] | null {
  if (files.length > 2) throw new UsageError('--receipt: name one receipt, or two of one message')
  if (files.length === 2 && files[0] === files[1])
    throw new UsageError(`--receipt: ${files[0]} is given twice`)
  return files.length === 0 ? null : files
}

/** @throws UsageError with one line */
export function parseArguments(args: string[]): Arguments {
  const { values, words } = parseWords(args, OPTIONS)
  const { quick = false, database = false, json = false, help = false } = values
  const { key, since, message, text, update = false, evidence } = values
  const switches = { quick, database, update, json, help }
  const nothing = {
    location: null,
    keys: undefined,
    fresh: undefined,
    policy: undefined,
    peers: [],
  }
  if (help) return { ...nothing, since, evidence, receipt: null, ...switches }
  demandValues(values)
  if (words.length > 1) throw new UsageError('name one folder or address at a time')
  const [location] = words
  const receipts = readReceipts(values.receipt)
  const [fresh, peers] = [readHours(values.fresh), readPeers(values.peer)]
  refuseCombinations(values)
  if (database && location !== undefined && isAddress(location))
    throw new UsageError('--database needs the archive in a folder or an object store')
  return {
    location: location === undefined ? null : readLocation(location),
    keys: key === undefined ? undefined : [readKey(key)],
    since,
    fresh,
    policy: readPolicy(values.policy),
    peers,
    evidence,
    receipt: receipts && { receipts, message, text },
    ...switches,
  }
}

type Values = ReturnType<typeof parseWords<typeof OPTIONS>>['values']

/** @throws UsageError for options that do not go together, or not without another one */
function refuseCombinations(values: Values): void {
  const { receipt, message, text, since, fresh, peer, database, quick } = values
  const { update, evidence } = values
  if (!receipt && (message !== undefined || text !== undefined))
    throw new UsageError('--message and --text go with --receipt')
  const isWhole = since !== undefined || fresh !== undefined || peer !== undefined
  if (receipt && (isWhole || database || quick))
    throw new UsageError(
      '--receipt cannot be combined with --since, --fresh, --peer, --database or --quick',
    )
  if (update && since === undefined) throw new UsageError('--update goes with --since')
  if (evidence !== undefined && !peer && !receipt)
    throw new UsageError('--evidence goes with --peer or --receipt')
}
