// Finds alignments of a transmission too weak for the search by power: adds its sync tones in phase (SPEC.md 9.14).
import { BASE_BINS, SLOTS, SYNC_TONES, TONES } from '../constants.ts'
import { SYNC_SLOTS } from '../interleave.ts'
import { type Alignment, alignmentOf } from './alignment.ts'
import { CENTRE_BIN, CENTRE_FREQUENCY, type Signal, SLOT_LENGTH } from './baseband.ts'
import { logBesselI0 } from './bessel.ts'
import { Demodulator, emptySlots, type Slots } from './demodulate.ts'
import { FourierTransform } from './fft.ts'
import { estimateNoise, whiten } from './levels.ts'
import { phasedToneRatios } from './metrics.ts'
import { turns } from './phase.ts'
import { Selector } from './select.ts'
import { KNOWN_TONES, noiseOfMedian } from './slots.ts'

/** Steps of the starts tried, and of the shorter times tried at each of them [baseband samples]. */
const START_STEP = 64
export const TIME_STEP = 2
/** Clock errors tried: steps as a fraction of the rate, and their number either way. */
const CLOCK_STEP = 12e-6
export const CLOCK_STEPS = 6
/** Starts that are measured by all slots, and those of them that are kept. */
export const MAX_STARTS = 256
export const MAX_KEPT = 96
/** Starts next to one of the best that may have more power than another of them. */
const NEIGHBOURS = 10
/** Maximum part of a transmission before the beginning or after the end of the signal [slots]. */
export const WEAK_OVERHANG = 60
/** Probability that a slot carries nothing of the transmission. */
export const DOUBT = 0.02
/** Bounds on the energy of a slot in units of N0, and on the concentration of the phase that the sync tones give. */
export const ENERGY_RANGE = [0.4, 8] as const
export const SYNC_CONCENTRATION = 6

/** An alignment at which a recording may contain a transmission, and what it then says of the tones sent. */
export interface Guess {
  signal: Signal
  alignment: Alignment
  /** Log-likelihood ratio of all slots against noise, for unknown data. */
  evidence: number
  /** 128 times the probability of each tone, at [slot * 128 + tone]; 1 in sync slots. */
  odds: Float32Array
}

const COLUMNS_PER_SLOT = SLOT_LENGTH / START_STEP
const UNIT_NOISE = new Float64Array(SLOTS).fill(1)

/** Returns the likeliest alignments of a transmission of unknown data, best first. */
export function weakGuesses(signal: Signal): Guess[] {
  const demodulator = new Demodulator()
  const guesses = startsByPhase(signal).map((alignment) => {
    return { signal, alignment, ...heardBySync(tonesAt(demodulator, signal, alignment)) }
  })
  return guesses.sort((a, b) => b.evidence - a.evidence).slice(0, MAX_KEPT)
}

/** Returns the tone amplitudes at an alignment in units of the noise. */
export function tonesAt(demodulator: Demodulator, signal: Signal, alignment: Alignment): Slots {
  const tones = emptySlots()
  demodulator.demodulate(signal, alignment, tones)
  whiten(tones, estimateNoise(tones))
  return tones
}

/** Measures unknown data, with the phase and the energy of the known sync tones. */
function heardBySync(tones: Slots): Pick<Guess, 'evidence' | 'odds'> {
  let [real, imag] = [0, 0]
  for (const [k, slot] of SYNC_SLOTS.entries()) {
    real += tones.real[slot * TONES + SYNC_TONES[k]!]!
    imag += tones.imag[slot * TONES + SYNC_TONES[k]!]!
  }
  const count = SYNC_SLOTS.length
  const sum = Math.hypot(real, imag)
  const energy = bounded((sum / count) ** 2 - 1 / count)
  const pull = 2 * Math.sqrt(energy) * sum
  const { evidence, odds } = toneOdds(
    tones,
    energy,
    Math.atan2(imag, real),
    Math.min(pull, SYNC_CONCENTRATION),
  )
  return { evidence: evidence + logBesselI0(pull) - count * energy, odds }
}

