// Remembers the ETags with which a source sent the records of days, so that unchanged ones need not be sent again.
import { runningSha256 } from '../format/hash.ts'
import { RECORDS_STATE_FILE, recordsKey } from '../format/paths.ts'
import { isStrongTag } from '../http/strong-tag.ts'
import type { FolderPlace } from '../place/folder.ts'
import { readUsable, textOf, update } from '../place/place.ts'

/** An answer that has become a day's file. */
interface Known {
  etag: string
  /** SHA-256 of the file in hex: an ETag of another file is worth nothing, as after a kill. */
  sha256: string
}

export class KnownRecords {
  readonly #mirror: FolderPlace
  readonly #days: Map<string, Known>

  private constructor(mirror: FolderPlace, days: Map<string, Known>) {
    this.#mirror = mirror
    this.#days = days
  }

  /** A damaged file counts as empty. */
  static async read(mirror: FolderPlace): Promise<KnownRecords> {
    const file = await readUsable(mirror, RECORDS_STATE_FILE)
    return new KnownRecords(mirror, new Map(file ? entriesIn(textOf(file)) : []))
  }

  /** The ETag of the day's file; null if the file is not the one that came with it. */
  async etagOf(day: string): Promise<string | null> {
    const known = this.#days.get(day)
    const state = known && (await this.#mirror.stat(recordsKey(day)))
    if (!known || !state?.bytes) return null
    const chunks = await this.#mirror.open(recordsKey(day), 0, state.bytes - 1)
    if ('problem' in chunks) return null
    const hash = runningSha256()
    for await (const chunk of chunks) hash.update(chunk)
    return hash.digest('hex') === known.sha256 ? known.etag : null
  }

  /** @param etag a strong one; null if the answer has none */
  set(day: string, etag: string | null, sha256: string): void {
    if (etag !== null) this.#days.set(day, { etag, sha256 })
    else this.#days.delete(day)
  }

  async write(): Promise<void> {
    const days = [...this.#days].sort(([a], [b]) => (a < b ? -1 : 1))
    const text = `${JSON.stringify(Object.fromEntries(days))}\n`
    await update(this.#mirror, RECORDS_STATE_FILE, Buffer.from(text))
  }
}

function entriesIn(text: string): [day: string, known: Known][] {
  try {
    const days = JSON.parse(text) as Record<string, Partial<Known>>
    return Object.entries(days).filter(
      (entry): entry is [string, Known] =>
        isStrongTag(entry[1]?.etag ?? '') && typeof entry[1]?.sha256 === 'string',
    )
  } catch {
    return []
  }
}
