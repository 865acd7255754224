// Reads a run's configuration from the environment (OPERATING.md 2.1).
import { readWitnessPolicy, type WitnessPolicy } from '../archive/log/policy-file.ts'
import type { Env } from '../server/data/environment.ts'
import {
  type DataConfig,
  type LogConfig,
  readDataConfig,
  readLogConfig,
} from '../server/data/location.ts'
import type { FfmpegSearch } from './render/find-ffmpeg.ts'

export interface PipelineConfig extends LogConfig, Omit<DataConfig, 'databaseFrom'> {
  ffmpegSearch: FfmpegSearch
  /** The witnesses to ask (WITNESS_POLICY); null for none. */
  witnessPolicy: WitnessPolicy | null
  nodeVersion: string
  /** The number of days that are rendered at the same time. */
  renderConcurrency: number
}

/** @throws Error that names the variable and its rule; SettingError for WITNESS_POLICY */
export function readPipelineConfig(
  env: Env,
  versions: NodeJS.ProcessVersions,
  cores: number,
): PipelineConfig {
  const data = readDataConfig(env)
  const { FFMPEG_PATH, PATH } = env
  return {
    ...data,
    ...readLogConfig(env, data),
    witnessPolicy: readWitnessPolicy(env.WITNESS_POLICY),
    ffmpegSearch: { ...(FFMPEG_PATH && { FFMPEG_PATH }), ...(PATH && { PATH }) },
    nodeVersion: versions.node,
    // One more than there are cores, so that each core has a film to encode while this process draws or seals a day.
    renderConcurrency: cores === 1 ? 1 : cores + 1,
  }
}
