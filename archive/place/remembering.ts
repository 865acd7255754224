// A place whose reads are remembered for some seconds: for a server, of which many ask the same.
import { ArchiveError } from '../errors.ts'
import { CHECKPOINT_FILE, KEY_FILE, LOG_FILE } from '../format/paths.ts'
import type { FileState, ListedFile, Place, ReadFile } from './place.ts'

/** A reader of the log waits 15 s for a checkpoint that follows it: what is remembered must be younger [ms]. */
const REMEMBERED_MS = 10_000
/** Days are published once a day, and are to be seen within a minute [ms]. */
const FOLDERS_REMEMBERED_MS = 30_000
/** While the place cannot be reached, it is asked again after this [ms]. */
const FAILURE_REMEMBERED_MS = 3_000
/** Answers that are kept; the files among them are of some kilobytes. */
const KEPT = 2_000

/** What is read together with the checkpoint, and after it. */
const AFTER_CHECKPOINT = [LOG_FILE, KEY_FILE]

interface Remembered {
  answer: Promise<unknown>
  isFresh: boolean
}

/** Of what it has read, it answers from memory while the place cannot be reached. Streams and writes pass through. */
export function rememberingPlace(place: Place): Place {
  return new RememberingPlace(place)
}

class RememberingPlace implements Place {
  readonly name: string
  readonly #place: Place
  /** In the order in which they were asked for. */
  readonly #remembered = new Map<string, Remembered>()

  constructor(place: Place) {
    this.name = place.name
    this.#place = place
  }

  pathOf(key: string): string | null {
    return this.#place.pathOf(key)
  }

  addressOf(key: string): Promise<string> | null {
    return this.#place.addressOf(key)
  }

  folders(): Promise<readonly string[]> {
    return this.#remember('folders', () => this.#place.folders(), FOLDERS_REMEMBERED_MS)
  }

  listAll(): Promise<Map<string, FileState>> {
    return this.#place.listAll()
  }

  list(folder: string): Promise<ListedFile[]> {
    return this.#remember(`list ${folder}`, () => this.#place.list(folder))
  }

  stat(key: string): Promise<FileState | null> {
    return this.#remember(`stat ${key}`, () => this.#place.stat(key))
  }

  async get(key: string): Promise<ReadFile | null> {
    const before = this.#remembered.get(`get ${key}`)?.answer
    const file = await this.#remember(`get ${key}`, () => this.#place.get(key))
    // What was read before the checkpoint may lack leaves that it has signed.
    if (key === CHECKPOINT_FILE && before !== this.#remembered.get(`get ${key}`)?.answer)
      for (const other of AFTER_CHECKPOINT) this.#remembered.delete(`get ${other}`)
    return file
  }

  open(key: string, start: number, end: number): Promise<ReadableStream<Uint8Array> | null> {
    return this.#place.open(key, start, end)
  }

  put(key: string, content: Uint8Array): Promise<void> {
    return this.#place.put(key, content)
  }

  putIfAbsent(key: string, content: Uint8Array): Promise<string | null> {
    return this.#place.putIfAbsent(key, content)
  }

  replace(key: string, content: Uint8Array, version: string | null): Promise<string | null> {
    return this.#place.replace(key, content, version)
  }

  remove(key: string): Promise<void> {
    return this.#place.remove(key)
  }

  /** Those who ask at the same time share one answer. */
  #remember<T>(question: string, ask: () => Promise<T>, forMs = REMEMBERED_MS): Promise<T> {
    const known = this.#remembered.get(question)
    if (known?.isFresh) return known.answer as Promise<T>
    const entry: Remembered = { answer: Promise.resolve(), isFresh: true }
    const expireAfter = (ms: number) => {
      setTimeout(() => {
        entry.isFresh = false
      }, ms).unref()
    }
    entry.answer = ask().then(
      (answer) => {
        expireAfter(forMs)
        return answer
      },
      (error) => {
        expireAfter(FAILURE_REMEMBERED_MS)
        const isAway = error instanceof ArchiveError && error.code === 'archive_unavailable'
        if (isAway && known) return known.answer
        throw error
      },
    )
    this.#keep(question, entry)
    return entry.answer as Promise<T>
  }

  #keep(question: string, entry: Remembered): void {
    this.#remembered.delete(question)
    this.#remembered.set(question, entry)
    if (this.#remembered.size > KEPT)
      this.#remembered.delete(this.#remembered.keys().next().value as string)
  }
}