export function bounded(energy: number): number {
  return Math.min(Math.max(energy, ENERGY_RANGE[0]), ENERGY_RANGE[1])
}

/** Returns the odds of the tones of a guess, and the evidence of the data slots alone. */
export function toneOdds(
  tones: Slots,
  energy: number,
  phase: number,
  concentration: number,
): Pick<Guess, 'evidence' | 'odds'> {
  const odds = new Float32Array(SLOTS * TONES)
  phasedToneRatios(tones, UNIT_NOISE, energy, phase, concentration, odds)
  let evidence = 0
  for (let slot = 0; slot < SLOTS; slot++) {
    const own = odds.subarray(slot * TONES, (slot + 1) * TONES)
    if (KNOWN_TONES[slot]! >= 0 || tones.recorded[slot] === 0) {
      own.fill(1)
      continue
    }
    const mean = own.reduce((sum, ratio) => sum + Math.exp(ratio), 0) / TONES
    const total = DOUBT + (1 - DOUBT) * mean
    evidence += Math.log(total)
    for (let k = 0; k < TONES; k++) own[k] = (DOUBT + (1 - DOUBT) * Math.exp(own[k]!)) / total
  }
  return { evidence, odds }
}

/** Amplitudes of the sync tones. */
interface SyncTones {
  real: Float64Array
  imag: Float64Array
}

/** A start on the grid at which the sync tones agree in phase, for errors of time and clock. */
interface Start {
  start: number
  error: Alignment
  power: number
}

/** Returns the alignments at which the sync tones agree best in phase, best first. */
function startsByPhase(signal: Signal): Alignment[] {
  const sync = syncAmplitudes(signal)
  const tonesFrom = syncTonesReader(sync)
  const errors = errorsAround(START_STEP / 2, TIME_STEP, CLOCK_STEPS, CLOCK_STEP)
  const rotations = errors.map(rotationsOf)
  const best = new BestStarts()
  const first = -WEAK_OVERHANG * COLUMNS_PER_SLOT
  const last = sync.columns + (WEAK_OVERHANG - SLOTS) * COLUMNS_PER_SLOT
  for (let start = first; start <= last; start++) {
    const tones = tonesFrom(start)
    for (const [i, rotation] of rotations.entries()) {
      const power = coherentPower(tones, rotation)
      if (power > best.floor) best.add({ start, error: errors[i]!, power })
    }
  }
  const fine = errorsAround(TIME_STEP / 2, TIME_STEP / 4, 3, CLOCK_STEP / 4)
  return best.chosen().map((start) => {
    const { error } = refined(tonesFrom(start.start), start, fine)
    const middle = alignmentOf(signal.start + start.start * START_STEP, 1, 0).time
    return { time: middle + error.time, speed: 1 + error.speed, offset: error.offset }
  })
}

/** Moves a start to the best of errors around its own. */
function refined(tones: SyncTones, from: Start, around: Alignment[]): Start {
  let best = from
  for (const { time, speed, offset } of around) {
    const error = {
      time: from.error.time + time,
      speed: from.error.speed + speed,
      offset: from.error.offset + offset,
    }
    const power = coherentPower(tones, rotationsOf(error))
    if (power > best.power) best = { ...from, error, power }
  }
  return best
}

function coherentPower({ real, imag }: SyncTones, { cos, sin }: Rotations): number {
  let [x, y] = [0, 0]
  for (let k = 0; k < cos.length; k++) {
    x += real[k]! * cos[k]! + imag[k]! * sin[k]!
    y += imag[k]! * cos[k]! - real[k]! * sin[k]!
  }
  return x * x + y * y
}

/** Collects the starts with the highest powers. */
class BestStarts {
  /** Starts with less power are not among the best. */
  floor = 0
  #found: Start[] = []

  add(start: Start): void {
    this.#found.push(start)
    if (this.#found.length === 2 * NEIGHBOURS * MAX_STARTS) this.#cut()
  }

  /** Returns the best, highest power first, none of them next to a better one. */
  chosen(): Start[] {
    this.#cut()
    const chosen: Start[] = []
    for (const start of this.#found) {
      if (chosen.length === MAX_STARTS) break
      if (!chosen.some((other) => areNeighbours(start, other))) chosen.push(start)
    }
    return chosen
  }

  #cut(): void {
    this.#found.sort((a, b) => b.power - a.power)
    this.#found.length = Math.min(this.#found.length, NEIGHBOURS * MAX_STARTS)
    this.floor = this.#found.at(-1)?.power ?? 0
  }
}

