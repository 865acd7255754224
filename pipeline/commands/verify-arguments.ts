// Parses the command line of npm run verify.
import { isAddress } from '../../archive/base/base-address.ts'
import { parseWords, UsageError } from '../../archive/base/terminal.ts'
import type { Verifier } from '../../archive/log/note.ts'
import { readKey } from './key.ts'
import { readPlace } from './place.ts'

export const USAGE = `Verifies an archive of transmissions: every manifest, every hash and size, the
chain of days, that each WAV decodes to its snapshot, and that there are no
other files. Prints one line for each day.

  npm run verify -- [DIR or URL] [--json]

  DIR           the archive's folder; by default ARCHIVE_DIR, or transmissions
                in DATA_DIR
  URL           the address of a service, such as https://example.org (its
                BASE_URL, not one of its pages); of an archive's folder behind
                a plain file server; or of an object store, such as
                s3://bucket/prefix, with its AWS_ variables
  --all         reads every media file of an object store; without it, files
                whose ETag and size have not changed since they were verified
                are skipped, using a file in .cache of DATA_DIR that is safe to
                delete
  --quick       does not read media files; in a folder or a store it compares
                their sizes
  --key VKEY    accepts the log's signature only by this key
  --since FILE  fails unless the log continues the checkpoint in this file
  --database    also checks the records and texts in the database of DATA_DIR
                or DATABASE_URL against the archive; not over HTTP
  --proof FILE  checks one message instead, by its proof, which is
                /messages/<id>.proof.json of a service; with --message FILE also
                its record, with --text FILE its text; may be used with --key
                and --json
  --json        prints one JSON object: {"ok","days":[{"day","ok",
                "findings":[{"code","file","message"}]}],"findings"}
  --help        prints this

Exit: 0 everything is intact, 1 something is not or there is no day at all, 2
usage error.
`

const OPTIONS = {
  all: { type: 'boolean' },
  quick: { type: 'boolean' },
  key: { type: 'string' },
  since: { type: 'string' },
  database: { type: 'boolean' },
  proof: { type: 'string' },
  message: { type: 'string' },
  text: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

export interface Arguments {
  /** A folder or an address; null for the archive that the environment configures. */
  place: string | null
  /** The only keys that may sign the log; undefined to use those of the archive. */
  keys: Verifier[] | undefined
  /** The file of a checkpoint that the log must continue. */
  since: string | undefined
  /** The files of a message to check instead of the archive. */
  proof: ProofArguments | null
  all: boolean
  quick: boolean
  database: boolean
  json: boolean
  help: boolean
}

/** Paths of files. */
export interface ProofArguments {
  proof: string
  message: string | undefined
  text: string | undefined
}

/** @throws UsageError with one line */
export function parseArguments(args: string[]): Arguments {
  const { values, words } = parseWords(args, OPTIONS)
  const { all = false, quick = false, database = false, json = false, help = false } = values
  const { key, since, proof, message, text } = values
  const switches = { all, quick, database, json, help }
  if (help) return { place: null, keys: undefined, since, proof: null, ...switches }
  if (words.length > 1) throw new UsageError('name one folder or address at a time')
  const [place] = words
  if (proof === undefined && (message !== undefined || text !== undefined))
    throw new UsageError('--message and --text go with --proof')
  if (proof !== undefined && (since !== undefined || database || all || quick))
    throw new UsageError('--proof cannot be combined with --since, --database, --all or --quick')
  if (all && quick) throw new UsageError('--all cannot be combined with --quick')
  if (database && place !== undefined && isAddress(place))
    throw new UsageError('--database needs the archive in a folder or an object store')
  return {
    place: place === undefined ? null : readPlace(place),
    keys: key === undefined ? undefined : [readKey(key)],
    since,
    proof: proof === undefined ? null : { proof, message, text },
    ...switches,
  }
}
