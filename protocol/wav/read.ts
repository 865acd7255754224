// Reads a WAV file of any length incrementally, in bounded memory (SPEC.md 8.2).
import type { WavFormat } from './format.ts'
import { type AudioStart, parseHeader, type ReadRequest } from './header.ts'
import { readFrames } from './samples.ts'

const EMPTY = new Uint8Array(0)

/**
 * Receives the bytes of a WAV file in buffers of any size and returns its audio as it arrives:
 *
 *     const reader = new WavReader()
 *     for await (const bytes of stream) use(reader.push(bytes), reader.format)
 *     use(reader.end(), reader.format)
 *
 * Everything after the first `data` chunk of the file is ignored.
 */
export class WavReader {
  readonly #parser = parseHeader()
  #request: ReadRequest = this.#parser.next().value as ReadRequest
  #audio: AudioStart | null = null
  /** Input not yet consumed: less than one request, or than one sample frame. */
  #pending: Uint8Array = EMPTY
  #bytesLeft = Infinity
  #failure: unknown = null

  /** The format of the audio; null until the header has been read. */
  get format(): WavFormat | null {
    return this.#audio?.format ?? null
  }

  /** Whether all of the audio has been read, so that further input is ignored. */
  get isDone(): boolean {
    return this.#audio !== null && this.#bytesLeft < frameBytes(this.#audio.format)
  }

  /**
   * Receives the next bytes of the file; the caller may reuse the buffer afterwards.
   * @returns the sample frames that they complete, as one array per channel; no array before the audio begins
   * @throws ProtocolError for an invalid header; `end` then throws it again
   */
  push(bytes: Uint8Array): Float32Array[] {
    this.#pending = concatenated(this.#pending, bytes)
    while (this.#audio === null && this.#serve(false)) {}
    const block = this.#audio === null ? [] : this.#takeFrames(this.#audio.format)
    this.#pending = this.#pending.slice()
    return block
  }

  /**
   * Ends the file.
   * @returns the sample frames not yet returned by `push`, one array per channel: usually none, but up to three bytes of
   *   audio are withheld until the end where a chunk name could follow
   * @throws ProtocolError if the header is invalid or incomplete
   */
  end(): Float32Array[] {
    while (this.#audio === null) this.#serve(true)
    return this.#takeFrames(this.#audio.format)
  }

  /** Serves the header parser's request if enough input is held or the file has ended. @returns whether it did */
  #serve(ended: boolean): boolean {
    const { kind, bytes } = this.#request
    const input = this.#pending.subarray(0, bytes)
    const isShort = input.length < bytes
    if (kind === 'skip' || (kind === 'take' && (ended || !isShort))) {
      this.#pending = this.#pending.subarray(input.length)
    }
    if (isShort && !ended) {
      if (kind === 'skip') this.#request = { kind, bytes: bytes - input.length }
      return false
    }
    const step = this.#resume(input)
    if (step.done) this.#beginAudio(step.value)
    else this.#request = step.value
    return true
  }

  /** Resumes the header parser. Keeps its error, as a generator that has thrown only reports that it is done. */
  #resume(input: Uint8Array): IteratorResult<ReadRequest, AudioStart> {
    if (this.#failure !== null) throw this.#failure
    try {
      return this.#parser.next(input)
    } catch (error) {
      this.#failure = error
      throw error
    }
  }

  #beginAudio(audio: AudioStart): void {
    this.#audio = audio
    this.#bytesLeft = audio.bytes
  }

  #takeFrames(format: WavFormat): Float32Array[] {
    const size = frameBytes(format)
    const audio = this.#pending.subarray(0, Math.min(this.#pending.length, this.#bytesLeft))
    const whole = audio.length - (audio.length % size)
    this.#bytesLeft -= whole
    this.#pending = this.#bytesLeft < size ? EMPTY : audio.subarray(whole)
    return readFrames(audio.subarray(0, whole), format)
  }
}

/** Reads a WAV file that is entirely in memory, one array per channel. @throws ProtocolError as `WavReader` does */
export function readWav(bytes: Uint8Array): { format: WavFormat; channels: Float32Array[] } {
  const reader = new WavReader()
  const audio = reader.push(bytes)
  const rest = reader.end()
  return { format: reader.format!, channels: audio.length > 0 ? audio : rest }
}

function frameBytes({ channels, sampleBytes }: WavFormat): number {
  return channels * sampleBytes
}

function concatenated(before: Uint8Array, after: Uint8Array): Uint8Array {
  if (before.length === 0) return after
  const joined = new Uint8Array(before.length + after.length)
  joined.set(before)
  joined.set(after, before.length)
  return joined
}
