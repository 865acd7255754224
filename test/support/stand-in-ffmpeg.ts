// A stand-in for ffmpeg that copies a prepared minimal video: tests of the code around the encoding need no ffmpeg, and do
// not wait for it.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PICTURE } from '../../pipeline/render/layout.ts'
import { video } from '../archive/days.ts'

/**
 * Writes the program. It lists all formats that tests use with a real ffmpeg: fluent-ffmpeg queries them once a process.
 * @param dir a folder for the program, created if it is missing
 * @param how `done` writes the video immediately; `busy` creates the file, and works as long as its parent lives
 * @returns its path, for FFMPEG_PATH
 */
export function standInFfmpeg(dir: string, how: 'done' | 'busy' = 'done'): string {
  mkdirSync(dir, { recursive: true })
  const prepared = join(dir, 'prepared.mp4')
  writeFileSync(prepared, video(PICTURE.width, PICTURE.height, 730, 25))
  const path = join(dir, `ffmpeg-${how}`)
  const encode =
    how === 'done'
      ? `exec cp ${prepared} "$last"`
      : ': > "$last"; while kill -0 $PPID; do sleep 0.1; done'
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
