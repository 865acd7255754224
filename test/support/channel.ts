// The simulated channel between a sender and a recording: impairments of sound at 48 kHz, random ones from a seed.
import { SAMPLE_RATE, TRANSMISSION_SAMPLES } from '../../protocol/constants.ts'
import { convolve, hilbert } from './filters.ts'
import { type Random, random } from './random.ts'

/** Sound at 48 kHz, full scale 1. */
export type Sound = Float32Array<ArrayBuffer>

const FRAME_BITS = 848

/** The samples of a transmission as sound. */
export function soundOf(samples: Int16Array): Sound {
  const sound = new Float32Array(samples.length)
  for (let i = 0; i < sound.length; i++) sound[i] = samples[i]! / 2 ** 15
  return sound
}

/** Adds silence before and after [s]. */
export function padded(sound: Sound, before: number, after: number): Sound {
  const lead = Math.round(before * SAMPLE_RATE)
  const all = new Float32Array(lead + sound.length + Math.round(after * SAMPLE_RATE))
  all.set(sound, lead)
  return all
}

/** Adds white noise. @param ebN0 energy per bit of the frame over N0 [dB] @param power mean square of the transmission */
export function noisy(sound: Sound, ebN0: number, seed: number, power = 0.125): Sound {
  const energyPerBit = (power * TRANSMISSION_SAMPLES) / FRAME_BITS
  const deviation = Math.sqrt(energyPerBit / 10 ** (ebN0 / 10) / 2)
  const { gaussian } = random(seed)
  return sound.map((sample) => sample + deviation * gaussian())
}

/** Plays the sound `speed` times as fast, interpolated by a windowed sinc of 32 taps. */
export function atSpeed(sound: Sound, speed: number): Sound {
  return warped(sound, Math.floor(sound.length / speed), (i) => i * speed)
}

/** Varies the speed by `depth` (0.001 is 0.1 %) at `rate` [Hz]. */
export function withWow(sound: Sound, depth: number, rate: number): Sound {
  const swing = (2 * Math.PI * rate) / SAMPLE_RATE
  return warped(sound, sound.length, (i) => i + (depth / swing) * Math.sin(swing * i))
}

const REACH = 16
const PHASES = 512
const SINC = Float32Array.from({ length: (PHASES + 1) * 2 * REACH }, (_, i) => {
  const x = Math.floor(i / (2 * REACH)) / PHASES + REACH - 1 - (i % (2 * REACH))
  const window = 0.5 + 0.5 * Math.cos((Math.PI * x) / REACH)
  return x === 0 ? 1 : (window * Math.sin(Math.PI * x)) / (Math.PI * x)
})

/** Resamples: output sample i is the input at position `at(i)`, which may be between samples. */
function warped(sound: Sound, length: number, at: (i: number) => number): Sound {
  const out = new Float32Array(length)
  const from = padded(sound, REACH / SAMPLE_RATE, (REACH + 1) / SAMPLE_RATE)
  for (let i = 0; i < length; i++) {
    const position = Math.min(Math.max(at(i), 0), sound.length - 1)
    const whole = Math.floor(position)
    let tap = Math.round((position - whole) * PHASES) * 2 * REACH
    let sum = 0
    for (let j = whole + 1; j <= whole + 2 * REACH; j++) sum += from[j]! * SINC[tap++]!
    out[i] = sum
  }
  return out
}

/** Moves all frequencies up by `hertz`, like a mistuned single-sideband receiver. */
export function translated(sound: Sound, hertz: number, imaginary = hilbert(sound)): Sound {
  const turn = (2 * Math.PI * hertz) / SAMPLE_RATE
  return sound.map((sample, i) => sample * Math.cos(turn * i) - imaginary[i]! * Math.sin(turn * i))
}

/** Mirrors the spectrum, as on the wrong sideband: frequency f becomes `carrier` - f [Hz]. */
export const inverted = (sound: Sound, carrier: number): Sound =>
  translated(
    sound,
    carrier,
    hilbert(sound).map((sample) => -sample),
  )

