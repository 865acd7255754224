// Seals days as a run does, but with media that cost next to nothing.
import { readPipelineConfig } from '../../pipeline/config.ts'
import { fixDay } from '../../pipeline/fix.ts'
import { logDay } from '../../pipeline/log.ts'
import { type Pipeline, withPipeline } from '../../pipeline/session.ts'
import { system } from '../../server/system.ts'
import { makeManifest, picture, soundOf, video } from '../archive/days.ts'
import { dataEnvironment } from './database.ts'

export interface SealedRun {
  /** The lines that the run has printed. */
  warnings: string[]
}

/**
 * Runs the pipeline on a data folder and seals days.
 * @param now its wall clock [ms since 1970]
 * @param env variables that override those of the folder
 */
export async function sealDays(
  dataDir: string,
  days: readonly string[],
  now: number,
  env: Record<string, string> = {},
): Promise<SealedRun> {
  const variables = { ...dataEnvironment(dataDir), ...env }
  const config = readPipelineConfig({ ...variables, PATH: '' }, process.versions, 1)
  const warnings: string[] = []
  const context = {
    clock: { ...system.clock, now: () => now },
    random: () => 0.5,
    warn: (line: string) => void warnings.push(line),
    signal: new AbortController().signal,
    onProgress() {},
  }
  await withPipeline(config, context, async (pipeline, { failed }) => {
    for (const { error } of failed) throw error
    for (const day of days) await sealDay(pipeline, day)
  })
  return { warnings }
}

/** Fixes, seals and logs a day. */
export async function sealDay(pipeline: Pipeline, day: string): Promise<void> {
  const { writer, log } = pipeline
  const fixed = await fixDay(pipeline, day)
  if ('status' in fixed) return
  const { snapshot } = fixed
  const media = { wav: soundOf(snapshot), mp4: video(64, 36, 729, 25), png: picture(64, 36, 1) }
  for (const kind of ['wav', 'mp4', 'png'] as const)
    await writer.stageMedium(day, kind, media[kind])
  await writer.seal(makeManifest(snapshot, media))
  await logDay(log, day)
}
