// The check files over HTTP (FORMAT.md 16), made from the manifests and kept until one changes.
import { ArchiveError } from '../../archive/errors.ts'
import type { MediaKind } from '../../archive/format/paths.ts'
import { archiveSums, daySums, type Sum, sumsOfDay } from '../../archive/format/sums.ts'
import type { ArchiveReader } from '../../archive/reader.ts'
import { kindsIn } from './held.ts'

/** Manifests whose files are looked at together. */
const AT_ONCE = 64
/** So long the text is taken to be right: to look at the manifests of ten years takes 0.1 s [ms]. */
const REMEMBERED_MS = 1000

/** The hashes of all days as one text. */
export class ArchiveSums {
  readonly #archive: ArchiveReader
  readonly #days = new Map<string, { version: string; text: string }>()
  #recent: Promise<string> | null = null

  constructor(archive: ArchiveReader) {
    this.#archive = archive
  }

  /** Once for all who ask within a second. */
  text(): Promise<string> {
    this.#recent ??= this.#read().finally(() => {
      setTimeout(() => {
        this.#recent = null
      }, REMEMBERED_MS).unref()
    })
    return this.#recent
  }

  async #read(): Promise<string> {
    const days = await this.#archive.days()
    const kinds = await kindsIn(this.#archive)
    const parts: string[] = []
    for (let i = 0; i < days.length; i += AT_ONCE)
      parts.push(
        ...(await Promise.all(days.slice(i, i + AT_ONCE).map((day) => this.#part(day, kinds)))),
      )
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
 * `<day>.sha256`.
 * @returns null when the day is not sealed
 * @throws ArchiveError `invalid_manifest`
 */
export async function sumsOf(archive: ArchiveReader, day: string): Promise<string | null> {
  const read = await archive.manifest(day)
  return read && daySums(sumsOfDay(read.manifest, read.bytes, await kindsIn(archive)))
}

/** Null when the manifest is damaged. */
async function sumsOrNull(
  archive: ArchiveReader,
  day: string,
  kinds: readonly MediaKind[],
): Promise<Sum[] | null> {
  try {
    const read = await archive.manifest(day)
    return read && sumsOfDay(read.manifest, read.bytes, kinds)
  } catch (error) {
    if (error instanceof ArchiveError && error.code === 'invalid_manifest') return null
    throw error
  }
}
