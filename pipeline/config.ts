// The environment of a run, read once (API.md 10.7).
import { readDataConfig } from '../server/store/location.ts'

export interface PipelineConfig {
  /** The SQLite file. */
  database: string
  archiveDir: string
  /** Where ffmpegs are searched. */
  ffmpegSearch: { FFMPEG_PATH?: string; PATH?: string }
  nodeVersion: string
  /** How many days are rendered at once. */
  rendersAtOnce: number
}

/** @throws Error that names the variable and its rule */
export function readPipelineConfig(
  env: Record<string, string | undefined>,
  versions: NodeJS.ProcessVersions,
  cores: number,
): PipelineConfig {
  const { database, archiveDir } = readDataConfig(env)
  const { FFMPEG_PATH, PATH } = env
  return {
    database,
    archiveDir,
    ffmpegSearch: { ...(FFMPEG_PATH && { FFMPEG_PATH }), ...(PATH && { PATH }) },
    nodeVersion: versions.node,
    rendersAtOnce: cores,
  }
}
