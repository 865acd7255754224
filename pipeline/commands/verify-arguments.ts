// The command line of npm run verify.
import { parseBaseAddress } from '../../archive/base/base-address.ts'
import { programLine, type Values } from '../../archive/base/command-line.ts'
import { UsageError } from '../../archive/base/terminal.ts'
import { parseVkey } from '../../archive/log/note.ts'
import { readPolicyFile } from '../../archive/log/policy-file.ts'
import { FRESH, readLocation } from './values.ts'

const OPTIONS = {
  quick: {
    heading: [
      'For everybody.',
      'Is it whole? A run checks every manifest, hash and size, the leaves of messages and the chain of days, that each WAV decodes to its snapshot, and that there are no other files:',
    ],
    help: 'does not read media files; in a folder or a store it compares their sizes',
  },
  receipt: {
    heading: ['Is my message in it? This checks one message instead of the archive:'],
    takes: 'FILE',
    isRepeated: true,
    help: 'says in one sentence what became of the message of a receipt, which is /messages/<id>.receipt of a service; given twice, whether two receipts of one message contradict each other',
  },
  text: { takes: 'FILE', help: 'compares the text of the message with the receipt' },
  message: { takes: 'FILE', help: 'compares the record of the message with the receipt' },
  fresh: {
    heading: [
      'For the careful, who do not rely on what the archive says about itself.',
      'Is it fresh, and only longer than before?',
    ],
    ...FRESH,
  },
  since: {
    takes: 'FILE',
    help: 'fails unless the log continues the checkpoint in this file',
  },
  update: {
    help: 'after a good run, replaces the file of --since by the checkpoint of this run, or creates it',
  },
  key: {
    heading: ['Is it the same for others?'],
    takes: 'VKEY',
    read: parseVkey,
    help: "accepts the log's signature only by this key",
  },
  peer: {
    takes: 'URL',
    isRepeated: true,
    read: parseBaseAddress,
    help: 'fails unless the archive at URL, such as a mirror, has the same log; may be repeated',
  },
  policy: {
    takes: 'FILE',
    read: readPolicyFile,
    help: 'demands the signatures of this policy (c2sp.org/tlog-policy): of one of its logs, if it names any, and of a quorum of witnesses',
  },
  evidence: {
    takes: 'DIR',
    help: 'keeps in this folder the files that prove that a log has two faces, or that the promise of a receipt was broken',
  },
  json: {
    help: 'prints one JSON object: {"ok","days":[{"day","ok", "findings":[{"code","file","message"}]}],"findings"}, or {"ok","verdict","sentence","evidence","steps"} of a receipt',
  },
} as const

export const VERIFY = programLine({
  name: 'verify',
  summary: 'Verifies an archive of transmissions and prints one line for each day.',
  words: [
    {
      name: 'DIR or URL',
      isOptional: true,
      help: "DIR is the archive's folder; by default ARCHIVE_DIR, or transmissions in DATA_DIR. URL is the address of a service, such as https://example.org (its BASE_URL, not one of its pages); of an archive's folder behind a plain file server; or of an object store, such as s3://bucket/prefix, with its AWS_ variables",
    },
  ],
  options: OPTIONS,
  closing: [
    'Exit: 0 everything is intact, 1 something is not or there is no day at all, 2 usage error, 75 the question cannot be answered yet: the day of a receipt is not sealed and not known to be overdue, or only a quorum of witnesses is missing, and there is time left for it.',
  ],
  prepare([location], options) {
    refuseCombinations(options)
    const { key, receipt: receipts, message, text, peer: peers, ...rest } = options
    return {
      /** A folder or an address; null for the archive that the environment configures. */
      location: location === undefined ? null : readLocation(location),
      /** The only keys that may sign the log; undefined to use those of the archive. */
      keys: key === undefined ? undefined : [key],
      /** Receipts to judge instead of checking the archive: one, or two of one message. */
      receipt: receipts.length === 0 ? null : { receipts, message, text },
      peers,
      ...rest,
    }
  },
})

export type Arguments = ReturnType<typeof VERIFY.prepare>

export type ReceiptArguments = NonNullable<Arguments['receipt']>

/** @throws UsageError for options that do not go together, or not without another one */
function refuseCombinations(options: Values<typeof OPTIONS>): void {
  const { message, text, since, fresh, quick, update, evidence } = options
  const hasReceipt = options.receipt.length > 0
  const hasPeer = options.peer.length > 0
  if (options.receipt.length > 2)
    throw new UsageError('--receipt: name one receipt, or two of one message')
  if (!hasReceipt && (message !== undefined || text !== undefined))
    throw new UsageError('--message and --text go with --receipt')
  const isWhole = since !== undefined || fresh !== undefined || hasPeer
  if (hasReceipt && (isWhole || quick))
    throw new UsageError('--receipt cannot be combined with --since, --fresh, --peer or --quick')
  if (update && since === undefined) throw new UsageError('--update goes with --since')
  if (evidence !== undefined && !hasPeer && !hasReceipt)
    throw new UsageError('--evidence goes with --peer or --receipt')
}
