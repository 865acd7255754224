// What npm run verify is asked to check.
import type { Verifier } from '../../archive/log/note.ts'
import { readKey } from './key.ts'
import { readPlace } from './place.ts'
import { parseWords, UsageError } from './terminal.ts'

export const USAGE = `Checks an archive of transmissions: every manifest, every hash and size, the
chain of days, that each WAV decodes to its snapshot, and that there are no
other files. Prints one line a day.

  npm run verify -- [DIR or URL] [--json]

  DIR           the archive's folder; by default ARCHIVE_DIR, or transmissions
                in DATA_DIR
  URL           the address of a service, as in https://example.org (its
                BASE_URL, not one of its pages), or of an archive's folder
                behind a plain file server, or of an object store, as in
                s3://bucket/prefix, with its AWS_ variables
  --all         reads every medium of an object store; otherwise one whose ETag
                and size are as when its hash was proven is not read again, by a
                file in .cache of DATA_DIR that is safe to delete
  --quick       leaves the bytes of media unread; in a folder or a store their
                sizes are compared
  --key VKEY    holds the log's signature to this key, and to no other
  --since FILE  fails unless the log continues the checkpoint in this file
  --database    also checks the records and texts of the database of DATA_DIR
                or DATABASE_URL
  --proof FILE  checks one message instead: its proof, as of
                /messages/<id>.proof.json; with --message FILE its record,
                with --text FILE its text; goes with --key and --json
  --json        prints one JSON object: {"ok","days":[{"day","ok",
                "findings":[{"code","file","message"}]}],"findings"}
  --help        prints this

Exit: 0 everything is as it should be, 1 something is not, or there is no day
at all, 2 wrong usage.
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
  /** A folder or an address; null for the archive of the environment. */
  place: string | null
  /** Of the log, where they are to be these and no others. */
  keys: Verifier[] | undefined
  /** The file of a checkpoint that the log must continue. */
  since: string | undefined
  /** The files of one message, which is checked instead of the archive. */
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
    throw new UsageError(
      '--proof checks one message: --since, --database, --all and --quick do not',
    )
  if (all && quick) throw new UsageError('--all reads every medium, and --quick none')
  return {
    place: place === undefined ? null : readPlace(place),
    keys: key === undefined ? undefined : [readKey(key)],
    since,
    proof: proof === undefined ? null : { proof, message, text },
    ...switches,
  }
}
