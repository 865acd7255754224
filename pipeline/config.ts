// The environment of a run, read once (API.md 10.7).
import type { ArchiveLocation } from '../archive/place/location.ts'
import {
  type Env,
  type LogConfig,
  readDataConfig,
  readLogConfig,
} from '../server/store/location.ts'
import type { FfmpegSearch } from './render/find-ffmpeg.ts'

export interface PipelineConfig extends LogConfig {
  /** As DataConfig's. */
  database: string
  archive: ArchiveLocation
  dataDir: string
  /** For what can be made again. */
  cacheDir: string
  ffmpegSearch: FfmpegSearch
  nodeVersion: string
  /** How many days are rendered at once. */
  renderConcurrency: number
}

/** @throws Error that names the variable and its rule */
export function readPipelineConfig(
  env: Env,
  versions: NodeJS.ProcessVersions,
  cores: number,
): PipelineConfig {
  const data = readDataConfig(env)
  const { database, archive, dataDir, cacheDir } = data
  const { FFMPEG_PATH, PATH } = env
  return {
    ...readLogConfig(env, data),
    database,
    archive,
    dataDir,
    cacheDir,
    ffmpegSearch: { ...(FFMPEG_PATH && { FFMPEG_PATH }), ...(PATH && { PATH }) },
    nodeVersion: versions.node,
    // While this process draws or seals a day, ffmpeg has another one for each core.
    renderConcurrency: cores === 1 ? 1 : cores + 1,
  }
}
