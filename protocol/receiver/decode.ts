// From sound to days: recordings of any length, in pieces, and the reasons when there is nothing (SPEC.md 9 and 10).
import { TRANSMISSION_SECONDS } from '../constants.ts'
import { type ErrorCode, ProtocolError } from '../errors.ts'
import { WavReader } from '../wav/read.ts'
import { BASEBAND_RATE, Baseband } from './baseband.ts'
import { lengthOf, startOf } from './place.ts'
import { type Failure, type Transmission, WindowSearch } from './window.ts'

/** What a recording holds: its transmissions in the order of time or, when there is none, the reason. */
export interface Decoding {
  transmissions: Transmission[]
  error: { code: ErrorCode; message: string } | null
}

/** Is called with the sound of a file as it is read: an array of samples for each channel, and samples a second. */
type Listener = (block: readonly Float32Array[], rate: number) => void

/** Long recordings are searched in windows of this length [baseband samples]: two minutes. */
export const WINDOW = 120 * BASEBAND_RATE
/** Windows overlap by more than the longest transmission (at speed 0.978) so that each lies whole in one of them. */
export const OVERLAP = 32 * BASEBAND_RATE
/** Transmissions that begin closer together than this [s] are one that was found twice. */
const SAME_START = 1
/** A transmission of which less is inside the recording is called incomplete when it could not be read. */
export const COMPLETE = 0.9
/** Shorter recordings are refused: they cannot hold enough of a transmission to read it [s]. */
export const LEAST_SECONDS = 10
/** A file in memory is decoded in pieces of this size, so that little of it is there as samples at a time. */
const PIECE_BYTES = 1 << 20

/** Receives sound as it comes, in bounded memory. */
export class Receiver {
  readonly #channels: Baseband[]
  readonly #search = new WindowSearch()
  readonly #rate: number
  #samples = 0
  #isSilent = true
  #first: number[] = []
  #isFirstWindow = true
  readonly #transmissions: Transmission[] = []
  readonly #failures: Failure[] = []

  /**
   * @param rate samples a second
   * @param channels how many arrays each block has
   */
  constructor(rate: number, channels: number) {
    this.#rate = rate
    this.#channels = Array.from({ length: channels }, () => new Baseband(rate))
  }

