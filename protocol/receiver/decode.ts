// Decodes recordings of any length incrementally: their transmissions, or why there is none (SPEC.md 9 and 10).
import { TRANSMISSION_SECONDS } from '../constants.ts'
import { type ErrorCode, ProtocolError } from '../errors.ts'
import { WavReader } from '../wav/read.ts'
import { lengthOf, startOf } from './alignment.ts'
import { BASEBAND_RATE, Baseband } from './baseband.ts'
import { type Failure, type Transmission, WindowSearch } from './window.ts'

/** The transmissions of a recording in order of time, or the reason why there is none. */
export interface Decoding {
  transmissions: Transmission[]
  error: { code: ErrorCode; message: string } | null
}

/** Called with the audio of a file as it is read: one array of samples per channel, and the sample rate [Hz]. */
type OnBlock = (block: readonly Float32Array[], rate: number) => void

/** Turns samples into a decoding. */
interface SampleReceiver {
  push(block: readonly Float32Array[]): unknown
  finish(): Decoding
}

/** Long recordings are searched in windows of this length [baseband samples]: two minutes. */
export const WINDOW = 120 * BASEBAND_RATE
/** Windows overlap by more than the longest transmission (at speed 0.978), so that one window contains all of it. */
export const OVERLAP = 32 * BASEBAND_RATE
/** Two transmissions that start within this time [s] are one that was found twice. */
const SAME_START = 1
/** An unreadable transmission is incomplete if a smaller fraction of it lies inside the recording. */
export const MIN_COMPLETE = 0.9
/** Minimum length of a recording [s]: shorter ones cannot contain enough of a transmission to decode it. */
export const MIN_SECONDS = 10
/** A file in memory is decoded in chunks of this size, so that only a small part is held as samples. */
const CHUNK_BYTES = 1 << 20

