// Appends to the log of days and signs it; the next run finishes what a kill interrupted.
//
// Each step is durable before the next begins (FORMAT.md 17.5):
//   1. the manifest   seal.ts has published it.
//   2. `log`          gets its leaf. Killed here: the leaf is of a manifest that is there, and is signed next time.
//   3. the keeper     gets the signed checkpoint, if it still keeps the one that this run began with.
//   4. `checkpoint`   is replaced. Killed before: the kept checkpoint is the newer one, and is published.
//   5. proofs         are written for the new leaves. One that is missing is written by the next run.
import { ArchiveError, naming } from '../errors.ts'
import { sha256Of } from '../format/hash.ts'
import { type Manifest, manifestBytes } from '../format/manifest.ts'
import { CHECKPOINT_FILE, KEY_FILE, LOG_FILE } from '../format/paths.ts'
import { type Checkpoint, checkpointText, parseCheckpoint } from '../log/checkpoint.ts'
import { newestCheckpoint, type SignedCheckpoint } from '../log/continuity.ts'
import { dayLeaf, type LogEntry, logBytes, newestLeaves } from '../log/days.ts'
import {
  formatVkey,
  isSameKey,
  openNote,
  parseKeys,
  type Signer,
  signNote,
  type Verifier,
  verifierOf,
} from '../log/note.ts'
import { rootOf } from '../log/tree.ts'
import { isUpgradeOf } from '../log/upgrade.ts'
import { type Place, textOf } from '../place/place.ts'
import { type CheckpointKeeper, type FoundLog, findLog } from './found-log.ts'
import { KnownFiles } from './known-files.ts'
import { findManifest, leafDue, mayFollow, notLogged } from './leaves.ts'
import { writeProofs } from './proofs.ts'

/** After so many others have been quicker, something is wrong. */
const MAX_OVERTAKEN = 20

/** A day whose manifest cannot be signed. */
export interface UnloggedDay {
  day: string
  error: ArchiveError
}

/**
 * Opens the log for appending. Writes nothing yet.
 * @param known as `findLog` has found it
 * @param signers the present key, then earlier ones
 * @throws ArchiveError `log_missing`, `log_rewritten`, `invalid_key`
 */
export async function openLog(
  place: Place,
  keeper: CheckpointKeeper,
  known: FoundLog,
  signers: readonly Signer[],
): Promise<DayLog> {
  const log = new DayLog(place, keeper, known, signers)
  await log.adopt(known)
  return log
}

/** Another run has written `log` or the checkpoint meanwhile. */
class Overtaken extends Error {}

export class DayLog {
  readonly #place: Place
  readonly #keeper: CheckpointKeeper
  readonly #signers: readonly Signer[]
  readonly #keys: readonly Verifier[]
  #known: FoundLog
  #entries: readonly LogEntry[] = []
  #signed: SignedCheckpoint | null = null

  constructor(place: Place, keeper: CheckpointKeeper, known: FoundLog, signers: readonly Signer[]) {
    this.#place = place
    this.#keeper = keeper
    this.#signers = signers
    this.#keys = signers.map(({ name, privateKey }) => verifierOf(name, privateKey))
    this.#known = known
  }

