// The media of a snapshot: sound, picture, video, as bytes with what the manifest says of them.
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { MediumProperties } from '../archive/format/manifest.ts'
import { STAGING_FOLDER, VIDEO_FOLDER } from '../archive/format/paths.ts'
import { fieldsOf, type Snapshot } from '../archive/format/snapshot.ts'
import {
  type Decoding,
  decodeWav,
  encodeFrame,
  encodeTransmission,
  toHex,
} from '../protocol/index.ts'
import type { Ffmpeg } from './render/ffmpeg.ts'
import { renderMp4 } from './render/mp4.ts'
import { renderPng } from './render/png.ts'
import { renderWav, TRANSMISSION_SECONDS } from './render/wav.ts'

export interface Rendering {
  bytes: Uint8Array
  properties: MediumProperties
}

/** A sound with what was heard in it. */
export interface Sound extends Rendering {
  heard: Decoding
}

/**
 * The sound of a day, heard once before anyone else hears it.
 * @throws Error when it does not decode to the snapshot
 */
export function renderSound(snapshot: Snapshot): Sound {
  const bytes = renderWav(fieldsOf(snapshot))
  const heard = hear(bytes, snapshot)
  return { bytes, properties: { duration_seconds: TRANSMISSION_SECONDS }, heard }
}

/** Decodes a WAV. @throws Error when it does not carry exactly what a snapshot says */
export function hear(wav: Uint8Array, snapshot: Snapshot): Decoding {
  const decoding = decodeWav(wav)
  const frames = decoding.transmissions.map((transmission) => toHex(transmission.frame))
  const due = toHex(encodeFrame(fieldsOf(snapshot)))
  if (frames.length === 1 && frames[0] === due) return decoding
  const instead = decoding.error?.message ?? `it carries ${frames.join(', ')}`
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
  const workDir = join(parts.archiveDir, STAGING_FOLDER, VIDEO_FOLDER)
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
