// npm run snapshot as a real process, with a stand-in that saves it the encoding of videos.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { fieldsOf } from '../../../archive/format/snapshot.ts'
import { findFfmpeg } from '../../../pipeline/render/ffmpeg.ts'
import { renderMp4 } from '../../../pipeline/render/mp4.ts'
import { renderPng } from '../../../pipeline/render/png.ts'
import { renderWav } from '../../../pipeline/render/wav.ts'
import { encodeTransmission } from '../../../protocol/index.ts'
import { unwatchedDay } from '../workshop.ts'

export const CLI = fileURLToPath(new URL('../../../pipeline/commands/snapshot.ts', import.meta.url))

export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

/** Starts the command in a folder (its .env is read there) with nothing else in its environment than PATH. */
export function startCommand(
  args: string[],
  cwd: string,
  env: Record<string, string>,
): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = Promise.all([text(child.stdout!), text(child.stderr!), once(child, 'close')]).then(
    ([stdout, stderr, [code, signal]]) => ({ stdout, stderr, code, signal }),
  )
  return { child, ended }
}

export const runCommand = (args: string[], cwd: string, env: Record<string, string> = {}) =>
  startCommand(args, cwd, env).ended

/** The ffmpeg of this machine; every set-up brings one (npm's at least). */
export function realFfmpeg() {
  const ffmpeg = findFfmpeg({ PATH: process.env.PATH ?? '' })
  if (!ffmpeg) throw new Error('no ffmpeg: run npm ci')
  return ffmpeg
}

/**
 * Writes a program that is this machine's ffmpeg but for the videos of days: for those it hands out
 * one that was really made, whatever the day. Returns its path, for FFMPEG_PATH.
 */
export async function ffmpegStandIn(dir: string): Promise<string> {
  const ffmpeg = realFfmpeg()
  mkdirSync(dir, { recursive: true })
  const snapshot = unwatchedDay('2026-11-18')
  const samples = encodeTransmission(fieldsOf(snapshot))
  const { bytes: png } = await renderPng(snapshot, samples)
  const wav = renderWav(fieldsOf(snapshot))
  const { bytes } = await renderMp4({ png, wav, ffmpeg, workDir: dir })
  const prepared = join(dir, 'prepared.mp4')
  writeFileSync(prepared, bytes)
  const path = join(dir, 'ffmpeg')
  const script = `#!/bin/sh
case "$*" in
  *day.mp4*) for last; do :; done; exec cp ${prepared} "$last" ;;
  *) exec ${ffmpeg.path} "$@" ;;
esac
`
  writeFileSync(path, script)
  chmodSync(path, 0o755)
  return path
}
