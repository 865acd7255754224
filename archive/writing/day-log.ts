// Appends to the log of days and signs it. The next run finishes what a kill interrupted.
//
// Each step is durable before the next begins (WRITING.md 1.6):
//   1. manifest      writer.ts has published it.
//   2. log           `log` gets its leaf. After a kill here, the next run signs the leaf, as its manifest exists.
//   3. keeper        stores the signed checkpoint in the database, if that still has the one this run started from.
//   4. checkpoint    `checkpoint` is replaced. After a kill before this, the next run publishes the keeper's newer one.
import { mapInOrder } from '../base/concurrently.ts'
import { ArchiveError, caught, naming } from '../base/errors.ts'
import { sha256Of } from '../format/hash.ts'
import { type Manifest, manifestBytes } from '../format/manifest.ts'
import { CHECKPOINT_FILE, KEY_FILE, LOG_FILE } from '../format/paths.ts'
import { type Checkpoint, checkpointText, parseCheckpoint } from '../log/checkpoint.ts'
import { newestCheckpoint, RESTORE_FROM_MIRROR, type SignedCheckpoint } from '../log/continuity.ts'
import type { Cosigner } from '../log/cosignature.ts'
import { ownLines, unitedNote } from '../log/cosigned-note.ts'
import { dayLeaf, type LogEntry, logBytes, newestLeaves } from '../log/days.ts'
import {
  formatVkey,
  isSameKey,
  openNote,
  parseKeys,
  parseNote,
  type Signer,
  signNote,
  type Verifier,
  verifierOf,
} from '../log/note.ts'
import { rootOf } from '../log/tree.ts'
import { isUpgradeOf } from '../log/upgrade.ts'
import { readExisting, textOf, type WritablePlace } from '../place/place.ts'
import {
  type CheckpointKeeper,
  type FoundLog,
  findLog,
  findManifest,
  mayAppend,
  missingLeaf,
  notLogged,
} from './log-leaves.ts'

/** The manifests are small, but in a bucket each costs a request. */
const DAYS_AT_ONCE = 8

/** How often an append starts over after a concurrent update. More means that something else is wrong. */
const MAX_RESTARTS = 20

/** A day whose manifest cannot be logged, and why. */
export interface UnloggedDay {
  day: string
  error: ArchiveError
}

/** Another run has written `log` or the checkpoint meanwhile. */
class ConcurrentUpdate extends Error {}

/** A log that is continued. It writes only what it is told to append or to sign. */
export class DayLog {
  readonly #place: WritablePlace
  readonly #keeper: CheckpointKeeper
  /** Those that sign; fewer than `keys` if the witnesses need their lines. */
  readonly #signers: readonly Signer[]
  readonly #witnesses: readonly Cosigner[]
  /** The log's own keys, newest first. */
  readonly keys: readonly Verifier[]
  #known: FoundLog = { entries: null, published: null, kept: null, version: null }
  #entries: readonly LogEntry[] = []
  #signed: SignedCheckpoint | null = null

  /**
   * `adopt` or `reread` must follow.
   * @param signers the current key, then earlier ones
   * @param witnesses the keys of the witnesses that may sign the checkpoint, too
   */
  constructor(
    place: WritablePlace,
    keeper: CheckpointKeeper,
    signers: readonly Signer[],
    witnesses: readonly Cosigner[] = [],
  ) {
    this.#place = place
    this.#keeper = keeper
    this.#signers = signers.slice(0, ownLines(witnesses))
    this.#witnesses = witnesses
    this.keys = signers.map(({ name, privateKey }) => verifierOf(name, privateKey))
  }

  /**
   * Verifies a log as read, and continues from it. Writes nothing.
   * @throws ArchiveError `log_missing`, `log_rewritten`, `invalid_key`
   */
  async adopt(known: FoundLog): Promise<void> {
    const newest = newestCheckpoint(known, this.keys)
    this.#known = known
    this.#entries = known.entries ?? []
    // The other copy of the checkpoint may have further lines by witnesses.
    const copies = [known.kept, known.published].filter((note) => note !== null)
    this.#signed = newest && { ...newest, note: this.#unite([newest.note, ...copies]) }
    await this.#refuseForeignLeaves(newest?.size ?? 0)
  }

  #unite(notes: readonly string[]): string {
    return unitedNote(notes, { own: this.keys, witnesses: this.#witnesses })
  }

  /**
   * Adds lines by witnesses to the checkpoint, in the database first, unless the log has a newer one meanwhile.
   * @param note the checkpoint with the lines, which are left out if they do not verify
   */
  async cosign(note: string): Promise<void> {
    await this.#restarting(async () => {
      if (!this.#signed || textIn(this.#signed.note) !== textIn(note)) return
      this.#signed = { ...this.#signed, note: this.#unite([this.#signed.note, note]) }
      await this.#sign()
    })
  }

