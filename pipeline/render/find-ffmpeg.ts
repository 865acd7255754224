// Finds the ffmpeg of this machine that renders films.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'

/** An ffmpeg that has been run and has the encoders that the film needs. */
export interface Ffmpeg {
  path: string
  version: string
}

/** The environment variables that determine where ffmpeg is searched for. */
export interface FfmpegSearch {
  FFMPEG_PATH?: string
  PATH?: string
}

/** No ffmpeg can be run at the moment, for a reason that may pass by itself. The message is a single line. */
export class FfmpegShortage extends Error {
  override readonly name = 'FfmpegShortage'
}

/** System error codes for which starting a process, or waiting for it, may succeed later. */
const PASSING_CODES: readonly unknown[] = ['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM', 'ETIMEDOUT']
/** Signals sent from outside; others, such as SIGSEGV, are faults of the process itself. */
const OUTSIDE_SIGNALS: readonly unknown[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP']

/** Whether an error of the system may pass by itself. */
export const isPassing = (error: unknown): boolean =>
  PASSING_CODES.includes((error as NodeJS.ErrnoException | undefined)?.code)

/** Whether a process was ended from outside, for example by the kernel's out-of-memory killer. */
export const isFromOutside = (signal: unknown): boolean => OUTSIDE_SIGNALS.includes(signal)

const EXECUTABLE = process.platform === 'win32' ? 'ffmpeg.exe' : 'ffmpeg'
const ENCODERS = ['libx264', 'aac']
const PROBE_TIMEOUT_MS = 10_000
const require = createRequire(import.meta.url)

/**
 * Returns the ffmpeg that renders days: the one in `FFMPEG_PATH`, else ffmpeg-static's download, else the first usable
 * one on `PATH`, else the build that npm installs, else null.
 * @throws Error if `FFMPEG_PATH` is set but not usable, as the operator wants that one and no other; FfmpegShortage if
 *   none is usable, but one may be later
 */
export function findFfmpeg({ FFMPEG_PATH, PATH = '' }: FfmpegSearch): Ffmpeg | null {
  if (FFMPEG_PATH) return requireFfmpeg(FFMPEG_PATH)
  const onPath = PATH.split(delimiter).filter((folder) => folder !== '')
  const paths = [
    packagedPath('ffmpeg-static'),
    ...onPath.map((folder) => join(folder, EXECUTABLE)),
    packagedPath('@ffmpeg-installer/ffmpeg'),
  ]
  const passing: string[] = []
  for (const path of paths.filter((path) => path !== null)) {
    const found = probe(path)
    if ('version' in found) return found
    if (found.mayPass) passing.push(`${path} ${found.fault}`)
  }
  if (passing.length > 0) throw new FfmpegShortage(passing.join('; '))
  return null
}

/**
 * Returns the ffmpeg that `FFMPEG_PATH` names.
 * @throws Error with a one-line message if it is not an ffmpeg that can render a film; FfmpegShortage
 */
export function requireFfmpeg(path: string): Ffmpeg {
  const found = probe(path)
  if ('version' in found) return found
  const message = `FFMPEG_PATH: ${path} ${found.fault}`
  throw found.mayPass ? new FfmpegShortage(message) : new Error(message)
}

/**
 * Returns the path exported by an optional package; null if it is not installed or does not support this machine.
 * @throws FfmpegShortage if it cannot be read now
 */
function packagedPath(name: string): string | null {
  try {
    const exported: unknown = require(name)
    const path = typeof exported === 'string' ? exported : (exported as { path?: unknown })?.path
    return typeof path === 'string' ? path : null
  } catch (error) {
    if (isPassing(error)) throw new FfmpegShortage(`${name}: ${(error as Error).message}`)
    return null
  }
}

/** Runs the file once. @returns an ffmpeg, or why it cannot be used: a phrase, and whether that may pass by itself */
function probe(path: string): Ffmpeg | { fault: string; mayPass: boolean } {
  const run = spawnSync(path, ['-encoders'], { encoding: 'utf8', timeout: PROBE_TIMEOUT_MS })
  const { error, signal, status, stdout, stderr } = run
  if (error) return { fault: `does not run (${phraseOf(error)})`, mayPass: isPassing(error) }
  if (signal) return { fault: `was ended by ${signal}`, mayPass: isFromOutside(signal) }
  const version = /^ffmpeg version (\S+)/m.exec(stderr)?.[1]
  if (status !== 0 || version === undefined) return { fault: 'is not an ffmpeg', mayPass: false }
  const missing = ENCODERS.filter((name) => !new RegExp(`^ \\S+ ${name} `, 'm').test(stdout))
  if (missing.length === 0) return { path, version }
  return { fault: `has no encoder ${missing.join(' and ')}`, mayPass: false }
}

function phraseOf({ code }: NodeJS.ErrnoException): string {
  if (code === 'ETIMEDOUT') return `no answer within ${PROBE_TIMEOUT_MS / 1000} s`
  return code === 'ENOENT' ? 'no such file' : code === 'EACCES' ? 'not executable' : `${code}`
}
