// Extracts frames and sound from a film with ffmpeg.
import { spawnSync } from 'node:child_process'
import { expect } from 'vitest'
import type { Ffmpeg } from '../../../pipeline/render/find-ffmpeg.ts'
import { PICTURE } from '../../../pipeline/render/layout.ts'
import { type Pixels, pixelsOf } from './pixels.ts'

/** Runs ffmpeg on a film with these output options and returns its standard output. */
export function extract(ffmpeg: Ffmpeg, file: string, options: string[]): Buffer {
  const quiet = ['-hide_banner', '-loglevel', 'error', '-nostdin']
  const args = [...quiet, '-i', file, ...options, 'pipe:1']
  const run = spawnSync(ffmpeg.path, args, { maxBuffer: 2 ** 28 })
  expect(run.stderr.toString()).toBe('')
  return run.stdout
}

/** Decodes the frames with these numbers, in ascending order, in one pass. */
export function framesOf(ffmpeg: Ffmpeg, file: string, numbers: number[]): Map<number, Pixels> {
  const chosen = numbers.map((n) => `eq(n\\,${n})`).join('+')
  const raw = ['-vf', `select=${chosen}`, '-vsync', '0', '-f', 'rawvideo', '-pix_fmt', 'rgb24']
  const data = extract(ffmpeg, file, raw)
  const size = PICTURE.width * PICTURE.height * 3
  expect(data.length).toBe(numbers.length * size)
  return new Map(
    numbers.map((n, i) => {
      const frame = data.subarray(i * size, (i + 1) * size)
      return [n, pixelsOf({ data: frame, width: PICTURE.width }, 3)]
    }),
  )
}
