// Composes the check files from the manifests and caches each day until its manifest changes (FORMAT.md 16).
import { coalesced } from '../../archive/base/concurrently.ts'
import { isArchiveError } from '../../archive/base/errors.ts'
import type { MediaKind } from '../../archive/format/media.ts'
import { archiveSums, daySums, type Sum, sumsOfDay } from '../../archive/format/sums.ts'
import type { ArchiveReader } from '../../archive/reading/reader.ts'
import { servedKinds } from './views.ts'

/** Days that are checked for changes concurrently. */
const CONCURRENT_DAYS = 64

/** The text of SHA256SUMS, the hashes of all days. Checking the manifests of ten years for changes takes 0.1 s. */
export class ArchiveSums {
  readonly #archive: ArchiveReader
  readonly #days = new Map<string, { version: string; text: string }>()
  /** Composes the text, once at a time. */
  readonly text = coalesced(() => this.#read())

  constructor(archive: ArchiveReader) {
    this.#archive = archive
  }

  async #read(): Promise<string> {
    const days = await this.#archive.days()
    const kinds = await servedKinds(this.#archive)
    const parts: string[] = []
    for (let i = 0; i < days.length; i += CONCURRENT_DAYS) {
      const batch = days.slice(i, i + CONCURRENT_DAYS)
      parts.push(...(await Promise.all(batch.map((day) => this.#part(day, kinds)))))
    }
    return parts.join('')
  }

  async #part(day: string, kinds: readonly MediaKind[]): Promise<string> {
    const found = await this.#archive.version(day)
    if (found === null) return ''
    const version = `${found} ${kinds.join()}`
    const known = this.#days.get(day)
    if (known?.version === version) return known.text
    const text = archiveSums(day, await sumsOrNull(this.#archive, day, kinds))
    this.#days.set(day, { version, text })
    return text
  }
}

/**
 * Composes `<day>.sha256`.
 * @returns null if the day is not sealed
 * @throws ArchiveError `invalid_manifest`
 */
export async function sumsOf(archive: ArchiveReader, day: string): Promise<string | null> {
  const read = await archive.manifest(day)
  return read && daySums(sumsOfDay(read.manifest, read.bytes, await servedKinds(archive)))
}

/** @returns null if the manifest is damaged */
async function sumsOrNull(
  archive: ArchiveReader,
  day: string,
  kinds: readonly MediaKind[],
): Promise<Sum[] | null> {
  try {
    const read = await archive.manifest(day)
    return read && sumsOfDay(read.manifest, read.bytes, kinds)
  } catch (error) {
    if (isArchiveError(error, 'invalid_manifest')) return null
    throw error
  }
}