  /** Reads the log again, which another run may have continued. @throws as `adopt` */
  async reread(): Promise<void> {
    await this.adopt(await findLog(this.#place, this.#keeper))
  }

  /** Null before the first checkpoint. */
  get checkpoint(): SignedCheckpoint | null {
    return this.#signed
  }

  get entries(): readonly LogEntry[] {
    return this.#entries
  }

  /** The newest leaf of a day. */
  leafOf(day: string): LogEntry | undefined {
    return this.entries.findLast((entry) => entry.day === day)
  }

  /**
   * Checks the unsigned leaves that an interrupted run may have left: each must name its day's
   * published manifest, and that must be one that may be appended.
   * @throws ArchiveError `log_rewritten`
   */
  async #refuseForeignLeaves(signed: number): Promise<void> {
    const newest = new Map<string, LogEntry>()
    for (const [index, entry] of this.#entries.entries()) {
      const earlier = newest.get(entry.day)
      newest.set(entry.day, entry)
      if (index < signed) continue
      const found = await findManifest(this.#place, entry.day)
      if (found?.sha256 !== entry.sha256 || !mayAppend(earlier, found))
        throw new ArchiveError(
          'log_rewritten',
          `line ${index + 1} of ${LOG_FILE} was never signed, and no manifest in the archive matches it; ${RESTORE_FROM_MIRROR}`,
        )
    }
  }

  /**
   * Appends the leaves that these days lack, signs, and publishes the checkpoint, even if only to
   * finish what a killed run began.
   * @returns the days whose manifests cannot be logged, and why
   */
  append(days: readonly string[]): Promise<UnloggedDay[]> {
    return this.#restarting(() => this.#appendOnce(days))
  }

  /** Repeats work after a concurrent update, on the log as it is then. */
  async #restarting<T>(work: () => Promise<T>): Promise<T> {
    for (let restarts = 0; ; restarts++) {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof ConcurrentUpdate)) throw error
        if (restarts >= MAX_RESTARTS) throw new ArchiveError('log_rewritten', error.message)
      }
      // Read again, so that leaves which the other run has appended are not appended twice.
      await this.reread()
    }
  }

  async #appendOnce(days: readonly string[]): Promise<UnloggedDay[]> {
    const unlogged: UnloggedDay[] = []
    const added: LogEntry[] = []
    const newest = newestLeaves(this.#entries)
    const find = (day: string): Promise<LogEntry | UnloggedDay | null> =>
      missingLeaf(this.#place, day, newest.get(day)).catch(caught((error) => ({ day, error })))
    for await (const found of mapInOrder(days, DAYS_AT_ONCE, find)) {
      if (found && 'error' in found) unlogged.push(found)
      else if (found) added.push(found)
    }
    if (added.length > 0) await this.#write([...this.#entries, ...added])
    if (this.#entries.length > 0) await this.#sign()
    return unlogged
  }

  /** @throws ArchiveError `manifest_not_logged` when a logged day's manifest is neither its newest leaf nor an upgrade */
  async refuseChanged(day: string): Promise<void> {
    const newest = this.leafOf(day)
    if (newest) await missingLeaf(this.#place, day, newest)
  }

  /** Like `refuseChanged`, for a manifest that is not published yet. @throws ArchiveError `manifest_not_logged` */
  refuseOther(manifest: Manifest): void {
    const { day } = manifest
    const newest = this.leafOf(day)
    if (!newest || newest.sha256 === sha256Of(manifestBytes(manifest))) return
    if (!isUpgradeOf(manifest, newest.sha256)) throw notLogged(day)
  }

  /** @throws ConcurrentUpdate */
  async #write(entries: LogEntry[]): Promise<void> {
    const bytes = logBytes(entries)
    const version = await this.#place.replace(LOG_FILE, bytes, this.#known.version)
    if (version === null) throw new ConcurrentUpdate('another run has written the log meanwhile')
    this.#entries = entries
    this.#known = { ...this.#known, entries, version }
  }

  /** Signs the log unless all keys already have, stores and publishes the checkpoint. @throws ConcurrentUpdate */
  async #sign(): Promise<void> {
    await this.publishKeys()
    const note = this.#isSigned() ? (this.#signed as SignedCheckpoint).note : this.#newNote()
    if (note !== this.#known.kept) {
      if (!(await this.#keeper.replace(this.#known.kept, note)))
        throw new ConcurrentUpdate('another run has signed the log meanwhile')
      this.#known = { ...this.#known, kept: note }
    }
    if (note !== this.#known.published) await this.#publish(note)
    this.#known = { ...this.#known, published: note }
    this.#signed = { ...parseCheckpoint(Buffer.from(note)), note }
  }

  /** Publishes the checkpoint, unless another run has published one meanwhile. @throws ConcurrentUpdate */
  async #publish(note: string): Promise<void> {
    const present = await readExisting(this.#place, CHECKPOINT_FILE, 'invalid_checkpoint')
    const version = present?.version ?? null
    const isOther = present && textOf(present) !== this.#known.published
    const replace = () => this.#place.replace(CHECKPOINT_FILE, Buffer.from(note), version)
    if (isOther || (await replace()) === null)
      throw new ConcurrentUpdate('another run has published a checkpoint meanwhile')
  }

  #isSigned(): boolean {
    if (this.#signed?.size !== this.#entries.length) return false
    const { verified } = openNote(Buffer.from(this.#signed.note), this.keys)
    const signing = this.keys.slice(0, this.#signers.length)
    return signing.every((key) => verified.some((other) => isSameKey(key, other)))
  }

  #newNote(): string {
    const head: Checkpoint = {
      origin: (this.#signers[0] as Signer).name,
      size: this.#entries.length,
      root: rootOf(this.#entries.map(dayLeaf)),
    }
    const note = signNote(checkpointText(head), this.#signers)
    const signed = this.#signed?.note
    return signed && textIn(signed) === textIn(note) ? this.#unite([signed, note]) : note
  }

  /** Writes `key`: the current key, then those that it names already, then other earlier ones. */
  async publishKeys(): Promise<void> {
    const present = await readExisting(this.#place, KEY_FILE, 'invalid_key')
    const [newest, ...older] = this.keys.map(formatVkey)
    const named = present ? naming(KEY_FILE, () => parseKeys(present.content)).map(formatVkey) : []
    const text = [...new Set([newest, ...named, ...older])].map((vkey) => `${vkey}\n`).join('')
    if (!present || textOf(present) !== text) await this.#place.put(KEY_FILE, Buffer.from(text))
  }
}

function textIn(note: string): string {
  return parseNote(Buffer.from(note)).text
}
