// A WAV file read piece by piece, of any length and in bounded memory (SPEC.md 8.2).
import type { WavFormat } from './format.ts'
import { type Sound, type Wish, walkHeader } from './header.ts'
import { readFrames } from './samples.ts'

const NOTHING = new Uint8Array(0)

/**
 * Takes the bytes of a WAV file in pieces of any size and gives its sound as it comes:
 *
 *     const reader = new WavReader()
 *     for await (const piece of stream) use(reader.push(piece), reader.format)
 *     reader.end()
 *
 * What follows the first data chunk is ignored.
 */
export class WavReader {
  readonly #walk = walkHeader()
  #wish: Wish = this.#walk.next().value as Wish
  #sound: Sound | null = null
  /** Bytes that came and are not used up: less than one wish, or than one frame. */
  #held: Uint8Array = NOTHING
  #soundLeft = Infinity
  #failure: unknown = null

  /** The format of the sound, null until it begins. */
  get format(): WavFormat | null {
    return this.#sound?.format ?? null
  }

  /** Whether all of the sound has come: what follows is ignored. */
  get isDone(): boolean {
    return this.#sound !== null && this.#soundLeft < frameBytes(this.#sound.format)
  }

  /**
   * The next bytes of the file, which the caller may reuse afterwards; returns the frames that they complete, an array a
   * channel, or no array before the sound begins. Throws a ProtocolError, and `end` then throws it again.
   */
  push(piece: Uint8Array): Float32Array[] {
    this.#held = joined(this.#held, piece)
    while (this.#sound === null && this.#grant(false)) {}
    const block = this.#sound === null ? [] : this.#takeFrames(this.#sound.format)
    this.#held = this.#held.slice()
    return block
  }

  /** Ends the file; throws when its sound has not begun. */
  end(): void {
    while (this.#sound === null) this.#grant(true)
  }

  /** Fulfils the wish of the header's walk if the bytes at hand allow it, or at the file's end with what there is. */
  #grant(ended: boolean): boolean {
    const { kind, bytes } = this.#wish
    const answer = this.#held.subarray(0, bytes)
    const short = answer.length < bytes
    if (kind === 'skip' || (kind === 'take' && (ended || !short))) {
      this.#held = this.#held.subarray(answer.length)
    }
    if (short && !ended) {
      if (kind === 'skip') this.#wish = { kind, bytes: bytes - answer.length }
      return false
    }
    const step = this.#walkOn(answer)
    if (step.done) this.#beginSound(step.value)
    else this.#wish = step.value
    return true
  }

  /** An error of the header is thrown again by whatever is called after it. */
  #walkOn(answer: Uint8Array): IteratorResult<Wish, Sound> {
    if (this.#failure !== null) throw this.#failure
    try {
      return this.#walk.next(answer)
    } catch (error) {
      this.#failure = error
      throw error
    }
  }

  #beginSound(sound: Sound): void {
    this.#sound = sound
    this.#soundLeft = sound.bytes
  }

  #takeFrames(format: WavFormat): Float32Array[] {
    const size = frameBytes(format)
    const sound = this.#held.subarray(0, Math.min(this.#held.length, this.#soundLeft))
    const whole = sound.length - (sound.length % size)
    this.#soundLeft -= whole
    this.#held = this.#soundLeft < size ? NOTHING : sound.subarray(whole)
    return readFrames(sound.subarray(0, whole), format)
  }
}

/** The sound of a WAV file that is in memory as a whole, an array a channel; throws as `WavReader` does. */
export function readWav(bytes: Uint8Array): { format: WavFormat; channels: Float32Array[] } {
  const reader = new WavReader()
  let channels = reader.push(bytes)
  reader.end()
  const format = reader.format!
  if (channels.length === 0) channels = readFrames(NOTHING, format)
  return { format, channels }
}

function frameBytes({ channels, sampleBytes }: WavFormat): number {
  return channels * sampleBytes
}

function joined(before: Uint8Array, after: Uint8Array): Uint8Array {
  if (before.length === 0) return after
  const both = new Uint8Array(before.length + after.length)
  both.set(before)
  both.set(after, before.length)
  return both
}
