// Finding an ffmpeg and running it: the one file that knows fluent-ffmpeg.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import fluent from 'fluent-ffmpeg'

/** An ffmpeg that was run once and has the encoders that the video needs. */
export interface Ffmpeg {
  path: string
  version: string
}

/** What ffmpeg is to do: input files with the options before each, the filter graph, and the output file. */
export interface FfmpegJob {
  inputs: { path: string; options: string[] }[]
  filter: string
  options: string[]
  output: string
}

/** An ffmpeg that cannot be used, or that failed; the message is one line for people. */
export class FfmpegError extends Error {
  override readonly name = 'FfmpegError'
}

const EXECUTABLE = process.platform === 'win32' ? 'ffmpeg.exe' : 'ffmpeg'
const ENCODERS = ['libx264', 'aac']
const PROBE_TIMEOUT_MS = 10_000
const require = createRequire(import.meta.url)

/**
 * The ffmpeg to use: `FFMPEG_PATH`, then ffmpeg-static's download, then `PATH`, then the build that npm installs; null without any.
 * A candidate counts when it runs and has the encoders. Throws FfmpegError when `FFMPEG_PATH` names something else:
 * whoever sets it wants that one and no other.
 */
export function findFfmpeg(env: { FFMPEG_PATH?: string; PATH?: string }): Ffmpeg | null {
  if (env.FFMPEG_PATH) {
    const found = probe(env.FFMPEG_PATH)
    if (typeof found !== 'string') return found
    throw new FfmpegError(`FFMPEG_PATH: ${env.FFMPEG_PATH} ${found}`)
  }
  const onPath = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const candidates = [
    packagedPath('ffmpeg-static'),
    ...onPath.map((folder) => join(folder, EXECUTABLE)),
    packagedPath('@ffmpeg-installer/ffmpeg'),
  ]
  for (const path of candidates) {
    const found = path !== null && existsSync(path) ? probe(path) : null
    if (found !== null && typeof found !== 'string') return found
  }
  return null
}

/** Where an optional package says its ffmpeg is; null when it is not installed or does not support this machine. */
function packagedPath(name: string): string | null {
  try {
    const exported: unknown = require(name)
    const path = typeof exported === 'string' ? exported : (exported as { path?: unknown })?.path
    return typeof path === 'string' ? path : null
  } catch {
    return null
  }
}

/** Runs the file once: what it is, or in words why it will not do. */
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

/**
 * Runs one job and resolves when its output is complete. `onFrame` hears how many video frames are done.
 * Throws FfmpegError with the last line of ffmpeg's own complaint, or the signal's reason once an aborted ffmpeg is gone.
 */
export async function runFfmpeg(
  ffmpeg: Ffmpeg,
  job: FfmpegJob,
  options: { signal?: AbortSignal; onFrame?(frames: number): void } = {},
): Promise<void> {
  const { signal, onFrame } = options
  signal?.throwIfAborted()
  const command = commandFor(job).setFfmpegPath(ffmpeg.path)
  surviveSpawnErrors(command)
  const kill = () => command.kill('SIGKILL')
  // fluent-ffmpeg asks ffmpeg for its formats before it starts the job: an abort in that time finds nothing to kill yet.
  command.on('start', () => signal?.aborted && kill())
  // Its own progress event would start an ffprobe, which need not exist.
  command.on('stderr', (line: string) => {
    const frames = STATISTICS.exec(line)?.[1]
    if (frames !== undefined) onFrame?.(Number(frames))
  })
  signal?.addEventListener('abort', kill)
  try {
    await finished(command)
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', kill)
  }
}

const STATISTICS = /^frame=\s*(\d+)/

function commandFor(job: FfmpegJob): fluent.FfmpegCommand {
  const command = fluent()
  for (const [i, { path, options }] of job.inputs.entries()) {
    command.input(path)
    command.inputOptions(i === 0 ? [...GLOBAL_OPTIONS, ...options] : options)
  }
  return command.complexFilter(job.filter).outputOptions(job.options).output(job.output)
}

/** Only errors and the statistics on stderr, and no reading of commands from stdin. */
const GLOBAL_OPTIONS = ['-nostdin', '-hide_banner', '-loglevel error', '-stats']

/**
 * When an ffmpeg cannot even be started, fluent-ffmpeg 2.1.3 reads the output that it has not got, and its TypeError
 * would end our process. This hands it an empty output.
 */
function surviveSpawnErrors(command: fluent.FfmpegCommand): void {
  const inner = command as unknown as { _spawnFfmpeg(...args: unknown[]): void }
  const spawn = inner._spawnFfmpeg
  const nothing = { get: () => '' }
  inner._spawnFfmpeg = (...args) => {
    const done = args.pop() as (error: unknown, stdout: unknown, stderr: unknown) => void
    spawn.call(inner, ...args, (error: unknown, stdout = nothing, stderr = nothing) =>
      done(error, stdout, stderr),
    )
  }
}

function finished(command: fluent.FfmpegCommand): Promise<void> {
  return new Promise((resolve, reject) => {
    command.on('end', () => resolve())
    command.on('error', (error: Error, _stdout: string | null, stderr: string | null) => {
      const why = lastComplaint(stderr ?? '') ?? error.message.split('\n')[0]
      reject(new FfmpegError(`ffmpeg failed: ${why}`))
    })
    command.run()
  })
}

/** ffmpeg's last line but the statistics and its closing "Conversion failed!", which says nothing. */
function lastComplaint(stderr: string): string | undefined {
  const lines = stderr.split('\n').map((line) => line.trim())
  return lines.findLast(
    (line) => line !== '' && !STATISTICS.test(line) && line !== 'Conversion failed!',
  )
}
