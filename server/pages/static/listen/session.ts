// Listens in the worker: decodes what the microphone records, keeps the end of it, and notices what is missing.
import { wavHeader } from '../../../../protocol/index.ts'
import {
  combinePassages,
  combineReceptions,
  isWeak,
  likeliestPassages,
  MAX_PASSAGES,
  type Passage,
} from '../../../../protocol/receiver/combine.ts'
import { LiveReceiver, type Transmission } from '../../../../protocol/receiver/index.ts'
import { levelMeter } from '../decode/levels.ts'
import type { Captured, Report } from '../decode/report.ts'
import { ADDED_MINUTES, KEPT_BYTES } from './bounds.ts'

/** A longer gap is shortened to this: nothing is decoded across it anyway [s]. */
const LONGEST_SILENCE = 60

export class ListenSession {
  readonly #rate: number
  readonly #report: (report: Report) => void
  readonly #receiver: LiveReceiver
  readonly #levelsOf: ReturnType<typeof levelMeter>
  readonly #lostBefore: ReturnType<typeof gapFinder>
  readonly #tape = new Tape()
  #samples = 0
  #hasEnded = false
  /** Transmissions that were heard, and not read. */
  readonly #unread: Passage[] = []
  #found: Transmission[] = []

  /** @param rate of the samples [Hz] */
  constructor(rate: number, report: (report: Report) => void) {
    this.#rate = rate
    this.#report = report
    this.#receiver = new LiveReceiver(rate, 1, ADDED_MINUTES * 60)
    this.#levelsOf = levelMeter(rate)
    this.#lostBefore = gapFinder(rate)
  }

  push({ samples, at }: Captured): void {
    // The audio thread may have sent it before it was told to stop.
    if (this.#hasEnded) return
    const missing = this.#lostBefore(samples.length, at)
    if (missing > 0) this.#bridge(missing)
    this.#receive(samples)
  }

  /** Ends the sound, and reports its result as that of a recording, of which repetitions are added up if need be. */
  end(): void {
    this.#hasEnded = true
    const alone = this.#receiver.finish()
    const known = this.#found
    const together = !isWeak(alone)
      ? []
      : known.length > 0
        ? known
        : combineReceptions([this.#receiver.mean])
    const isCombined = together.length > 0
    const decoding = isCombined ? { transmissions: together, error: null } : alone
    this.#report({ kind: 'ended', decoding, isCombined })
  }

  save(): void {
    this.#report({ kind: 'saved', wav: this.#tape.wav(this.#rate) })
  }

  /** After a transmission that was heard and not read: reads it together with those before it. */
  #addUp(at: number): void {
    if (this.#unread.length > 0) this.#report({ kind: 'adding' })
    // Each is searched only once, because that takes most of the time.
    this.#unread.push(...likeliestPassages(this.#receiver.latest(), 0))
    this.#unread.splice(0, this.#unread.length - MAX_PASSAGES)
    this.#found = combinePassages(this.#unread)
    for (const transmission of this.#found)
      this.#report({ kind: 'reading', transmission, isWhole: true, at })
  }

  /** Puts silence in place of lost samples, because the transmission goes on during them (SPEC.md 9.13). */
  #bridge(missing: number): void {
    const seconds = missing / this.#rate
    this.#report({ kind: 'gap', seconds, at: this.#samples / this.#rate })
    const bridged = Math.min(missing, LONGEST_SILENCE * this.#rate)
    for (let done = 0; done < bridged; done += this.#rate)
      this.#receive(new Float32Array(Math.min(this.#rate, bridged - done)))
  }

  #receive(samples: Float32Array): void {
    this.#tape.push(samples)
    this.#samples += samples.length
    const at = this.#samples / this.#rate
    const wasHearing = this.#receiver.hearing !== null
    const readings = this.#receiver.push([samples])
    for (const reading of readings) this.#report({ kind: 'reading', at, ...reading })
    if (wasHearing && this.#receiver.hearing === null && readings.length === 0) this.#addUp(at)
    this.#report({
      kind: 'heard',
      seconds: at,
      levels: this.#levelsOf([samples]),
      hearing: this.#receiver.hearing,
      isSilent: samples.every((sample) => sample === 0),
    })
  }
}

/** The end of a recording as 16-bit samples. */
class Tape {
  readonly #chunks: Int16Array<ArrayBuffer>[] = []
  #bytes = 0

  push(samples: Float32Array): void {
    const chunk = Int16Array.from(samples, (sample) =>
      Math.round(Math.max(-1, Math.min(1, sample)) * 0x7fff),
    )
    this.#chunks.push(chunk)
    this.#bytes += chunk.byteLength
    while (this.#bytes > KEPT_BYTES) this.#bytes -= this.#chunks.shift()?.byteLength ?? 0
  }

  /** Typed arrays are little-endian on every device with a browser, as WAV files are. */
  wav(rate: number): Blob {
    const header = Uint8Array.from(wavHeader(this.#bytes / Int16Array.BYTES_PER_ELEMENT, rate))
    return new Blob([header, ...this.#chunks], { type: 'audio/wav' })
  }
}

/** Each period, the smallest delay counts: samples that only arrived late come in a burst within it [s]. */
const PERIOD = 2
/** A smaller loss is not told from jitter; it is half a slot [s]. */
const LEAST = 0.05
/** What the clocks of the sound and of the device may differ by in a period, 500 ppm [s]. */
const DRIFT = PERIOD * 5e-4

/**
 * @param rate of the samples [Hz]
 * @returns a function that counts samples, of which the last arrived at that time [ms], and returns how many were lost
 * before them
 */
export function gapFinder(rate: number): (length: number, at: number) => number {
  let samples = 0
  let periodEnd = PERIOD * rate
  /** The smallest delay of the samples behind the clock, in this period and in the one before [s]. */
  let delay = Number.POSITIVE_INFINITY
  let usual: number | null = null
  return (length, at) => {
    samples += length
    delay = Math.min(delay, at / 1000 - samples / rate)
    if (samples < periodEnd) return 0
    periodEnd = samples + PERIOD * rate
    const smallest = delay
    delay = Number.POSITIVE_INFINITY
    if (usual === null || smallest - usual < LEAST) {
      // Rises slowly, so that several small losses add up until they are noticed.
      usual = usual === null ? smallest : Math.min(smallest, usual + DRIFT)
      return 0
    }
    const lost = Math.round((smallest - usual) * rate)
    samples += lost
    periodEnd += lost
    return lost
  }
}
