// Runs an ffmpeg: the one file that knows fluent-ffmpeg.
import type { ChildProcess } from 'node:child_process'
import fluent from 'fluent-ffmpeg'
import type { Ffmpeg } from './find-ffmpeg.ts'

/** What ffmpeg is to do: input files with the options before each, the filter graph, and the output file. */
export interface FfmpegJob {
  inputs: { path: string; options: string[] }[]
  filter: string
  options: string[]
  output: string
}

/** Why ffmpeg made nothing: it could not, or somebody ended it. */
export type FfmpegErrorCode = 'failed' | 'killed'

/** The message is one line for people. */
export class FfmpegError extends Error {
  override readonly name = 'FfmpegError'
  readonly code: FfmpegErrorCode

  constructor(code: FfmpegErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Runs one job and resolves when its output is complete. `onFrame` is called with the frames done.
 * @throws FfmpegError with the last line of ffmpeg's own complaint; the system's error when no
 *   process can be started now; the signal's reason once an aborted ffmpeg is gone
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
  // fluent-ffmpeg asks ffmpeg for its formats before it starts the job: until then there is nothing to kill.
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
    // fluent-ffmpeg forgets its process before it reports the end.
    let job: ChildProcess | undefined
    command.on('start', () => {
      job = (command as unknown as { ffmpegProc: ChildProcess }).ffmpegProc
    })
    command.on('end', () => resolve())
    command.on(
      'error',
      (error: NodeJS.ErrnoException, _stdout: string | null, stderr: string | null) => {
        if (job && wasEnded(job)) reject(new FfmpegError('killed', 'ffmpeg was ended by a signal'))
        else if (SHORTAGES.includes(error.code)) reject(error)
        else reject(new FfmpegError('failed', `ffmpeg failed: ${complaintOf(stderr, error)}`))
      },
    )
    command.run()
  })
}

/** The system's codes when a process cannot be started now, and may be later. */
const SHORTAGES: readonly (string | undefined)[] = ['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE']
/** The signals by which others end a process; the rest are its own faults. */
const ENDING: readonly (NodeJS.Signals | null)[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP']
/** ffmpeg's exit code after a signal that it handled. */
const EXIT_AFTER_SIGNAL = 255

/** Whether somebody ended a process, such as the kernel when it is out of memory. */
const wasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode === EXIT_AFTER_SIGNAL || ENDING.includes(signalCode)

/** ffmpeg's last line, the statistics and its closing "Conversion failed!" aside. */
function complaintOf(stderr: string | null, error: Error): string {
  const lines = (stderr ?? '').split('\n').map((line) => line.trim())
  const complaint = lines.findLast(
    (line) => line !== '' && !STATISTICS.test(line) && line !== 'Conversion failed!',
  )
  return complaint ?? error.message.split('\n')[0]!
}