/** Decodes samples as they arrive, in bounded memory. */
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
   * @param rate of the samples [Hz]
   * @param channels number of arrays in each block
   */
  constructor(rate: number, channels: number) {
    this.#rate = rate
    this.#channels = Array.from({ length: channels }, () => new Baseband(rate))
  }

  /** Receives the next block: one array per channel, of equal lengths of at most a few seconds. */
  push(block: readonly Float32Array[]): void {
    const length = block[0]?.length ?? 0
    if (length === 0) return
    this.#checkSilence(block)
    this.#samples += length
    for (const [i, channel] of this.#channels.entries()) channel.push(block[i]!)
    while (this.#channels[0]!.signal.length >= WINDOW) this.#searchWindow(false)
  }

  /** The transmissions of the windows searched so far. */
  get transmissions(): readonly Transmission[] {
    return this.#transmissions
  }

  /** Ends the recording and returns the result. */
  finish(): Decoding {
    const seconds = this.#samples / this.#rate
    if (this.#isSilent) return failed('silent', 'the recording is silent from beginning to end')
    if (seconds < MIN_SECONDS) {
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

  /** A recording is silent if every channel is constant. */
  #checkSilence(block: readonly Float32Array[]): void {
    if (!this.#isSilent) return
    if (this.#samples === 0) this.#first = block.map((samples) => samples[0]!)
    this.#isSilent = block.every((samples, i) =>
      samples.every((sample) => sample === this.#first[i]),
    )
  }

  /** Searches the oldest window; a transmission that crosses its edge is left to the neighbour that contains it. */
  #searchWindow(isLast: boolean): void {
    const signals = this.#channels.map((channel) => channel.signal)
    const { start, length } = signals[0]!
    const end = start + (isLast ? length : WINDOW)
    const isFirst = this.#isFirstWindow
    const found = this.#search.search(
      signals.map((signal) => ({ ...signal, length: end - start })),
      (alignment) =>
        (isFirst || startOf(alignment) >= start) &&
        (isLast || startOf(alignment) + lengthOf(alignment) <= end),
    )
    for (const transmission of found.transmissions) this.#add(transmission)
    this.#failures.push(...found.failures)
    this.#isFirstWindow = false
    if (!isLast) for (const channel of this.#channels) channel.drop(start + WINDOW - OVERLAP)
  }

  /** Adds a transmission; if two windows found it, keeps the more complete reception. */
  #add(transmission: Transmission): void {
    const { absentPart } = transmission.diagnostics
    const known = this.#transmissions.findIndex((other) => isSame(other, transmission))
    if (known < 0) this.#transmissions.push(transmission)
    else if (absentPart < this.#transmissions[known]!.diagnostics.absentPart) {
      this.#transmissions[known] = transmission
    }
  }
}

/** Decodes a WAV file that arrives in buffers of any size; file errors are returned as the result, not thrown. */
export class WavDecoder {
  readonly #reader = new WavReader()
  readonly #onBlock: OnBlock | undefined
  readonly #receiverFor: (rate: number, channels: number) => SampleReceiver
  #receiver: SampleReceiver | null = null
  #error: ProtocolError | null = null

  /** @param receiverFor makes the receiver of the file's audio, by default one of recordings */
  constructor(
    onBlock?: OnBlock,
    receiverFor = (rate: number, channels: number): SampleReceiver => new Receiver(rate, channels),
  ) {
    this.#onBlock = onBlock
    this.#receiverFor = receiverFor
  }

  /** Receives the next bytes, which are ignored after an error. */
  push(bytes: Uint8Array): void {
    if (this.#error !== null) return
    this.#guard(() => this.#receive(this.#reader.push(bytes)))
  }

  /** Whether further input cannot change the result: the audio has ended, or there was an error. */
  get isDone(): boolean {
    return this.#error !== null || this.#reader.isDone
  }

  /** Ends the file and returns the result. */
  end(): Decoding {
    this.#guard(() => this.#receive(this.#reader.end()))
    if (this.#error !== null) return failed(this.#error.code, this.#error.message)
    return this.#receiver!.finish()
  }

  #receive(block: readonly Float32Array[]): void {
    const { format } = this.#reader
    if (format === null || block.length === 0) return
    this.#receiver ??= this.#receiverFor(format.sampleRate, format.channels)
    this.#receiver.push(block)
    this.#onBlock?.(block, format.sampleRate)
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

/** Decodes a WAV file in memory. Never throws because of its content. */
export function decodeWav(bytes: Uint8Array): Decoding {
  const decoder = new WavDecoder()
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
    decoder.push(bytes.subarray(at, at + CHUNK_BYTES))
  return decoder.end()
}

/** Whether two receptions are of one transmission. */
export function isSame(a: Transmission, b: Transmission): boolean {
  return Math.abs(a.diagnostics.start - b.diagnostics.start) < SAME_START
}

function failed(code: ErrorCode, message: string): Decoding {
  return { transmissions: [], error: { code, message } }
}

/** Returns the error of a recording without a transmission, from the likeliest of its failed candidates. */
function reasonFor(failures: Failure[]): { code: ErrorCode; message: string } {
  const invalid = failures.find((failure) => failure.invalid !== null)
  if (invalid)
    return {
      code: 'invalid_frame',
      message: `a frame was decoded that is not valid: ${invalid.invalid}`,
    }
  const [likeliest] = failures.sort((a, b) => b.evidence - a.evidence)
  if (likeliest === undefined)
    return { code: 'no_sync', message: 'no transmission was found in the recording' }
  const name = `a transmission at ${(startOf(likeliest.alignment) / BASEBAND_RATE).toFixed(1)} s`
  if (likeliest.inside < MIN_COMPLETE) {
    const percent = Math.round(likeliest.inside * 100)
    return {
      code: 'incomplete',
      message: `only ${percent} % of ${name} lies within the recording, too little to decode it`,
    }
  }
  return { code: 'no_frame', message: `${name} is too noisy or too damaged to be decoded` }
}
