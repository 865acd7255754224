// Verifies a receipt step by step, and finds out whether its promise was kept (FORMAT.md 23.4).
import { isArchiveError, naming, orElse } from '../base/errors.ts'
import { sha256Of } from '../format/hash.ts'
import {
  faultInManifest,
  isOfUnknownVersion,
  type Manifest,
  parseManifest,
} from '../format/manifest.ts'
import { isDaySelected } from '../format/mirror.ts'
import {
  CHECKPOINT_FILE,
  KEY_FILE,
  LOG_FILE,
  leavesKey,
  leavesName,
  manifestKey,
  manifestName,
  snapshotName,
} from '../format/paths.ts'
import { hasMessages } from '../format/snapshot.ts'
import { type Leaf, leavesByDay } from '../log/days.ts'
import { formatVkey, parseKeys, type Verifier } from '../log/note.ts'
import type { Policy } from '../log/policy.ts'
import { openReceipt, parseReceipt, type ReadReceipt } from '../log/receipt.ts'
import { rereading } from '../log/rereading.ts'
import { equal, leafHash } from '../log/tree.ts'
import { faultInLeaves } from '../log/upgrade.ts'
import type { Place } from '../place/place.ts'
import { openSignedLog, type SignedLog } from '../reading/signed-log.ts'
import { type ContentFiles, checkContent } from './content.ts'
import { readDayLeaves } from './leaves.ts'
import { readSelection } from './mirror-selection.ts'
import {
  broken,
  contentOf,
  type Done,
  demand,
  type End,
  type Judgement,
  keptSentence,
  lacking,
  Refuted,
  type Step,
  unsealed,
  untimely,
  withheld,
} from './receipt-verdict.ts'
import { demandedKeys } from './witnesses.ts'

export interface ReceiptFiles extends ContentFiles {
  /** One receipt, or two of one message. */
  receipts: readonly Uint8Array[]
}

export interface ReceiptOptions {
  /** Trusted keys; by default those in the archive's `key`. */
  keys?: readonly Verifier[] | undefined
  /** Its witnesses can show by their cosignatures that a deadline has passed; its keys of the log are trusted, too. */
  policy?: Policy | undefined
  /** The time of this computer [ms since 1970]. */
  now: number
  /** See LogOptions. */
  pauseMs?: number
  /** Called with each step as soon as it has ended; the last states the verdict. */
  onStep(step: Step): void
}

const LOG_FILES = [LOG_FILE, CHECKPOINT_FILE, KEY_FILE]

/** Judges a receipt by an archive. */
export async function verifyReceipt(
  place: Place,
  files: ReceiptFiles,
  options: ReceiptOptions,
): Promise<Judgement> {
  const end = await new Judge(place, options).judge(files).catch(refutedBy)
  const { message, ...judgement } = end
  const { verdict } = end
  options.onStep({ step: verdict, ok: verdict === 'kept', message })
  return judgement
}

/** The end after an error of the receipt, the content or the archive, which accuses nobody. @throws any other error */
function refutedBy(error: unknown): End {
  const isRefuted = error instanceof Refuted
  if (!isRefuted && !isArchiveError(error)) throw error
  const { message } = error
  const untold = `This archive does not tell what became of this message: ${message}.`
  const sentence = (isRefuted ? error.sentence : undefined) ?? untold
  return { verdict: 'refuted', sentence, evidence: [], message }
}

type OpenedReceipt = ReturnType<typeof openReceipt>

class Judge {
  readonly #place: Place
  readonly #options: ReceiptOptions
  readonly #done: Done = (step, message) => this.#options.onStep({ step, ok: true, message })

  constructor(place: Place, options: ReceiptOptions) {
    this.#place = place
    this.#options = options
  }

  async judge(files: ReceiptFiles): Promise<End> {
    const end = await this.#verdict(files)
    if (!end.evidence.includes(KEY_FILE)) return end
    const key = await this.#place.read(KEY_FILE)
    const hasNone = 'problem' in key && key.problem.code === 'missing'
    return hasNone ? { ...end, evidence: end.evidence.filter((file) => file !== KEY_FILE) } : end
  }

