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
/** A question that is answered from memory waits no longer for a new answer [ms]. */
const PATIENCE_MS = 1_000
/** Answers that are kept; the files among them are of some kilobytes. */
const KEPT = 2_000

/** What is read together with the checkpoint, and after it. */
const AFTER_CHECKPOINT = [LOG_FILE, KEY_FILE]

interface Remembered {
  /** The newest answer. */
  known?: { answer: unknown }
  /** Why there is none, while that is fresh. */
  failure?: unknown
  /** Whether the place need not be asked. */
  isFresh: boolean
  /** Those who ask at the same time share one answer. */
  asked?: Promise<unknown>
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
  /** Whether the place has been slow since its last answer: what is known is then given at once. */
  #isSlow = false
  /** Why a slow place is not asked what nobody knows, for a while. */
  #away: unknown

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

  get(key: string): Promise<ReadFile | null> {
    const ask = key === CHECKPOINT_FILE ? () => this.#readCheckpoint() : () => this.#place.get(key)
    return this.#remember(`get ${key}`, ask)
  }

  async open(key: string, start: number, end: number): Promise<ReadableStream<Uint8Array> | null> {
    if (this.#away) throw this.#away
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

  /** What was read before a checkpoint may lack leaves that it has signed. */
  async #readCheckpoint(): Promise<ReadFile | null> {
    const before = this.#remembered.get(`get ${CHECKPOINT_FILE}`)?.known?.answer as ReadFile | null
    const file = await this.#place.get(CHECKPOINT_FILE)
    if (file?.version !== before?.version)
      for (const other of AFTER_CHECKPOINT) this.#remembered.delete(`get ${other}`)
    return file
  }

  async #remember<T>(question: string, ask: () => Promise<T>, forMs = REMEMBERED_MS): Promise<T> {
    const entry = this.#entryOf(question)
    const known = entry.known as { answer: T } | undefined
    if (entry.isFresh && !known) throw entry.failure
    if (entry.isFresh && known) return known.answer
    if (this.#away && !known) throw this.#away
    entry.asked ??= this.#ask(entry, ask, forMs)
    const asked = entry.asked as Promise<T>
    return known ? this.#newOrKnown(asked, known.answer) : asked
  }

  async #newOrKnown<T>(asked: Promise<T>, known: T): Promise<T> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<T>((resolve) => {
      timer = setTimeout(resolve, this.#isSlow ? 0 : PATIENCE_MS, known)
    })
    try {
      return await Promise.race([asked, late])
    } finally {
      clearTimeout(timer)
    }
  }

  async #ask<T>(entry: Remembered, ask: () => Promise<T>, forMs: number): Promise<T> {
    const slow = setTimeout(() => {
      this.#isSlow = true
    }, PATIENCE_MS).unref()
    try {
      const answer = await ask()
      this.#isSlow = false
      this.#away = undefined
      entry.known = { answer }
      keepFresh(entry, forMs)
      return answer
    } catch (error) {
      keepFresh(entry, FAILURE_REMEMBERED_MS)
      const isAway = error instanceof ArchiveError && error.code === 'archive_unavailable'
      if (isAway && this.#isSlow) this.#leaveAlone(error)
      if (isAway && entry.known) return entry.known.answer as T
      delete entry.known
      entry.failure = error
      throw error
    } finally {
      clearTimeout(slow)
      delete entry.asked
    }
  }

  #leaveAlone(error: ArchiveError): void {
    this.#away = error
    setTimeout(() => {
      if (this.#away === error) this.#away = undefined
    }, FAILURE_REMEMBERED_MS).unref()
  }

  /** In the order in which they were asked for last. */
  #entryOf(question: string): Remembered {
    const entry = this.#remembered.get(question) ?? { isFresh: false }
    this.#remembered.delete(question)
    this.#remembered.set(question, entry)
    if (this.#remembered.size > KEPT)
      this.#remembered.delete(this.#remembered.keys().next().value as string)
    return entry
  }
}

function keepFresh(entry: Remembered, ms: number): void {
  entry.isFresh = true
  setTimeout(() => {
    entry.isFresh = false
  }, ms).unref()
}
