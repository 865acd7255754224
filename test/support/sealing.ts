// Seals days as a run does, but without rendering them, and on parts that a test may kill.
import { join } from 'node:path'
import { realDisk } from '../../archive/base/durable.ts'
import { makeFolders } from '../../archive/base/folders.ts'
import { composeManifest } from '../../archive/format/manifest.ts'
import { eachKind } from '../../archive/format/media.ts'
import type { WritablePlace } from '../../archive/place/place.ts'
import { ArchiveReader } from '../../archive/reading/reader.ts'
import { writeSums } from '../../archive/writing/derived.ts'
import { readPipelineConfig } from '../../pipeline/config.ts'
import { inFolder, type RunArchive } from '../../pipeline/run/archive.ts'
import { type Run, resume, toolsHere, withPipeline } from '../../pipeline/run/session.ts'
import { logDay, openDayLog } from '../../pipeline/run/signed-log.ts'
import { fixDay } from '../../pipeline/sealing/fix-snapshot.ts'
import type { Database } from '../../server/database/database.ts'
import { system } from '../../server/system/system.ts'
import { dataEnvironment } from './database.ts'
import { DISK_WRITES, KillSwitch, PLACE_WRITES } from './kill-switch.ts'
import { LIGHT_RENDERERS } from './renderings.ts'
import { bucketWriter } from './writers.ts'

/**
 * Runs the pipeline on a data folder and seals days.
 * @param now its wall clock [ms since 1970]
 * @param more variables that override those of the folder
 * @returns the lines that the run has printed
 */
export async function sealDays(
  dataDir: string,
  days: readonly string[],
  now: number,
  more: Record<string, string> = {},
): Promise<string[]> {
  const env = { ...dataEnvironment(dataDir), ...more, PATH: '' }
  const config = readPipelineConfig(env, process.versions, 1)
  const warnings: string[] = []
  const context = { ...contextAt(now, warnings), random: () => 0.5 }
  await withPipeline(config, context, async (pipeline, unlogged) => {
    for (const { error } of unlogged) throw error
    for (const day of days) await sealDay(pipeline, day)
  })
  return warnings
}

const contextAt = (now: number, warnings: string[]) => ({
  clock: { ...system.clock, now: () => now },
  signal: new AbortController().signal,
  report: { warn: (line: string) => void warnings.push(line), progress() {} },
})

/** What a run works on. */
export interface Parts {
  database: Database
  archive: RunArchive
}

/** An archive in a folder and a database, of which one write may be killed. */
export async function partsInFolder(
  dir: string,
  database: Database,
  kill = new KillSwitch(),
): Promise<Parts> {
  // Nothing is synced: what is written survives the end of a process.
  const unsynced = { ...realDisk, syncFolder: async () => {} }
  const disk = kill.over(unsynced, DISK_WRITES)
  await makeFolders(dir)
  const archive = inFolder(dir, dir, disk)
  return { database: kill.over(database, ['write']), archive }
}

/** The same for an archive in an object store. */
export function partsInBucket(
  bucket: WritablePlace,
  database: Database,
  kill = new KillSwitch(),
): Parts {
  const place = kill.over(bucket, PLACE_WRITES)
  const archive = {
    place,
    reader: new ArchiveReader(place),
    writer: bucketWriter(place),
    source: () => place,
    workDir: '',
    memory: null,
  }
  return { database: kill.over(database, ['write']), archive }
}

/**
 * Does what a run does, without a lock, and seals days.
 * @param dataDir contains the signing key
 * @returns the lines that the run has printed
 */
export async function runOn(
  { database, archive }: Parts,
  dataDir: string,
  days: readonly string[],
  now: number,
): Promise<string[]> {
  const config = logConfigIn(dataDir)
  const warnings: string[] = []
  const context = contextAt(now, warnings)
  const log = await openDayLog(database, archive.place, config)
  const run = { archive, ...context, tools: WITHOUT_FFMPEG, database, log }
  for (const { error } of await resume(run, config)) throw error
  for (const day of days) warnings.push(...(await sealDay(run, day)))
  await writeSums(archive.place, archive.reader, false)
  return warnings
}

export const logConfigIn = (dataDir: string) => ({
  logOrigin: undefined,
  defaultLogOrigin: 'localhost/transmissions',
  signingKeyFile: join(dataDir, 'signing.key'),
})

const WITHOUT_FFMPEG = {
  ffmpeg: null,
  ffmpegShortage: null,
  concurrency: 1,
  ...LIGHT_RENDERERS,
  versions: { node: '24', sharp: '0' },
}

const NOT_RENDERED = { available: false, reason: 'render_failed' } as const

/** Fixes, seals and logs a day. @returns the notes of the day */
async function sealDay(run: Run, day: string): Promise<string[]> {
  const fixed = await fixDay(run, day)
  if ('status' in fixed) return []
  const { snapshot, notes } = fixed
  const media = eachKind(() => NOT_RENDERED)
  await run.archive.writer.seal(composeManifest(snapshot, media, toolsHere(run.tools)))
  await logDay(run.log, day)
  return notes
}