/** Silences `count` gaps at random positions; they do not overlap and together take up `part` of the sound. */
export function withDropouts(sound: Sound, part: number, count: number, seed: number): Sound {
  const { uniform } = random(seed)
  const gap = Math.floor((sound.length * part) / count)
  const free = sound.length - gap * count
  const starts = Array.from({ length: count }, () => uniform() * free).sort((a, b) => a - b)
  const out = sound.slice()
  for (const [i, start] of starts.entries()) {
    const from = Math.floor(start) + i * gap
    out.fill(0, from, from + gap)
  }
  return out
}

/** Clips the sound at `decibels` relative to its highest peak. */
export function clipped(sound: Sound, decibels: number): Sound {
  const limit = peakOf(sound) * 10 ** (decibels / 20)
  return sound.map((sample) => Math.min(Math.max(sample, -limit), limit))
}

/**
 * Simulates a room: adds to the direct sound a noise-like echo that decays by 60 dB in `rt60` [s]. Its energy is
 * `directToReverberant` [dB] below that of the direct sound.
 */
export function reverberant(
  sound: Sound,
  rt60: number,
  directToReverberant: number,
  seed: number,
): Sound {
  const { gaussian } = random(seed)
  const decay = Math.log(1000) / (rt60 * SAMPLE_RATE)
  const tail = Float32Array.from(
    { length: Math.ceil(rt60 * SAMPLE_RATE) },
    (_, i) => gaussian() * Math.exp(-decay * i),
  )
  const energy = tail.reduce((sum, sample) => sum + sample ** 2, 0)
  const gain = Math.sqrt(10 ** (-directToReverberant / 10) / energy)
  const response = tail.map((sample) => sample * gain)
  response[0]! += 1
  return convolve(sound, response)
}

/** Adds a steady tone, `decibels` above the transmission's power, at a random frequency in its band. */
export function withTone(sound: Sound, decibels: number, seed: number, power = 0.125): Sound {
  const { uniform } = random(seed)
  const turn = (2 * Math.PI * (520 + 2150 * uniform())) / SAMPLE_RATE
  const amplitude = Math.sqrt(2 * power * 10 ** (decibels / 10))
  return sound.map((sample, i) => sample + amplitude * Math.sin(turn * i))
}

/** Adds a tone that moves to another frequency of the band every 80 ms, `decibels` above the transmission's power. */
export function withMelody(sound: Sound, decibels: number, seed: number, power = 0.125): Sound {
  const { uniform } = random(seed)
  const amplitude = Math.sqrt(2 * power * 10 ** (decibels / 10))
  const noteLength = 0.08 * SAMPLE_RATE
  const out = sound.slice()
  for (let from = 0, angle = 0; from < out.length; from += noteLength) {
    const turn = (2 * Math.PI * (520 + 2150 * uniform())) / SAMPLE_RATE
    const end = Math.min(out.length, from + noteLength)
    for (let i = from; i < end; i++) {
      angle += turn
      out[i]! += amplitude * Math.sin(angle)
    }
    angle %= 2 * Math.PI
  }
  return out
}

/** Adds `rate` clicks per second: bursts of up to 50 ms and up to ten times the transmission's amplitude. */
export function withClicks(sound: Sound, rate: number, seed: number): Sound {
  const { uniform, gaussian } = random(seed)
  const out = sound.slice()
  const count = Math.round((rate * sound.length) / SAMPLE_RATE)
  for (let click = 0; click < count; click++) addClick(out, uniform, gaussian)
  return out
}

function addClick(out: Sound, uniform: Random['uniform'], gaussian: Random['gaussian']): void {
  const from = Math.floor(uniform() * out.length)
  const strength = 5 * uniform()
  const length = SAMPLE_RATE * (0.0005 + 0.01 * uniform())
  const end = Math.min(out.length, from + 5 * length)
  for (let i = from; i < end; i++) out[i]! += strength * gaussian() * Math.exp(-(i - from) / length)
}

/** Converts the sound to 16-bit samples, scaled to 90 % of full scale so that nothing is clipped. */
export function quantised(sound: Sound): Int16Array {
  const scale = (0.9 * 32767) / Math.max(peakOf(sound), 0.001)
  const samples = new Int16Array(sound.length)
  for (let i = 0; i < samples.length; i++) samples[i] = Math.round(sound[i]! * scale)
  return samples
}

function peakOf(sound: Sound): number {
  let peak = 0
  for (const sample of sound) if (Math.abs(sample) > peak) peak = Math.abs(sample)
  return peak
}