function areNeighbours(a: Start, b: Start): boolean {
  const time = (a.start - b.start) * START_STEP + a.error.time - b.error.time
  return (
    Math.abs(time) < 1.5 * TIME_STEP && Math.abs(a.error.speed - b.error.speed) < 1.5 * CLOCK_STEP
  )
}

/** Returns errors of time, up to `reach`, and of the clock, which both times and frequencies follow. */
function errorsAround(reach: number, step: number, clocks: number, clockStep: number): Alignment[] {
  const errors: Alignment[] = []
  for (let i = -clocks; i <= clocks; i++) {
    for (let time = -reach; time <= reach; time += step) {
      errors.push({ time, speed: i * clockStep, offset: CENTRE_FREQUENCY * i * clockStep })
    }
  }
  return errors
}

/** The rotation of each sync tone by an error. */
interface Rotations {
  cos: Float64Array
  sin: Float64Array
}

function rotationsOf(error: Alignment): Rotations {
  const angles = Float64Array.from(
    SYNC_SLOTS,
    (slot, k) => 2 * Math.PI * turns(slot, syncBin(k), error, 1),
  )
  return { cos: angles.map(Math.cos), sin: angles.map(Math.sin) }
}

/** The FFT bin of a sync tone in the baseband, negative below the middle of the band. */
function syncBin(k: number): number {
  return BASE_BINS[SYNC_SLOTS[k]! & 1 ? 1 : 0] + SYNC_TONES[k]! - CENTRE_BIN
}

/** Amplitudes of each sync tone in every column, which are START_STEP samples apart. */
interface SyncColumns {
  columns: number
  real: Float32Array[]
  imag: Float32Array[]
}

/** Returns a function that reads the tones of a transmission which starts in a column; 0 beyond the ends. */
function syncTonesReader({ real, imag }: SyncColumns): (start: number) => SyncTones {
  const count = SYNC_SLOTS.length
  const tones = { real: new Float64Array(count), imag: new Float64Array(count) }
  return (start) => {
    for (let k = 0; k < count; k++) {
      const column = start + SYNC_SLOTS[k]! * COLUMNS_PER_SLOT
      tones.real[k] = real[k]![column] ?? 0
      tones.imag[k] = imag[k]![column] ?? 0
    }
    return tones
  }
}

/** Returns the amplitudes of the sync tones in units of their noise. */
function syncAmplitudes(signal: Signal): SyncColumns {
  const columns = Math.max(Math.floor((signal.length - SLOT_LENGTH) / START_STEP) + 1, 0)
  const real = Array.from(SYNC_TONES, () => new Float32Array(columns))
  const imag = Array.from(SYNC_TONES, () => new Float32Array(columns))
  const transform = new FourierTransform(SLOT_LENGTH)
  for (let column = 0; column < columns; column++) {
    const from = column * START_STEP
    transform.real.set(signal.real.subarray(from, from + SLOT_LENGTH))
    transform.imag.set(signal.imag.subarray(from, from + SLOT_LENGTH))
    transform.run()
    for (let k = 0; k < real.length; k++) {
      const bin = syncBin(k) & (SLOT_LENGTH - 1)
      real[k]![column] = transform.real[bin]!
      imag[k]![column] = transform.imag[bin]!
    }
  }
  const selector = new Selector(columns)
  for (let k = 0; k < real.length; k++) {
    const powers = Float64Array.from(real[k]!, (x, i) => x * x + imag[k]![i]! ** 2)
    const scale = 1 / Math.sqrt(noiseOfMedian(selector.median(powers)) || Number.POSITIVE_INFINITY)
    for (let i = 0; i < columns; i++) {
      real[k]![i]! *= scale
      imag[k]![i]! *= scale
    }
  }
  return { columns, real, imag }
}
