// What was found out about the files of a store, kept in a local file, so that files which are still the same by key,
// ETag and size are not read again (FORMAT.md 22.7). The file is safe to delete.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { systemCode } from '../errors.ts'
import { sha256Of } from '../format/hash.ts'
import { TEMPORARY } from '../format/paths.ts'
import { makeFolders, realDisk, writeDurably } from '../writing/durable.ts'
import { identityOfStore, type StoreLocation } from './location.ts'
import type { FileState } from './place.ts'

/** Another number makes the files of earlier versions unknown. */
const VERSION = 1

/** What a fact in memory is for: each purpose has a file of its own. */
export type Purpose = 'verified' | 'published'

/** Of this process, to tell their temporary files apart. */
let saves = 0

type Entry = [version: string, bytes: number, fact: string]

export interface MemoryOptions {
  /** A folder for what can be made again. */
  folder: string
  purpose: Purpose
  store: StoreLocation
  /** Is called with one line when the file is damaged and ignored. */
  warn(line: string): void
  /** Recalls nothing: what is noted replaces the file. */
  isEmpty?: boolean
}

export class StoreMemory {
  readonly #folder: string
  readonly #name: string
  readonly #store: string
  readonly #entries: Map<string, Entry>
  #isChanged = false
  #held = 0
  #saving: Promise<void> = Promise.resolve()

  private constructor(folder: string, name: string, store: string, entries: Map<string, Entry>) {
    this.#folder = folder
    this.#name = name
    this.#store = store
    this.#entries = entries
  }

  /** Opens the memory of a store; an empty one where there is none. */
  static async open(options: MemoryOptions): Promise<StoreMemory> {
    const { folder, purpose, store, warn, isEmpty = false } = options
    const identity = identityOfStore(store)
    const name = `${purpose}-${sha256Of(Buffer.from(identity)).slice(0, 16)}.json`
    const entries = isEmpty ? new Map() : await readEntries(join(folder, name), identity, warn)
    return new StoreMemory(folder, name, identity, entries)
  }

  /** How often `holds` was true. */
  get held(): number {
    return this.#held
  }

  /** Whether a fact was noted of a file that is still as it was then. */
  holds(key: string, state: FileState, fact: string): boolean {
    const isHeld = this.recall(key, state) === fact
    if (isHeld) this.#held += 1
    return isHeld
  }

  /** What was noted of a file that is still as it was then; null otherwise. */
  recall(key: string, state: FileState): string | null {
    const [version, bytes, fact] = this.#entries.get(key) ?? []
    if (fact === undefined || version !== state.version || bytes !== state.bytes) return null
    return fact
  }

  /** Notes a fact of a file. An ETag that is missing or weak does not tell two contents apart. */
  note(key: string, { version, bytes }: FileState, fact: string): void {
    if (version === '' || version.startsWith('W/')) return
    const known = this.#entries.get(key)
    if (known?.[0] === version && known[1] === bytes && known[2] === fact) return
    this.#entries.set(key, [version, bytes, fact])
    this.#isChanged = true
  }

  /** Writes what is new, whole or not at all. @throws the system's error */
  save(): Promise<void> {
    const saved = this.#saving.then(() => this.#write())
    this.#saving = saved.catch(() => {})
    return saved
  }

  async #write(): Promise<void> {
    if (!this.#isChanged) return
    const files = Object.fromEntries(this.#entries)
    const text = JSON.stringify({ daysignal_memory: VERSION, store: this.#store, files })
    this.#isChanged = false
    try {
      await makeFolders(this.#folder)
      // Another process, or another memory of this one, may save at the same time.
      const temporary = `${this.#name}${TEMPORARY}.${process.pid}.${++saves}`
      await writeDurably(realDisk, this.#folder, temporary, Buffer.from(`${text}\n`), this.#name)
    } catch (error) {
      this.#isChanged = true
      throw error
    }
  }
}

/** None where there is no file, or a damaged one. */
async function readEntries(
  path: string,
  store: string,
  warn: MemoryOptions['warn'],
): Promise<Map<string, Entry>> {
  try {
    const entries = entriesIn(await readFile(path, 'utf8'), store)
    if (entries) return entries
    warn(`${path}: is damaged, and ignored`)
  } catch (error) {
    if (systemCode(error) !== 'ENOENT')
      warn(`${path}: cannot be read (${systemCode(error) ?? String(error)}), and is ignored`)
  }
  return new Map()
}

/** Null when the text is not the memory of this store. */
function entriesIn(text: string, store: string): Map<string, Entry> | null {
  const memory = parseJson(text) as Record<string, unknown> | null
  if (memory?.daysignal_memory !== VERSION || memory.store !== store) return null
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
