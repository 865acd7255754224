// The media of a snapshot: sound, picture, video, as bytes with what the manifest says of them.
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fieldsOf, type Snapshot } from '../archive/manifest.ts'
import { STAGING_FOLDER } from '../archive/paths.ts'
import type { MediumProperties } from '../archive/repair.ts'
import { decodeWav, encodeFrame, encodeTransmission, toHex } from '../protocol/index.ts'
import type { Ffmpeg } from './render/ffmpeg.ts'
import { renderMp4 } from './render/mp4.ts'
import { renderPng } from './render/png.ts'
import { renderWav, TRANSMISSION_SECONDS } from './render/wav.ts'

export interface Rendering {
  bytes: Uint8Array
  properties: MediumProperties
}

/**
 * The sound of a day, heard once before anyone else hears it.
 * @throws Error when it does not decode to the snapshot
 */
export function renderSound(snapshot: Snapshot): Rendering {
  const bytes = renderWav(fieldsOf(snapshot))
  refuseOtherSound(bytes, snapshot)
  return { bytes, properties: { duration_seconds: TRANSMISSION_SECONDS } }
}

/** @throws Error when a WAV does not decode to exactly what a snapshot says */
export function refuseOtherSound(wav: Uint8Array, snapshot: Snapshot): void {
  const { transmissions, error } = decodeWav(wav)
  const heard = transmissions.map((transmission) => toHex(transmission.frame))
  const [frame, ...others] = heard
  if (frame === toHex(encodeFrame(fieldsOf(snapshot))) && others.length === 0) return
  const instead = error?.message ?? `it carries ${heard.join(', ')}`
  throw new Error(`${snapshot.day}: the WAV does not decode to its snapshot: ${instead}`)
}

export async function renderPicture(snapshot: Snapshot): Promise<Rendering> {
  const samples = encodeTransmission(fieldsOf(snapshot))
  const { bytes, width, height } = await renderPng(snapshot, samples)
  return { bytes, properties: { width, height } }
}

export interface VideoParts {
  picture: Uint8Array
  sound: Uint8Array
  ffmpeg: Ffmpeg
  archiveDir: string
  signal: AbortSignal
  /** Hears the part that is done, 0 to 1. */
  onProgress(fraction: number): void
}

/** @throws FfmpegError when ffmpeg fails, the signal's reason when aborted */
export async function renderVideo(parts: VideoParts): Promise<Rendering> {
  // Within the staging, so that what a kill leaves behind is found and removed here.
  const workDir = join(parts.archiveDir, STAGING_FOLDER, '.video')
  await rm(workDir, { recursive: true, force: true })
  await mkdir(workDir, { recursive: true })
  try {
    const { bytes, width, height, durationSeconds } = await renderMp4({
      png: parts.picture,
      wav: parts.sound,
      ffmpeg: parts.ffmpeg,
      workDir,
      signal: parts.signal,
      onProgress: parts.onProgress,
    })
    return { bytes, properties: { duration_seconds: durationSeconds, width, height } }
  } finally {
    await rm(workDir, { recursive: true, force: true })
  }
}
