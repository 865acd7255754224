// A program that answers as ffmpeg does and makes the least video, so that tests of what surrounds the encoding need not
// wait for it, nor have an ffmpeg.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PICTURE } from '../../pipeline/render/layout.ts'
import { video } from '../archive/days.ts'

/**
 * Writes the program. It names every format that tests use with a real ffmpeg too: fluent-ffmpeg asks once a process.
 * @param dir a folder for it, made where needed
 * @param how `done` has the video ready at once; `busy` begins its file and is never done with it
 * @returns its path, for FFMPEG_PATH
 */
export function standInFfmpeg(dir: string, how: 'done' | 'busy' = 'done'): string {
  mkdirSync(dir, { recursive: true })
  const prepared = join(dir, 'prepared.mp4')
  writeFileSync(prepared, video(PICTURE.width, PICTURE.height, 730, 25))
  const path = join(dir, `ffmpeg-${how}`)
  const encode = how === 'done' ? `exec cp ${prepared} "$last"` : ': > "$last"; exec sleep 600'
  writeFileSync(
    path,
    `#!/bin/sh
for last; do :; done
case "$last" in
  -encoders)
    echo 'ffmpeg version stand-in' >&2
    echo ' V....D libx264              H.264'
    echo ' A....D aac                  AAC' ;;
  -formats)
    echo ' DE mp4             MP4'
    echo ' D  lavfi           Libavfilter' ;;
  *) ${encode} ;;
esac
`,
  )
  chmodSync(path, 0o755)
  return path
}
