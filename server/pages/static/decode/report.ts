// The messages between the pages that decode and their worker, and how a page starts one.
import type { Decoding, Hearing, Transmission } from '../../../../protocol/receiver/index.ts'

/** The processor in listen/worklet.ts. */
export const CAPTURE = 'capture'

/** Samples as the microphone recorded them, from the audio thread to the worker. */
export interface Captured {
  samples: Float32Array<ArrayBuffer>
  /** When the last of them arrived [ms]. */
  at: number
}

/** A request from the page. */
export type Task =
  /** A WAV file. */
  | { kind: 'decode'; file: File }
  /** The samples of a file that the browser opened. */
  | { kind: 'samples'; rate: number; channels: Float32Array<ArrayBuffer>[] }
  | { kind: 'example' }
  /** Decode what arrives at the port (listen/worklet.ts) until the end. */
  | { kind: 'listen'; rate: number; port: MessagePort }
  | { kind: 'end' }
  | { kind: 'save' }

export type Report =
  /** All modules are loaded; the worker accepts files. */
  | { kind: 'ready' }
  /** The fraction of the file that has been read, and the new levels (levels.ts). */
  | { kind: 'progress'; fraction: number; levels: Uint8Array }
  | { kind: 'decoded'; decoding: Decoding }
  /** The file itself could not be read. */
  | { kind: 'failed'; message: string }
  /** The bytes of a WAV file. */
  | { kind: 'example'; bytes: Uint8Array<ArrayBuffer> }
  /** The sound so far [s], the new levels, and whether the new sound is digital silence. */
  | {
      kind: 'heard'
      seconds: number
      levels: Uint8Array
      hearing: Hearing | null
      isSilent: boolean
    }
  /** A day is certain, or its transmission has ended, after so much sound [s]. */
  | { kind: 'reading'; transmission: Transmission; isWhole: boolean; at: number }
  /** Repetitions are added up, for so long that other reports wait. */
  | { kind: 'adding' }
  /** Samples were lost after so much sound [s]. */
  | { kind: 'gap'; seconds: number; at: number }
  /** The sound has ended; whether its day was read from several repetitions together. */
  | { kind: 'ended'; decoding: Decoding; isCombined: boolean }
  | { kind: 'saved'; wav: Blob }

/** A report of this kind. */
export type ReportOf<Kind extends Report['kind']> = Report & { kind: Kind }

/** What a page does with the reports of some kinds, and when the worker has failed for good. */
type Receive = { [Kind in Report['kind']]?: (report: ReportOf<Kind>) => void } & { stopped(): void }

/**
 * Starts a worker.
 * @returns a function that sends it a task, whose samples and port are moved, not copied
 */
export function startDecoder({ stopped, ...receive }: Receive): (task: Task) => void {
  const worker = new Worker(new URL('./decode-worker.js', import.meta.url), { type: 'module' })
  worker.addEventListener('message', ({ data }: MessageEvent<Report>) =>
    (receive[data.kind] as ((report: Report) => void) | undefined)?.(data),
  )
  worker.addEventListener('error', stopped)
  return (task) => worker.postMessage(task, movedIn(task))
}

function movedIn(task: Task): Transferable[] {
  if (task.kind === 'listen') return [task.port]
  return task.kind === 'samples' ? task.channels.map(({ buffer }) => buffer) : []
}
