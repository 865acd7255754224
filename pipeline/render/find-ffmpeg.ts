// Finds the ffmpeg binaries of this machine that can render a film.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
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

const EXECUTABLE = process.platform === 'win32' ? 'ffmpeg.exe' : 'ffmpeg'
const ENCODERS = ['libx264', 'aac']
const PROBE_TIMEOUT_MS = 10_000
const require = createRequire(import.meta.url)

/**
 * Returns the ffmpeg that renders days: the one in `FFMPEG_PATH`, else ffmpeg-static's download, else the first usable
 * one on `PATH`, else the build that npm installs, else null.
 * @throws Error if `FFMPEG_PATH` is set but not usable, as the operator wants that one and no other
 */
export function findFfmpeg(search: FfmpegSearch): Ffmpeg | null {
  if (search.FFMPEG_PATH) return requireFfmpeg(search.FFMPEG_PATH)
  return findFfmpegs(search).next().value ?? null
}

/**
 * Returns the ffmpeg that `FFMPEG_PATH` names.
 * @throws Error with a one-line message if it is not an ffmpeg that can render a film
 */
export function requireFfmpeg(path: string): Ffmpeg {
  const found = probe(path)
  if (typeof found === 'string') throw new Error(`FFMPEG_PATH: ${path} ${found}`)
  return found
}

/** Yields every ffmpeg that can render a film, each file once, in order of preference; probes them lazily. */
export function* findFfmpegs({ FFMPEG_PATH, PATH = '' }: FfmpegSearch): Generator<Ffmpeg, void> {
  const onPath = PATH.split(delimiter).filter((folder) => folder !== '')
  const paths = [
    FFMPEG_PATH || null,
    packagedPath('ffmpeg-static'),
    ...onPath.map((folder) => join(folder, EXECUTABLE)),
    packagedPath('@ffmpeg-installer/ffmpeg'),
  ]
  const seen = new Set<string>()
  for (const path of paths) {
    const file = path && realPath(path)
    if (!file || seen.has(file)) continue
    seen.add(file)
    const found = probe(path)
    if (typeof found !== 'string') yield found
  }
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}

/** Returns the path exported by an optional package; null if it is not installed or does not support this machine. */
function packagedPath(name: string): string | null {
  try {
    const exported: unknown = require(name)
    const path = typeof exported === 'string' ? exported : (exported as { path?: unknown })?.path
    return typeof path === 'string' ? path : null
  } catch {
    return null
  }
}

/** Runs the file once. @returns the ffmpeg, or a phrase that says why it cannot be used */
function probe(path: string): Ffmpeg | string {
  const run = spawnSync(path, ['-encoders'], { encoding: 'utf8', timeout: PROBE_TIMEOUT_MS })
  if (run.error !== undefined) return `does not run (${failure(run)})`
  const version = /^ffmpeg version (\S+)/m.exec(run.stderr)?.[1]
  if (run.status !== 0 || version === undefined) return 'is not an ffmpeg'
  const missing = ENCODERS.filter((name) => !new RegExp(`^ \\S+ ${name} `, 'm').test(run.stdout))
  if (missing.length > 0) return `has no encoder ${missing.join(' and ')}`
  return { path, version }
}

function failure(run: SpawnSyncReturns<string>): string {
  const code = (run.error as NodeJS.ErrnoException).code
  return code === 'ENOENT' ? 'no such file' : code === 'EACCES' ? 'not executable' : `${code}`
}
