// Receives while the sound arrives: follows a transmission as it is sent and decodes it before it ends (SPEC.md 9.13).
//
// A Receiver searches windows of two minutes thoroughly, and so finds whatever is in them, but late. Once a second, a
// LiveReceiver also searches the last half minute for a transmission of which perhaps only the beginning has arrived.
import { RAMP_SAMPLES, SAMPLE_RATE, SLOTS } from '../constants.ts'
import { lengthOf, startOf } from './alignment.ts'
import { BASEBAND_RATE, Baseband, type Signal, SLOT_LENGTH } from './baseband.ts'
import { type Decoding, isSame, Receiver } from './decode.ts'
import { type Hit, type SearchRange, search, syncEvidence } from './search.ts'
import { COARSE, spectrogram } from './spectrogram.ts'
import { CERTAIN_SYNC, type Transmission, WindowSearch } from './window.ts'

/** A transmission that is being received. */
export interface Hearing {
  /** From the first sample to the first sample of the transmission's fade [s]; negative if that was missed. */
  start: number
  /** Number of slots sent so far, 0 to 273. */
  slots: number
}

/** A transmission whose day is certain. */
export interface Reading {
  transmission: Transmission
  /** Whether all of it was sent, so that its diagnostics are final; before, its last slots count as absent. */
  isWhole: boolean
}

/** How much of the signal is searched: the longest transmission and some room [s]. */
const SEARCHED = 34
/** Speakers and microphones run at nearly the nominal rate; what runs faster or slower is left to the windows. */
const DEVICE_RANGE: SearchRange = { speeds: 2, rows: 1 }
/** At least this many slots of a transmission lie in the signal when it is looked for: three of them are sync slots. */
const MIN_SLOTS = 35
/** Fewer slots are not enough for any frame: 848 bits, in labels of 7 bits. */
const MIN_DECODABLE = 122
/** Room on both sides of a transmission that has ended, when it is searched thoroughly [baseband samples]. */
const MARGIN = BASEBAND_RATE / 4

/** Decodes sound as it arrives, in chunks of any length and bounded memory. */
export class LiveReceiver {
  readonly #rate: number
  readonly #windows: Receiver
  readonly #decoder = new WindowSearch()
  /** The mean of all channels. */
  readonly #mean: Baseband
  /** How much of it is kept [baseband samples]. */
  readonly #kept: number
  #samples = 0
  /** Start of the signal that has not been given up [baseband samples]. */
  #from = Number.NEGATIVE_INFINITY
  #hit: Hit | null = null
  /** The last reading of the transmission that is being received. */
  #current: Transmission | null = null
  /** One transmission for each of which `push` has returned a reading. */
  readonly #read: Transmission[] = []

  /**
   * @param rate of the samples [Hz], an integer
   * @param channels number of arrays in each block
   * @param kept how much of the latest signal can be read from `mean` [s]
   */
  constructor(rate: number, channels: number, kept = SEARCHED) {
    this.#rate = rate
    this.#windows = new Receiver(rate, channels)
    this.#mean = new Baseband(rate)
    this.#kept = kept * BASEBAND_RATE
  }

  /** The latest signal, as the mean of all channels. */
  get mean(): Signal {
    return this.#mean.signal
  }

  /** Returns a copy of what is searched: the longest transmission and some room. */
  latest(): Signal {
    const { start, length } = this.mean
    const last = sliced(this.mean, start + length - SEARCHED * BASEBAND_RATE)
    const [real, imag] = [last.real.slice(0, last.length), last.imag.slice(0, last.length)]
    return { ...last, real, imag }
  }

