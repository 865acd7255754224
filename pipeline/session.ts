// Everything that a run needs, opened in order and closed again: database, folder, lock, tools.
import { openReader } from '../archive/reader.ts'
import { type ArchiveWriter, openWriter } from '../archive/writing/writer.ts'
import { openStore, type Store } from '../server/store/database.ts'
import type { PipelineConfig } from './config.ts'
import { ARCHIVE_MISSING, ensureArchiveFolder } from './folder.ts'
import { lockArchive } from './lock.ts'
import { findFfmpeg } from './render/ffmpeg.ts'
import { loadSharp } from './render/font.ts'
import type { Pipeline } from './run.ts'

/** What the caller brings. */
export type Surroundings = Pick<Pipeline, 'now' | 'signal' | 'onProgress'>

/**
 * Runs `work` as the only pipeline of its archive, after finishing what a kill interrupted.
 * @throws PipelineBusy; Error with one clear line when the database, the archive or a tool is not as it must be
 */
export async function withPipeline<T>(
  config: PipelineConfig,
  surroundings: Surroundings,
  work: (pipeline: Pipeline, recovered: string[]) => Promise<T>,
): Promise<T> {
  const store = await openStore(config.database, { create: false })
  try {
    if (!(await ensureArchiveFolder(store, config.archiveDir)))
      throw new Error(`${config.archiveDir}: ${ARCHIVE_MISSING}`)
    // Before the lock, which could not say why a folder that cannot be written holds none.
    const writer = await openWriter(config.archiveDir, { create: false })
    const release = lockArchive(config.archiveDir)
    try {
      const pipeline = await assemble(config, surroundings, store, writer)
      return await work(pipeline, await pipeline.writer.recover())
    } finally {
      release()
    }
  } finally {
    await store.close()
  }
}

async function assemble(
  { archiveDir, ffmpegSearch, nodeVersion }: PipelineConfig,
  surroundings: Surroundings,
  store: Store,
  writer: ArchiveWriter,
): Promise<Pipeline> {
  const sharp = await loadSharp()
  return {
    ...surroundings,
    store,
    archiveDir,
    reader: openReader(archiveDir),
    writer,
    ffmpeg: findFfmpeg(ffmpegSearch),
    versions: { node: nodeVersion, sharp: sharp.versions.sharp ?? 'unknown' },
  }
}
