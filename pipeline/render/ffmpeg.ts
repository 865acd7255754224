// Runs ffmpeg jobs. The only file that uses fluent-ffmpeg.
import type { ChildProcess } from 'node:child_process'
import fluent from 'fluent-ffmpeg'
import { type Ffmpeg, FfmpegShortage, isFromOutside, isPassing } from './find-ffmpeg.ts'

/** An ffmpeg job: the paths of its input files, the filter graph, output options and the output file. */
export interface FfmpegJob {
  inputs: readonly string[]
  filter: string
  options: string[]
  output: string
}

/** `failed`: ffmpeg reported an error. `killed`: it was ended by a signal from outside. */
export type FfmpegErrorCode = 'failed' | 'killed'

/** The message is a single line. */
export class FfmpegError extends Error {
  override readonly name = 'FfmpegError'
  readonly code: FfmpegErrorCode

  constructor(code: FfmpegErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Runs one job and resolves when its output is complete. `onFrame` is called with the number of frames done.
 * @throws FfmpegError with the last line that ffmpeg printed; FfmpegShortage if the job cannot be started at the moment;
 *   the signal's reason, once an aborted ffmpeg has exited
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
  // fluent-ffmpeg queries ffmpeg's formats before it starts the job; until then there is no process to kill.
  command.on('start', () => signal?.aborted && kill())
  // fluent-ffmpeg's own progress event would run ffprobe, which may not be installed.
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
  for (const [i, path] of job.inputs.entries()) {
    command.input(path)
    if (i === 0) command.inputOptions(GLOBAL_OPTIONS)
  }
  return command.complexFilter(job.filter).outputOptions(job.options).output(job.output)
}

/** Prints only errors and statistics to stderr, and does not read commands from stdin. */
const GLOBAL_OPTIONS = ['-nostdin', '-hide_banner', '-loglevel error', '-stats']

/**
 * Works around fluent-ffmpeg 2.1.3: if ffmpeg cannot be started, it reads output that is undefined, and its TypeError
 * would crash our process or hide the system's error. This passes an empty output.
 */
function surviveSpawnErrors(command: fluent.FfmpegCommand): void {
  const inner = command as unknown as { _spawnFfmpeg(...args: unknown[]): void }
  const spawn = inner._spawnFfmpeg
  const empty = { get: () => '' }
  inner._spawnFfmpeg = (...args) => {
    const done = args.pop() as (error: unknown, stdout: unknown, stderr: unknown) => void
    let isDone = false
    const finish = (error: unknown, stdout: unknown = empty, stderr: unknown = empty) => {
      if (!isDone) done(error, stdout, stderr)
      isDone = true
    }
    try {
      spawn.call(inner, ...args, finish)
    } catch (error) {
      // The system's error, if there is one, is reported before this.
      setImmediate(finish, error)
    }
  }
}

function finished(command: fluent.FfmpegCommand): Promise<void> {
  return new Promise((resolve, reject) => {
    // fluent-ffmpeg clears its process before it reports the end.
    let job: ChildProcess | undefined
    command.on('start', () => {
      job = (command as unknown as { ffmpegProc: ChildProcess }).ffmpegProc
    })
    command.on('end', () => resolve())
    command.on('error', (error: Error, _stdout: string | null, stderr: string | null) => {
      if (job && wasTerminated(job))
        reject(new FfmpegError('killed', 'ffmpeg was ended by a signal'))
      else if (isShortage(error)) reject(new FfmpegShortage(error.message))
      else reject(new FfmpegError('failed', `ffmpeg failed: ${errorLineOf(stderr, error)}`))
    })
    command.run()
  })
}

/** Whether ffmpeg could not be started, or was killed while fluent-ffmpeg queried its formats and encoders. */
const isShortage = (error: Error): boolean =>
  isPassing(error) ||
  isFromOutside(/^ffmpeg was killed with signal (\w+)$/.exec(error.message)?.[1])

/** ffmpeg's exit code after a signal that it handled. */
const EXIT_AFTER_SIGNAL = 255

/** Whether a process was ended from outside. */
const wasTerminated = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode === EXIT_AFTER_SIGNAL || isFromOutside(signalCode)

/** Returns ffmpeg's last line other than statistics and the closing "Conversion failed!". */
function errorLineOf(stderr: string | null, error: Error): string {
  const lines = (stderr ?? '').split('\n').map((line) => line.trim())
  const errorLine = lines.findLast(
    (line) => line !== '' && !STATISTICS.test(line) && line !== 'Conversion failed!',
  )
  return errorLine ?? error.message.split('\n')[0]!
}
