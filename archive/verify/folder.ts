// A source on this machine: the archive's folder. Links are not followed.
import type { Dirent } from 'node:fs'
import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { asReadError, systemCode } from '../errors.ts'
import { sha256Of } from '../format/hash.ts'
import { type Manifest, namedFiles, parseManifest } from '../format/manifest.ts'
import {
  isDay,
  LOCK_FILE,
  manifestName,
  parseSealName,
  SEALS_FOLDER,
  STAGING_FOLDER,
  TEMPORARY,
  VIDEO_FOLDER,
} from '../format/paths.ts'
import type { Finding, Source, SourceFile } from './findings.ts'

/** The lock, with what SQLite may put beside it. */
const LOCK_FILES = ['', '-journal', '-wal', '-shm'].map((suffix) => LOCK_FILE + suffix)

/** Reads an archive's folder for verify. */
export function folderSource(dir: string): Source {
  return new FolderSource(dir)
}

class FolderSource implements Source {
  readonly #dir: string
  /** Day -> the hashes of the manifests that were published for it. */
  #seals = new Map<string, Set<string>>()

  constructor(dir: string) {
    this.#dir = dir
  }

  async list(): Promise<{ days: string[]; findings: Finding[] }> {
    // Seals first: a day that is published meanwhile is not taken for a missing one.
    this.#seals = await readSeals(this.#dir)
    const entries = await readdir(this.#dir, { withFileTypes: true }).catch((error) => {
      throw asReadError(error, this.#dir)
    })
    const days = entries.filter(isDayFolder).map((entry) => entry.name)
    const staging = await namesIn(join(this.#dir, STAGING_FOLDER))
    const staged = staging.filter(isDay)
    const unfinished = await this.#unsealed(staged)
    const published = days.filter((day) => !unfinished.includes(day))
    const missing = [...this.#seals.keys()].filter(
      (day) => !days.includes(day) && !staged.includes(day),
    )
    const findings = [
      ...entries
        .filter((entry) => !isDayFolder(entry) && !isWriters(entry))
        .map((e) => stray(e.name)),
      ...staging
        .filter((name) => !isDay(name) && name !== VIDEO_FOLDER)
        .map((name) => stray(`${STAGING_FOLDER}/${name}`)),
      ...(await this.#straySeals()),
      ...staged.map(stagingLeft),
      ...missing.map(missingDay),
    ]
    return { days: published.sort(), findings }
  }

  nameOf(day: string, name: string): string {
    return `${day}/${name}`
  }

  read(day: string, name: string, limit: number): Promise<SourceFile> {
    return readRegular(join(this.#dir, day, name), limit)
  }

  /** Looks for files that the manifest does not name, and for the manifest's own hash on record. */
  async checkBeside(day: string, manifest: Manifest, bytes: Uint8Array): Promise<Finding[]> {
    const findings: Finding[] = []
    if (!(await this.#isOnRecord(day, sha256Of(bytes))))
      findings.push({
        code: 'manifest_changed',
        file: this.nameOf(day, manifestName(day)),
        message: 'is not as it was published',
      })
    const named = [manifestName(day), ...namedFiles(manifest).map((file) => file.name)]
    const others = (await namesIn(join(this.#dir, day))).filter((name) => !named.includes(name))
    const arriving = others.length > 0 ? await this.#stagedNames(day) : []
    const strays = others.filter((name) => !arriving.includes(name))
    return [...findings, ...strays.map((name) => stray(this.nameOf(day, name)))]
  }

  /** A day without any record, as of an archive that was copied without it, is taken as it is. */
  async #isOnRecord(day: string, sha256: string): Promise<boolean> {
    const known = (seals: Map<string, Set<string>>) => seals.get(day)?.has(sha256) ?? true
    if (known(this.#seals)) return true
    // Read again before it is said: a repair may have been published meanwhile.
    this.#seals = await readSeals(this.#dir)
    return known(this.#seals)
  }

  async #unsealed(days: string[]): Promise<string[]> {
    const unsealed: string[] = []
    for (const day of days)
      if (!(await exists(join(this.#dir, day, manifestName(day))))) unsealed.push(day)
    return unsealed
  }

  async #straySeals(): Promise<Finding[]> {
    const names = await namesIn(join(this.#dir, SEALS_FOLDER))
    const strays = names.filter((name) => !parseSealName(name) && name !== TEMPORARY)
    return strays.map((name) => stray(`${SEALS_FOLDER}/${name}`))
  }

  /** What a repair that is under way, or was killed, is about to name. */
  async #stagedNames(day: string): Promise<string[]> {
    try {
      const bytes = await readFile(join(this.#dir, STAGING_FOLDER, day, manifestName(day)))
      return namedFiles(parseManifest(bytes)).map((file) => file.name)
    } catch {
      return []
    }
  }
}

async function readSeals(dir: string): Promise<Map<string, Set<string>>> {
  const seals = new Map<string, Set<string>>()
  for (const name of await namesIn(join(dir, SEALS_FOLDER))) {
    const seal = parseSealName(name)
    if (seal) seals.set(seal.day, (seals.get(seal.day) ?? new Set()).add(seal.sha256))
  }
  return seals
}

async function readRegular(path: string, limit: number): Promise<SourceFile> {
  try {
    const stats = await lstat(path)
    if (!stats.isFile()) return problem('not_a_file', 'is not a regular file')
    if (stats.size > limit) return problem('too_large', `has ${stats.size} bytes`)
    return { bytes: await readFile(path), contentType: null }
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT') return problem('missing', 'is missing')
    return problem('unreadable', `cannot be read (${code ?? String(error)})`)
  }
}

/** The names in a folder, sorted; none when there is no such folder. */
async function namesIn(path: string): Promise<string[]> {
  const names = await readdir(path).catch((error) => {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return []
    throw asReadError(error, path)
  })
  return names.sort()
}

function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

function isDayFolder(entry: Dirent): boolean {
  return entry.isDirectory() && isDay(entry.name)
}

/** What the pipeline keeps beside the days. */
function isWriters(entry: Dirent): boolean {
  if (entry.isDirectory()) return [STAGING_FOLDER, SEALS_FOLDER].includes(entry.name)
  return entry.isFile() && LOCK_FILES.includes(entry.name)
}

function problem(code: string, message: string): SourceFile {
  return { problem: { code, message } }
}

function stray(file: string): Finding {
  return { code: 'stray', file, message: 'does not belong to the archive' }
}

function missingDay(day: string): Finding {
  return { code: 'missing', file: day, message: 'was published once, and is missing' }
}

function stagingLeft(day: string): Finding {
  const message = 'a run is under way or was killed; the next run sees to it'
  return { code: 'staging_left', file: `${STAGING_FOLDER}/${day}`, message }
}