  /** The next block of sound, an array a channel, of equal lengths of at most a few seconds. */
  push(block: readonly Float32Array[]): void {
    const length = block[0]?.length ?? 0
    if (length === 0) return
    this.#listen(block)
    this.#samples += length
    for (const [i, channel] of this.#channels.entries()) channel.push(block[i]!)
    while (this.#channels[0]!.signal.length >= WINDOW) this.#searchWindow(false)
  }

  /** Ends the recording. */
  finish(): Decoding {
    const seconds = this.#samples / this.#rate
    if (this.#isSilent) return failed('silent', 'the recording is silent from beginning to end')
    if (seconds < LEAST_SECONDS) {
      return failed(
        'too_short',
        `the recording has ${seconds.toFixed(1)} s, and a transmission ${TRANSMISSION_SECONDS.toFixed(1)} s`,
      )
    }
    for (const channel of this.#channels) channel.finish()
    this.#searchWindow(true)
    this.#transmissions.sort((a, b) => a.diagnostics.start - b.diagnostics.start)
    const error = this.#transmissions.length > 0 ? null : reasonFor(this.#failures)
    return { transmissions: this.#transmissions, error }
  }

  /** Silence is the same sample over and over. */
  #listen(block: readonly Float32Array[]): void {
    if (!this.#isSilent) return
    if (this.#samples === 0) this.#first = block.map((samples) => samples[0]!)
    this.#isSilent = block.every((samples, i) =>
      samples.every((sample) => sample === this.#first[i]),
    )
  }

  /** Searches the oldest window; what extends over an edge is left to the neighbour that has it whole. */
  #searchWindow(isLast: boolean): void {
    const signals = this.#channels.map((channel) => channel.signal)
    const { start, length } = signals[0]!
    const end = start + (isLast ? length : WINDOW)
    const isFirst = this.#isFirstWindow
    const found = this.#search.search(
      signals.map((signal) => ({ ...signal, length: end - start })),
      (place) =>
        (isFirst || startOf(place) >= start) && (isLast || startOf(place) + lengthOf(place) <= end),
    )
    for (const transmission of found.transmissions) this.#add(transmission)
    this.#failures.push(...found.failures)
    this.#isFirstWindow = false
    if (!isLast) for (const channel of this.#channels) channel.drop(start + WINDOW - OVERLAP)
  }

  /** Of one that two windows have, the more complete reception is kept. */
  #add(transmission: Transmission): void {
    const { start, absentPart } = transmission.diagnostics
    const known = this.#transmissions.findIndex(
      ({ diagnostics }) => Math.abs(diagnostics.start - start) < SAME_START,
    )
    if (known < 0) this.#transmissions.push(transmission)
    else if (absentPart < this.#transmissions[known]!.diagnostics.absentPart) {
      this.#transmissions[known] = transmission
    }
  }
}

/** Decodes a WAV file that comes in pieces of any size; errors of the file come out as the reason, not as exceptions. */
export class WavDecoder {
  readonly #reader = new WavReader()
  readonly #listener: Listener | undefined
  #receiver: Receiver | null = null
  #error: ProtocolError | null = null

  constructor(listener?: Listener) {
    this.#listener = listener
  }

  /** Takes the next bytes; after an error they are ignored. */
  push(piece: Uint8Array): void {
    if (this.#error !== null) return
    this.#guard(() => {
      const block = this.#reader.push(piece)
      const { format } = this.#reader
      if (format === null || block.length === 0) return
      this.#receiver ??= new Receiver(format.sampleRate, format.channels)
      this.#receiver.push(block)
      this.#listener?.(block, format.sampleRate)
    })
  }

  /** Whether nothing that follows can change the result: the sound has ended, or there is none. */
  get isDone(): boolean {
    return this.#error !== null || this.#reader.isDone
  }

  /** Ends the file. */
  end(): Decoding {
    this.#guard(() => this.#reader.end())
    if (this.#error !== null) return failed(this.#error.code, this.#error.message)
    const { format } = this.#reader
    this.#receiver ??= new Receiver(format!.sampleRate, format!.channels)
    return this.#receiver.finish()
  }

  #guard(step: () => void): void {
    try {
      step()
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      this.#error ??= error
    }
  }
}

/** Everything that a WAV file in memory holds. Never throws for what the file contains. */
export function decodeWav(bytes: Uint8Array): Decoding {
  const decoder = new WavDecoder()
  for (let at = 0; at < bytes.length; at += PIECE_BYTES)
    decoder.push(bytes.subarray(at, at + PIECE_BYTES))
  return decoder.end()
}

function failed(code: ErrorCode, message: string): Decoding {
  return { transmissions: [], error: { code, message } }
}

/** The reason for which a recording gave nothing, by the likeliest of its failed candidates. */
function reasonFor(failures: Failure[]): { code: ErrorCode; message: string } {
  const invalid = failures.find((failure) => failure.invalid !== null)
  if (invalid)
    return {
      code: 'invalid_frame',
      message: `a frame was read that is not valid: ${invalid.invalid}`,
    }
  const [likeliest] = failures.sort((a, b) => b.evidence - a.evidence)
  if (likeliest === undefined)
    return { code: 'no_sync', message: 'no transmission was found in the recording' }
  const at = `a transmission at ${(startOf(likeliest.place) / BASEBAND_RATE).toFixed(1)} s`
  if (likeliest.inside < COMPLETE) {
    const percent = Math.round(likeliest.inside * 100)
    return {
      code: 'incomplete',
      message: `only ${percent} % of ${at} lie within the recording, too little to read it`,
    }
  }
  return { code: 'no_frame', message: `${at} is too noisy or too damaged to be read` }
}