  /** The transmission that is being received, or null. */
  get hearing(): Hearing | null {
    if (this.#hit === null) return null
    const { alignment } = this.#hit
    const { start, length } = this.#mean.signal
    const sent = ((start + length - startOf(alignment)) * alignment.speed) / SLOT_LENGTH
    return {
      start: startOf(alignment) / BASEBAND_RATE - RAMP_SAMPLES / SAMPLE_RATE / alignment.speed,
      slots: Math.min(Math.max(Math.floor(sent), 0), SLOTS),
    }
  }

  /**
   * Receives the next block: one array per channel, of equal lengths.
   * @returns readings: of each transmission one as soon as its day is certain, and one when it has ended
   */
  push(block: readonly Float32Array[]): Reading[] {
    const readings: Reading[] = []
    const length = block[0]?.length ?? 0
    // The signal is searched after each whole second, whatever the length of the blocks.
    for (let from = 0, to = 0; from < length; from = to) {
      to = Math.min(length, from + this.#rate - (this.#samples % this.#rate))
      const part = block.map((samples) => samples.subarray(from, to))
      this.#windows.push(part)
      this.#mean.push(meanOf(part))
      this.#samples += to - from
      if (this.#samples % this.#rate === 0) readings.push(...this.#search())
    }
    return readings
  }

  /** Ends the sound. @returns what a Receiver returns for all of it */
  finish(): Decoding {
    return this.#windows.finish()
  }

  #search(): Reading[] {
    const { start, length } = this.#mean.signal
    this.#mean.drop(start + length - this.#kept)
    const readings = this.#follow(start + length - SEARCHED * BASEBAND_RATE)
    for (const { transmission } of readings) this.#remember(transmission)
    // What was too weak or too far from the nominal speed, and what overlapped another one.
    for (const transmission of this.#windows.transmissions) {
      if (this.#remember(transmission)) readings.push({ transmission, isWhole: true })
    }
    return readings
  }

  /** Searches the signal from there on [baseband samples], and tries to decode the transmission in it. */
  #follow(start: number): Reading[] {
    const signal = sliced(this.#mean.signal, Math.max(start, this.#from))
    // Once its day is certain, a transmission is only waited for.
    if (this.#current === null) this.#hit = this.#bestHit(signal)
    if (this.#hit === null) return []
    const { alignment } = this.#hit
    const [from, to] = [startOf(alignment), startOf(alignment) + lengthOf(alignment)]
    const end = signal.start + signal.length
    if (end >= to + MARGIN) return this.#end(sliced(signal, from - MARGIN), to)
    const received = end - Math.max(from, signal.start)
    if (this.#current !== null || received < MIN_DECODABLE * SLOT_LENGTH) return []
    this.#current = this.#decoder.attempt(signal, alignment)
    return this.#current === null ? [] : [{ transmission: this.#current, isWhole: false }]
  }

  #bestHit(signal: Signal): Hit | null {
    const evidence = syncEvidence(spectrogram(signal, COARSE))
    const [best] = search(evidence, DEVICE_RANGE, 1, SLOTS - MIN_SLOTS)
    return best !== undefined && best.sync >= CERTAIN_SYNC ? best : null
  }

  /** Reads a transmission that has ended once more, as a recording of it is read. */
  #end(signal: Signal, end: number): Reading[] {
    const found = this.#decoder.search([signal], () => true).transmissions
    const known = this.#current
    const whole = found.length > 0 || known === null ? found : [known]
    this.#hit = null
    this.#current = null
    this.#from = end - SLOT_LENGTH
    return whole.map((transmission) => ({ transmission, isWhole: true }))
  }

  /** @returns whether the transmission is a new one */
  #remember(transmission: Transmission): boolean {
    const isNew = !this.#read.some((other) => isSame(other, transmission))
    if (isNew) this.#read.push(transmission)
    return isNew
  }
}

/** Returns the signal from `from` on [baseband samples from the beginning]. */
function sliced({ real, imag, start, length }: Signal, from: number): Signal {
  const skipped = Math.min(Math.max(Math.floor(from) - start, 0), length)
  return {
    real: real.subarray(skipped),
    imag: imag.subarray(skipped),
    start: start + skipped,
    length: length - skipped,
  }
}

/** Returns the mean of the channels of a block. */
export function meanOf(block: readonly Float32Array[]): Float32Array {
  if (block.length === 1) return block[0]!
  return Float32Array.from(block[0]!, (_, i) => {
    return block.reduce((sum, samples) => sum + samples[i]!, 0) / block.length
  })
}
