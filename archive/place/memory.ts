// Stores facts about a bucket's files in a local file, so that a file whose key, ETag and size are unchanged need not be
// read again (COMMANDS.md 1.5). The local file is safe to delete.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { realDisk, replaceFile } from '../base/durable.ts'
import { makeFolders } from '../base/folders.ts'
import { jsonOrNull } from '../base/json.ts'
import { Queue } from '../base/queue.ts'
import { systemCode } from '../base/system-error.ts'
import { sha256Of } from '../format/hash.ts'
import { TEMPORARY } from '../format/paths.ts'
import { type BucketLocation, identityOfBucket } from './location.ts'
import type { FileState } from './place.ts'

/** Bump this to discard the files of earlier versions. */
const VERSION = 1

/** Who uses the facts. Each purpose has its own file. */
export type Purpose = 'verified' | 'published'

/** Counts the saves of this process; part of the temporary file's name. */
let saves = 0

type Entry = [version: string, bytes: number, fact: string]

export interface MemoryOptions {
  /** The cache folder. */
  folder: string
  purpose: Purpose
  bucket: BucketLocation
  /** Called with one line when the file is damaged or unreadable, and so ignored. */
  warn(line: string): void
  /** Start without the stored facts; saving replaces them. */
  isEmpty?: boolean
}

export class BucketMemory {
  readonly #folder: string
  readonly #name: string
  readonly #bucket: string
  readonly #entries: Map<string, Entry>
  /** The keys of the facts that were recalled or noted. */
  readonly #used = new Set<string>()
  #isChanged = false
  #held = 0
  readonly #saving = new Queue()

  private constructor(folder: string, name: string, bucket: string, entries: Map<string, Entry>) {
    this.#folder = folder
    this.#name = name
    this.#bucket = bucket
    this.#entries = entries
  }

  /** Opens the memory of a bucket; it is empty when the file is missing or damaged. */
  static async open(options: MemoryOptions): Promise<BucketMemory> {
    const { folder, purpose, bucket, warn, isEmpty = false } = options
    const identity = identityOfBucket(bucket)
    const name = `${purpose}-${sha256Of(identity).slice(0, 16)}.json`
    const entries = isEmpty ? new Map() : await readEntries(join(folder, name), identity, warn)
    return new BucketMemory(folder, name, identity, entries)
  }

  /** The number of times `holds` returned true. */
  get held(): number {
    return this.#held
  }

  /** Whether this fact was noted for the file in this state. */
  holds(key: string, state: FileState, fact: string): boolean {
    const isHeld = this.recall(key, state) === fact
    if (isHeld) this.#held += 1
    return isHeld
  }

  /** Returns the fact noted for the file in this state, or null. */
  recall(key: string, state: FileState): string | null {
    const [version, bytes, fact] = this.#entries.get(key) ?? []
    if (fact === undefined || version !== state.version || bytes !== state.bytes) return null
    this.#used.add(key)
    return fact
  }

  /** Notes a fact about a file, unless its ETag is missing or weak and so does not identify the content. */
  note(key: string, { version, bytes }: FileState, fact: string): void {
    if (version === '' || version.startsWith('W/')) return
    this.#used.add(key)
    const known = this.#entries.get(key)
    if (known?.[0] === version && known[1] === bytes && known[2] === fact) return
    this.#entries.set(key, [version, bytes, fact])
    this.#isChanged = true
  }

  /**
   * Forgets the facts that were neither recalled nor noted. After a run over the whole archive, these are of files that
   * no longer exist.
   */
  forgetUnused(): void {
    for (const key of this.#entries.keys()) {
      if (this.#used.has(key)) continue
      this.#entries.delete(key)
      this.#isChanged = true
    }
  }

  /** Saves the facts atomically, if any have changed. @throws NodeJS.ErrnoException */
  save(): Promise<void> {
    return this.#saving.run(() => this.#write())
  }

  async #write(): Promise<void> {
    if (!this.#isChanged) return
    const files = Object.fromEntries(this.#entries)
    const text = JSON.stringify({ daysignal_memory: VERSION, store: this.#bucket, files })
    this.#isChanged = false
    try {
      await makeFolders(this.#folder)
      // Another process, or another memory in this one, may save at the same time.
      const temporary = `${this.#name}${TEMPORARY}.${process.pid}.${++saves}`
      await replaceFile(realDisk, this.#folder, temporary, Buffer.from(`${text}\n`), this.#name)
    } catch (error) {
      this.#isChanged = true
      throw error
    }
  }
}

/** Returns no entries when the file is missing, and warns when it is damaged or unreadable. */
async function readEntries(
  path: string,
  bucket: string,
  warn: MemoryOptions['warn'],
): Promise<Map<string, Entry>> {
  try {
    const entries = entriesIn(await readFile(path, 'utf8'), bucket)
    if (entries) return entries
    warn(`${path}: is damaged and ignored`)
  } catch (error) {
    if (systemCode(error) !== 'ENOENT')
      warn(`${path}: cannot be read (${systemCode(error) ?? String(error)}) and is ignored`)
  }
  return new Map()
}

/** Returns null when the text is not the memory of this bucket. */
function entriesIn(text: string, bucket: string): Map<string, Entry> | null {
  const memory = jsonOrNull(text) as Record<string, unknown> | null
  if (memory?.daysignal_memory !== VERSION || memory.store !== bucket) return null
  const { files } = memory
  if (typeof files !== 'object' || files === null) return null
  const entries = Object.entries(files)
  return entries.every(([, entry]) => isEntry(entry)) ? new Map(entries) : null
}

function isEntry(entry: unknown): entry is Entry {
  if (!Array.isArray(entry)) return false
  const [version, bytes, fact] = entry
  return typeof version === 'string' && Number.isSafeInteger(bytes) && typeof fact === 'string'
}
