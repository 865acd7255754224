// Takes files that are missing or damaged from another archive of the same days (FORMAT.md 14.5): each by
// a hash that is proven here, so that it does not matter whom the copy belongs to.
import { readdir } from 'node:fs/promises'
import { ArchiveError, asReadError, nullIf, unreadableAs } from '../archive/errors.ts'
import { bytesOf, statsOf } from '../archive/files.ts'
import { sha256Of } from '../archive/format/hash.ts'
import { type Manifest, namedFiles } from '../archive/format/manifest.ts'
import { type MediaKind, manifestName, snapshotName } from '../archive/format/paths.ts'
import { newestLeaves } from '../archive/log/days.ts'
import { isUpgradeOf } from '../archive/log/upgrade.ts'
import { Client, FetchFailure } from '../archive/mirror/client.ts'
import { findOrigin } from '../archive/mirror/origin.ts'
import { MAX_JSON_BYTES } from '../archive/verify/day.ts'
import type { Pipeline } from './session.ts'

/** Another archive of the same days. */
export interface Copy {
  /** A file of a day, of at most `limit` bytes; null when the copy does not have it. */
  read(day: string, file: CopiedFile, limit: number): Promise<Uint8Array | null>
}

export interface CopiedFile {
  kind: 'manifest' | 'snapshot' | MediaKind
  name: string
  /** The hash that it must have. */
  sha256: string
}

/** The copy in a folder, or at the address of a service or of a folder that a plain file server serves. */
export async function openCopy(place: string): Promise<Copy> {
  return /^https?:/i.test(place) ? copyAt(place) : copyIn(place)
}

/** @throws ArchiveError `archive_unavailable` where there is no folder */
async function copyIn(dir: string): Promise<Copy> {
  await readdir(dir).catch((error) => {
    throw asReadError(error, dir)
  })
  return {
    async read(day, { name }, limit) {
      const stats = await statsOf(dir, day, name)
      return stats && stats.size <= BigInt(limit) ? bytesOf(dir, day, name) : null
    },
  }
}

/** @throws Error with one line when there is no archive */
async function copyAt(address: string): Promise<Copy> {
  const client = new Client()
  const { origin } = await findOrigin(client, address).catch((error) => {
    throw error instanceof FetchFailure ? new Error(`${address}: ${error.message}`) : error
  })
  return {
    async read(day, { kind, sha256 }, limit) {
      const url =
        kind === 'manifest' || kind === 'snapshot'
          ? origin[kind](day)
          : origin.medium(day, kind, sha256)
      try {
        return await client.read(url, limit)
      } catch (error) {
        if (error instanceof FetchFailure) return null
        throw error
      }
    },
  }
}

/** What was taken from a copy, and what it has otherwise. */
export interface Restored {
  names: string[]
  refused: string[]
}

/** Restores what a day lacks and the copy has. What it does not have is left to be made again. */
export async function restoreFromCopy(
  pipeline: Pipeline,
  copy: Copy,
  day: string,
): Promise<Restored> {
  const restored: Restored = { names: [], refused: [] }
  const take = (file: CopiedFile, limit: number) =>
    takeFile(pipeline, copy, day, file, limit, restored)
  if (!(await soundManifest(pipeline, day))) {
    const leaf = newestLeaves(pipeline.log.entries).get(day)
    const name = manifestName(day)
    if (leaf) await take({ kind: 'manifest', name, sha256: leaf.sha256 }, MAX_JSON_BYTES)
  }
  const manifest = await soundManifest(pipeline, day)
  const snapshot = manifest?.snapshot_file.sha256 ?? (await namedByNext(pipeline, day))
  const missing = manifest ? namedFiles(manifest) : []
  for (const { kind, name, sha256, bytes } of missing) await take({ kind, name, sha256 }, bytes)
  if (!manifest && snapshot)
    await take({ kind: 'snapshot', name: snapshotName(day), sha256: snapshot }, MAX_JSON_BYTES)
  return restored
}

async function takeFile(
  { place, writer, signal }: Pipeline,
  copy: Copy,
  day: string,
  file: CopiedFile,
  limit: number,
  restored: Restored,
): Promise<void> {
  signal.throwIfAborted()
  const name = `${day}/${file.name}`
  const present = await place
    .get(name)
    .catch(unreadableAs('invalid_medium', name))
    .catch(nullIf('invalid_medium'))
  if (present && sha256Of(present.content) === file.sha256) return
  const bytes = await copy.read(day, file, limit)
  if (!bytes) return
  try {
    await writer.restoreFile(day, file.name, bytes, file.sha256)
    restored.names.push(file.name)
  } catch (error) {
    if (!(error instanceof ArchiveError) || error.code !== 'repair_mismatch') throw error
    restored.refused.push(error.message)
  }
}

/** The manifest of a day, unless it is missing, damaged, or not the one that the log names. */
async function soundManifest({ reader, log }: Pipeline, day: string): Promise<Manifest | null> {
  const read = await reader.manifest(day).catch(nullIf('invalid_manifest'))
  const leaf = newestLeaves(log.entries).get(day)
  if (!read || !leaf || sha256Of(read.bytes) === leaf.sha256) return read?.manifest ?? null
  return isUpgradeOf(read.manifest, leaf.sha256) ? read.manifest : null
}

/** The hash of a day's `<day>.json` as the next archived day states it. */
async function namedByNext(pipeline: Pipeline, day: string): Promise<string | null> {
  const next = (await pipeline.reader.days()).find((other) => other > day)
  const previous = next && (await soundManifest(pipeline, next))?.snapshot.previous
  return previous && previous.day === day ? previous.sha256 : null
}
