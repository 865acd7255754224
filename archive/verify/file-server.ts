// The source for an archive's folder behind a plain file server. Such a server lists nothing, so the days
// come from the log.
import { nullIf } from '../errors.ts'
import { MAX_LOG_BYTES } from '../format/bounds.ts'
import { isDaySelected } from '../format/mirror.ts'
import { LOG_FILE } from '../format/paths.ts'
import { FOLDER } from '../http/locate.ts'
import { parseLog } from '../log/days.ts'
import type { HttpFiles } from './http.ts'
import { readSelection } from './selection.ts'
import type { Listing, Source, SourceFile } from './source.ts'

/** Reads an archive's folder over HTTP for verify. */
export function fileServerSource(files: HttpFiles): Source {
  return new FileServerSource(files)
}

class FileServerSource implements Source {
  readonly place: string
  readonly holdsDerived = true
  readonly #files: HttpFiles

  constructor(files: HttpFiles) {
    this.place = files.base
    this.#files = files
  }

  async list(): Promise<Listing> {
    const { selection, findings } = await readSelection(this)
    const days = (await this.#loggedDays()).filter((day) => isDaySelected(selection, day))
    return { days, findings, selection }
  }

  /** Empty if the log cannot be read, which the check of the log reports. */
  async #loggedDays(): Promise<string[]> {
    const file = await this.readRoot(LOG_FILE, MAX_LOG_BYTES)
    if ('problem' in file) return []
    const entries = await Promise.try(parseLog, file.bytes).catch(nullIf('invalid_log'))
    return [...new Set(entries?.map(({ day }) => day))].sort()
  }

  nameOf(day: string, name: string): string {
    return FOLDER.ofDay(day, name)
  }

  read(day: string, name: string, limit: number): Promise<SourceFile> {
    return this.#read(this.nameOf(day, name), limit)
  }

  readRoot(name: string, limit: number): Promise<SourceFile> {
    return this.#read(this.rootName(name), limit)
  }

  rootName(name: string): string {
    return FOLDER.root(name)
  }

  /** A plain file server states nothing about a day apart from its files. */
  async crossCheck(): Promise<never[]> {
    return []
  }

  /** The content types that a plain file server guesses say nothing about the archive. */
  async #read(path: string, limit: number): Promise<SourceFile> {
    const file = await this.#files.read(path, limit)
    return 'problem' in file ? file : { ...file, contentType: null }
  }
}