  async #verdict({ receipts, ...content }: ReceiptFiles): Promise<End> {
    const [first] = receipts
    if (!first) throw new Refuted('there is no receipt')
    const { origin } = receiptIn(() => parseReceipt(first))
    const demanded = demandedKeys(origin, this.#options.keys ?? null, this.#options.policy)
    const keys = demanded ?? (await this.#keysOfArchive())
    const [receipt, other] = receipts.map((note) => receiptIn(() => openReceipt(note, keys))) as [
      OpenedReceipt,
      OpenedReceipt?,
    ]
    const { message, leafData } = receipt
    const signers = receipt.verified.map(formatVkey).join(', ')
    const unchecked = demanded ? '' : '; the key itself was not checked'
    this.#done(
      'receipt',
      `of message ${message.id} on ${message.day}, signed by ${signers}${unchecked}`,
    )
    if (other && isContradiction(receipt, other))
      return broken(
        `two receipts of message ${message.id} are signed, and they differ`,
        'there are two receipts of this message, with different leaves',
        [KEY_FILE],
      )
    checkContent(content, leafData, this.#done)
    return untimely(message, this.#options.now) ?? this.#compare(receipt, keys)
  }

  /** Compares a receipt with the log. Reads both again before it reports what a run in progress could explain. */
  async #compare(receipt: ReadReceipt, keys: readonly Verifier[]): Promise<End> {
    const { day } = receipt.message
    const read = async () => {
      const log = await this.#signedLog(receipt.origin, keys)
      const leaves = log && leavesByDay(log.entries).get(day)
      return { log, leaves, manifest: leaves && (await this.#manifest(leaves)) }
    }
    const { log, leaves, manifest } = await rereading(
      read,
      (found) => !found.manifest || !('verdict' in found.manifest),
      this.#options.pauseMs,
    )
    if (!log) return unsealed(day, null, 'there is no log yet', this.#options)
    this.#done('log', `has the root of its signed checkpoint, at size ${log.head.size}`)
    if (!leaves || !manifest) return unsealed(day, log, `${day} is not in the log`, this.#options)
    if ('verdict' in manifest) return manifest
    this.#done('manifest', `${manifestName(day)} is leaf ${leaves.at(-1)?.index} of the log`)
    return this.#sealed(receipt, leaves, manifest)
  }

  async #keysOfArchive(): Promise<readonly Verifier[]> {
    const file = contentOf(await this.#place.read(KEY_FILE), KEY_FILE)
    return naming(KEY_FILE, () => parseKeys(file))
  }

  /** Reads the signed leaves of the log; null if there is no log yet. */
  async #signedLog(origin: string, keys: readonly Verifier[]): Promise<SignedLog | null> {
    const log = await openSignedLog(this.#place, () => keys)
    demand(
      log === null || log.head.origin === origin,
      `the log is ${log?.head.origin}; the receipt is of ${origin}`,
    )
    return log
  }

  /** Judges a receipt whose day has leaves in the log. @param bytes the manifest that the newest of them names */
  async #sealed(receipt: ReadReceipt, leaves: readonly Leaf[], bytes: Uint8Array): Promise<End> {
    const { day } = receipt.message
    const evidence = [...LOG_FILES, manifestKey(day)]
    const manifest = sealedManifest(day, leaves, bytes)
    if (typeof manifest === 'string')
      return broken(
        `${day} was sealed with a manifest that breaks the rules`,
        `${manifestName(day)}: ${manifest}`,
        evidence,
      )
    const { snapshot } = manifest
    const { records } = snapshot
    const isLeftOut = `${day} was sealed without this message`
    if (!hasMessages(records))
      return broken(isLeftOut, `${day} was sealed without messages`, evidence)
    const index = receipt.message.id - BigInt(records.first_message_id ?? 0)
    const ids = `${records.first_message_id} to ${records.last_message_id}`
    if (index < 0n || index >= BigInt(records.count))
      return broken(isLeftOut, `${day} was sealed with messages ${ids}, without this one`, evidence)
    this.#done('records', `${snapshotName(day)} states ${records.count} messages, ${ids}`)
    const found = await readDayLeaves(this.#place, day, records, index)
    if ('problem' in found) return lacking(day, leavesName(day), found)
    const line = `line ${index + 1n} of ${leavesName(day)}`
    const isKept = found.wanted && equal(found.wanted, leafHash(Buffer.from(receipt.leafData)))
    if (!isKept)
      return broken(
        `${day} was sealed with something else in place of this message`,
        `${line} is another leaf`,
        [...evidence, leavesKey(day)],
      )
    const sentence = keptSentence({
      day,
      place: index + 1n,
      count: BigInt(records.count),
      sealedAt: snapshot.generated_at,
      signer: receipt.origin,
    })
    return { verdict: 'kept', sentence, evidence: [], message: `its leaf is ${line}` }
  }

  /** Reads the manifest that is the newest leaf of a day. */
  async #manifest(leaves: readonly Leaf[]): Promise<Uint8Array | End> {
    const newest = leaves.at(-1) as Leaf
    const name = manifestName(newest.day)
    const { selection } = await readSelection(this.#place)
    demand(isDaySelected(selection, newest.day), `this mirror does not have ${newest.day}`)
    const file = await this.#place.read(manifestKey(newest.day))
    if ('problem' in file) return lacking(newest.day, name, file)
    if (sha256Of(file.content) !== newest.sha256)
      return withheld(
        newest.day,
        `${name}: is not the one in line ${newest.index + 1} of ${LOG_FILE}`,
      )
    return file.content
  }
}

/**
 * Parses a manifest that its day's newest leaf names.
 * @returns it, or the rule that it breaks, although the log states it
 * @throws ArchiveError if its version is not known
 */
function sealedManifest(
  day: string,
  leaves: readonly Leaf[],
  bytes: Uint8Array,
): Manifest | string {
  const parse = () => parseManifest(bytes)
  if (isOfUnknownVersion(bytes)) return naming(manifestName(day), parse)
  const manifest = orElse(parse, ({ message }) => message)
  if (typeof manifest === 'string') return manifest
  return faultInManifest(manifest, day) ?? faultInLeaves(manifest, leaves) ?? manifest
}

/** Reads a receipt. @throws Refuted if it is none, or no known key has signed it */
function receiptIn<T>(read: () => T): T {
  return orElse(read, ({ code, message }) => {
    const sentence = code === 'unknown_signer' ? UNKNOWN_SIGNER : NO_RECEIPT
    throw new Refuted(`the receipt: ${message}`, sentence)
  })
}

const UNKNOWN_SIGNER = 'The receipt is not signed by a known key of the log.'
const NO_RECEIPT = 'This is not a valid receipt.'

/** @throws Refuted if the receipts are of different messages */
function isContradiction(receipt: ReadReceipt, other: ReadReceipt): boolean {
  demand(
    receipt.message.id === other.message.id && receipt.origin === other.origin,
    'the receipts are of different messages',
    'The two receipts are of different messages.',
  )
  return receipt.leafData !== other.leafData
}