  /**
   * Goes on from a log as it was found.
   * @throws ArchiveError `log_missing`, `log_rewritten`
   */
  async adopt(known: FoundLog): Promise<void> {
    const newest = newestCheckpoint(known, this.#keys)
    this.#known = known
    this.#entries = known.entries ?? []
    this.#signed = newest
    await this.#refuseForeignLeaves(newest?.size ?? 0)
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
   * Checks the leaves that were never signed, as an interrupted run leaves them: each must be of the
   * manifest that is there, and one that may be appended.
   * @throws ArchiveError `log_rewritten`
   */
  async #refuseForeignLeaves(signed: number): Promise<void> {
    const newest = new Map<string, LogEntry>()
    for (const [index, entry] of this.#entries.entries()) {
      const earlier = newest.get(entry.day)
      newest.set(entry.day, entry)
      if (index < signed) continue
      const found = await findManifest(this.#place, entry.day)
      if (found?.sha256 !== entry.sha256 || !(await mayFollow(this.#place, earlier, found)))
        throw new ArchiveError(
          'log_rewritten',
          `line ${index + 1} of ${LOG_FILE} was never signed, and is not of a manifest that is here`,
        )
    }
  }

  /**
   * Appends what these days lack, signs, and publishes the checkpoint: also one that a killed run
   * did not come to publish.
   * @returns the days whose manifests are not signed, and why
   */
  async append(days: readonly string[]): Promise<UnloggedDay[]> {
    for (let overtaken = 0; ; overtaken++) {
      try {
        return await this.#appendOnce(days)
      } catch (error) {
        if (!(error instanceof Overtaken)) throw error
        if (overtaken >= MAX_OVERTAKEN) throw new ArchiveError('log_rewritten', error.message)
      }
      // The leaves that the other run has added are not added again.
      await this.adopt(await findLog(this.#place, this.#keeper))
    }
  }

  async #appendOnce(days: readonly string[]): Promise<UnloggedDay[]> {
    const refused: UnloggedDay[] = []
    const added: LogEntry[] = []
    const newest = newestLeaves(this.#entries)
    for (const day of days) {
      try {
        const entry = await leafDue(this.#place, day, newest.get(day))
        if (entry) added.push(entry)
      } catch (error) {
        if (!(error instanceof ArchiveError)) throw error
        refused.push({ day, error })
      }
    }
    if (added.length > 0) await this.#write([...this.#entries, ...added])
    if (this.#entries.length > 0) await this.#sign()
    return refused
  }

  /** @throws ArchiveError `manifest_not_logged` when a day has leaves, and its manifest may not get one */
  async refuseChanged(day: string): Promise<void> {
    const newest = this.leafOf(day)
    if (newest) await leafDue(this.#place, day, newest)
  }

  /** @throws ArchiveError `manifest_not_logged` when a day has leaves, and this manifest of it may not get one */
  refuseOther(manifest: Manifest): void {
    const { day } = manifest
    const newest = this.leafOf(day)
    if (!newest || newest.sha256 === sha256Of(manifestBytes(manifest))) return
    if (!isUpgradeOf(manifest, newest.sha256)) throw notLogged(day)
  }

  /** As proofs.ts does, for what is signed. */
  writeProofs(known = KnownFiles.none): Promise<string[]> {
    return writeProofs(this.#place, this, known)
  }

  /** @throws Overtaken */
  async #write(entries: LogEntry[]): Promise<void> {
    const bytes = logBytes(entries)
    const version = await this.#place.replace(LOG_FILE, bytes, this.#known.version)
    if (version === null) throw new Overtaken('another run has written the log meanwhile')
    this.#entries = entries
    this.#known = { ...this.#known, entries, version }
  }

  /** Signs what is not signed by the present key yet, keeps it, publishes it. @throws Overtaken */
  async #sign(): Promise<void> {
    await this.#writeKeys()
    const note = this.#isSigned() ? (this.#signed as SignedCheckpoint).note : this.#newNote()
    if (note !== this.#known.kept) {
      if (!(await this.#keeper.replace(this.#known.kept, note)))
        throw new Overtaken('another run has signed the log meanwhile')
      this.#known = { ...this.#known, kept: note }
    }
    if (note !== this.#known.published) await this.#publish(note)
    this.#known = { ...this.#known, published: note }
    this.#signed = { ...parseCheckpoint(Buffer.from(note)), note }
  }

  /** A newer checkpoint of another run stays. @throws Overtaken */
  async #publish(note: string): Promise<void> {
    const present = await this.#place.get(CHECKPOINT_FILE)
    if (present && textOf(present) !== this.#known.published)
      throw new Overtaken('another run has published a checkpoint meanwhile')
    const version = present?.version ?? null
    if ((await this.#place.replace(CHECKPOINT_FILE, Buffer.from(note), version)) === null)
      throw new Overtaken('another run has published a checkpoint meanwhile')
  }

  #isSigned(): boolean {
    if (this.#signed?.size !== this.#entries.length) return false
    const { verified } = openNote(Buffer.from(this.#signed.note), this.#keys)
    return this.#keys.every((key) => verified.some((other) => isSameKey(key, other)))
  }

  #newNote(): string {
    const head: Checkpoint = {
      origin: (this.#signers[0] as Signer).name,
      size: this.#entries.length,
      root: rootOf(this.#entries.map(dayLeaf)),
    }
    return signNote(checkpointText(head), this.#signers)
  }

  /** The present key first, then those that `key` names already, then other earlier ones. */
  async #writeKeys(): Promise<void> {
    const present = await this.#place.get(KEY_FILE)
    const [newest, ...older] = this.#keys.map(formatVkey)
    const named = present ? naming(KEY_FILE, () => parseKeys(present.content)).map(formatVkey) : []
    const text = [...new Set([newest, ...named, ...older])].map((vkey) => `${vkey}\n`).join('')
    if (!present || textOf(present) !== text) await this.#place.put(KEY_FILE, Buffer.from(text))
  }
}
