// The source for an archive's folder on this machine. Links are not followed.
import type { Dirent } from 'node:fs'
import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { nullIfMissing, systemCode } from '../base/system-error.ts'
import { asReadError, nullIf } from '../errors.ts'
import { loadManifest, namesIn } from '../files.ts'
import { sha256Of } from '../format/hash.ts'
import { type Manifest, namedFiles } from '../format/manifest.ts'
import {
  isDay,
  keyOf,
  LOCK_FILE,
  manifestName,
  parseSealName,
  REFUSED_FOLDER,
  SEALS_FOLDER,
  STAGING_FOLDER,
  stagingFolder,
  TEMPORARY,
  VIDEO_FOLDER,
} from '../format/paths.ts'
import { folderPlace } from '../place/folder.ts'
import type { FileState } from '../place/place.ts'
import type { Finding } from './findings.ts'
import { readSelection } from './selection.ts'
import { type Listing, problem, type Source, type SourceFile } from './source.ts'
import { ROOT_FILES, stray, strayNames, unfinished } from './strays.ts'

/** The lock and the files that SQLite may create next to it. */
const LOCK_FILES = ['', '-journal', '-wal', '-shm'].map((suffix) => LOCK_FILE + suffix)

/** Reads an archive's folder for verify. */
export function folderSource(dir: string): Source {
  return new FolderSource(dir)
}

class FolderSource implements Source {
  readonly place: string
  readonly holdsDerived = true
  /** Day -> the hashes of the manifests that were published for it. */
  #seals = new Map<string, Set<string>>()

  constructor(dir: string) {
    this.place = dir
  }

  async list(): Promise<Listing> {
    // Read the seals first, so that a day published in between is not reported as missing.
    this.#seals = await readSeals(this.place)
    const entries = await readdir(this.place, { withFileTypes: true }).catch((error) => {
      throw asReadError(error, this.place)
    })
    const days = entries.filter(isDayFolder).map((entry) => entry.name)
    const staging = await this.#namesIn(STAGING_FOLDER)
    const staged = staging.filter(isDay)
    const unsealed = await this.#unsealed(staged)
    const published = days.filter((day) => !unsealed.includes(day))
    const missing = [...this.#seals.keys()].filter(
      (day) => !days.includes(day) && !staged.includes(day),
    )
    const findings = [
      ...entries
        .filter((entry) => !isDayFolder(entry) && !isOfWriter(entry) && !isRootFile(entry))
        .map((entry) => stray(entry.name)),
      ...staging
        .filter((name) => !isDay(name) && name !== VIDEO_FOLDER)
        .map((name) => stray(keyOf(STAGING_FOLDER, name))),
      ...(await this.#checkSeals()),
      ...staged.map((day) => unfinished(stagingFolder(day))),
      ...missing.map(missingDay),
    ]
    const mirror = await readSelection(this)
    findings.push(...mirror.findings)
    return { days: published.sort(), findings, selection: mirror.selection }
  }

  nameOf(day: string, name: string): string {
    return keyOf(day, name)
  }

  read(day: string, name: string, limit: number): Promise<SourceFile> {
    return readRegular(join(this.place, day, name), limit)
  }

  async stateOf(day: string, name: string): Promise<FileState | null> {
    return folderPlace(this.place).stat(this.nameOf(day, name))
  }

  readRoot(name: string, limit: number): Promise<SourceFile> {
    return readRegular(join(this.place, name), limit)
  }

  rootName(name: string): string {
    return name
  }

  /** Checks the manifest against the seals, and looks for stray files in the day's folder. */
  async crossCheck(day: string, manifest: Manifest, bytes: Uint8Array): Promise<Finding[]> {
    const findings: Finding[] = []
    if (!(await this.#isOnRecord(day, sha256Of(bytes))))
      findings.push({
        code: 'manifest_changed',
        file: this.nameOf(day, manifestName(day)),
        message: 'is not as it was published',
      })
    const unnamed = strayNames(manifest, await this.#namesIn(day))
    const arriving = unnamed.length > 0 ? await this.#stagedNames(day) : []
    const strays = unnamed.filter((name) => !arriving.includes(name))
    return [...findings, ...strays.map((name) => stray(this.nameOf(day, name)))]
  }

  /** A day without any seal is accepted, because copies have no dot names (FORMAT.md 11.2). */
  async #isOnRecord(day: string, sha256: string): Promise<boolean> {
    const known = (seals: Map<string, Set<string>>) => seals.get(day)?.has(sha256) ?? true
    if (known(this.#seals)) return true
    // Read the seals again, since a repair may have been published in between.
    this.#seals = await readSeals(this.place)
    return known(this.#seals)
  }

  async #unsealed(days: string[]): Promise<string[]> {
    const unsealed: string[] = []
    for (const day of days)
      if (!(await isThere(join(this.place, day, manifestName(day))))) unsealed.push(day)
    return unsealed
  }

  /** Seals are empty files, so any content was not written by the pipeline. */
  async #checkSeals(): Promise<Finding[]> {
    const findings: Finding[] = []
    for (const name of await this.#namesIn(SEALS_FOLDER)) {
      const file = keyOf(SEALS_FOLDER, name)
      if (name === TEMPORARY) continue
      const stats = await lstat(join(this.place, file)).catch(nullIfMissing)
      if (!stats) continue
      if (!parseSealName(name)) findings.push(stray(file))
      else if (!stats.isFile())
        findings.push({ code: 'not_a_file', file, message: 'is not a regular file' })
      else if (stats.size > 0)
        findings.push({
          code: 'too_large',
          file,
          message: `has ${stats.size} bytes; a seal is empty`,
        })
    }
    return findings
  }

  /** The media that a running or killed repair is about to add to the manifest. */
  async #stagedNames(day: string): Promise<string[]> {
    const staged = loadManifest(this.place, stagingFolder(day), day)
    // An unreadable commit names nothing; the next run withdraws it.
    const loaded = await staged.catch(nullIf('invalid_manifest'))
    return loaded ? namedFiles(loaded.manifest).map((file) => file.name) : []
  }

  /** @throws ArchiveError `archive_unavailable` if the folder exists but cannot be read */
  #namesIn(folder: string): Promise<string[]> {
    const path = join(this.place, folder)
    return namesIn(path).catch((error) => {
      throw asReadError(error, path)
    })
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

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(nullIfMissing)) !== null
}

function isDayFolder(entry: Dirent): boolean {
  return entry.isDirectory() && isDay(entry.name)
}

function isRootFile(entry: Dirent): boolean {
  return entry.isFile() && ROOT_FILES.includes(entry.name)
}

/** Whether an entry is one of the pipeline's own, next to the days (FORMAT.md 2.4). */
function isOfWriter(entry: Dirent): boolean {
  if (entry.isDirectory())
    return [STAGING_FOLDER, SEALS_FOLDER, REFUSED_FOLDER].includes(entry.name)
  return entry.isFile() && [...LOCK_FILES, TEMPORARY].includes(entry.name)
}

function missingDay(day: string): Finding {
  return { code: 'missing', file: day, message: 'was published, but is missing' }
}
