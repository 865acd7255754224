// Where people hear a day: rooms, phones and their filters for voices, somebody who speaks, the ionosphere.
import { SAMPLE_RATE } from '../../protocol/constants.ts'
import { FourierTransform } from '../../protocol/receiver/fft.ts'
import type { Sound } from './channel.ts'
import { convolve, hilbert } from './filters.ts'
import { random } from './random.ts'

const SOUND_SPEED = 343
/** Images of the source beyond this path are left out [m]: 0.25 s, -19 dB and less where the room echoes for 0.8 s. */
const LONGEST_PATH = 86

/** Simulates a room of 3 to 7 m by image sources (Allen and Berkley 1979), RT60 0.2 to 0.8 s, 0.3 to 3 m from the source. */
export function inRoom(sound: Sound, seed: number): Sound {
  const { uniform } = random(11_000 + seed)
  const between = (a: number, b: number) => a + (b - a) * uniform()
  const room = [between(3, 7), between(2.5, 5), between(2.4, 3)]
  const source = room.map((length) => between(0.3, length - 0.3))
  const rt60 = between(0.2, 0.8)
  const distance = between(0.3, 3)
  let microphone = source
  while (Math.abs(Math.hypot(...microphone.map((x, i) => x - source[i]!)) - distance) > 0.1)
    microphone = room.map((length) => between(0.2, length - 0.2))
  const [a, b, c] = room as [number, number, number]
  // Eyring's formula for the reflection of all walls.
  const reflection = Math.exp((-0.0805 * a * b * c) / (2 * (a * b + b * c + a * c) * rt60))
  const axes = room.map((length, i) => imagesOn(length, source[i]!, microphone[i]!))
  const response = new Float32Array(Math.ceil((LONGEST_PATH / SOUND_SPEED) * SAMPLE_RATE) + 1)
  for (const [dx, nx] of axes[0]!)
    for (const [dy, ny] of axes[1]!)
      for (const [dz, nz] of axes[2]!) {
        const path = Math.sqrt(dx * dx + dy * dy + dz * dz)
        if (path > LONGEST_PATH) continue
        const at = Math.round((path / SOUND_SPEED) * SAMPLE_RATE)
        response[at]! += (reflection ** (nx + ny + nz) * distance) / path
      }
  return convolve(sound, response)
}

/** The images of the source along one axis: their distance from the microphone [m], and how often they were reflected. */
function imagesOn(length: number, source: number, microphone: number): [number, number][] {
  const reach = Math.ceil(LONGEST_PATH / (2 * length))
  return Array.from({ length: 2 * reach + 1 }, (_, i) => i - reach).flatMap((n) => [
    [source + 2 * n * length - microphone, 2 * Math.abs(n)],
    [-source + 2 * n * length - microphone, Math.abs(n - 1) + Math.abs(n)],
  ])
}

/** The small speaker of a phone: a high-pass of second order at 600 Hz. */
export function throughPhone(sound: Sound): Sound {
  const turn = Math.tan((Math.PI * 600) / SAMPLE_RATE)
  const scale = 1 / (1 + Math.SQRT2 * turn + turn * turn)
  let [x1, x2, y1, y2] = [0, 0, 0, 0]
  return sound.map((x) => {
    const fed = 2 * (turn * turn - 1) * y1 + (1 - Math.SQRT2 * turn + turn * turn) * y2
    const y = scale * (x - 2 * x1 + x2 - fed)
    ;[x1, x2, y1, y2] = [x, x1, y, y1]
    return y
  })
}

const FRAME = 1024
/** Frames in which the quietest one counts as noise: 1.5 s. */
const NOISE_FRAMES = 140

/** The filters of a phone for voices: noise suppression by spectral subtraction, then a gain that follows the level. */
export function filteredForVoices(sound: Sound): Sound {
  const transform = new FourierTransform(FRAME)
  const window = Float32Array.from({ length: FRAME }, (_, i) =>
    Math.sin((Math.PI * (i + 0.5)) / FRAME),
  )
  const out = new Float32Array(sound.length)
  const powers: Float64Array[] = []
  const smooth = new Float64Array(FRAME)
  for (let from = 0; from + FRAME <= sound.length; from += FRAME / 2) {
    for (let i = 0; i < FRAME; i++) transform.real[i] = sound[from + i]! * window[i]!
    transform.imag.fill(0)
    transform.run()
    for (let k = 0; k < FRAME; k++)
      smooth[k] = 0.7 * smooth[k]! + 0.3 * (transform.real[k]! ** 2 + transform.imag[k]! ** 2)
    powers.push(smooth.slice())
    if (powers.length > NOISE_FRAMES) powers.shift()
    for (let k = 0; k < FRAME; k++) {
      const noise =
        2 * powers.reduce((least, power) => Math.min(least, power[k]!), Number.POSITIVE_INFINITY)
      const gain = Math.max(1 - noise / (smooth[k]! + 1e-12), 0.1)
      transform.real[k]! *= gain
      // The conjugate, so that the forward transform computes the inverse.
      transform.imag[k]! *= -gain
    }
    transform.run()
    for (let i = 0; i < FRAME; i++) out[from + i]! += (transform.real[i]! / FRAME) * window[i]!
  }
  return levelled(out)
}

/** Brings the sound to one level: quickly where it is too loud, in a second where it is too soft. */
function levelled(sound: Sound): Sound {
  let level = 0.01
  return sound.map((x) => {
    const power = x * x
    level += (power - level) / (SAMPLE_RATE * (power > level ? 0.05 : 1))
    return x * Math.min(0.1 / Math.sqrt(level + 1e-9), 10)
  })
}

/** Adds somebody who speaks, at `decibels` above the transmission's power: voiced syllables of a fifth of a second. */
export function withSpeech(sound: Sound, decibels: number, seed: number, power = 0.125): Sound {
  const speech = speechOf(sound.length, seed)
  const own = speech.reduce((sum, x) => sum + x * x, 0) / speech.length
  const gain = Math.sqrt((power * 10 ** (decibels / 10)) / own)
  return sound.map((x, i) => x + gain * speech[i]!)
}

/** Sound like speech: harmonics under three formants, which change with each syllable, and pauses. */
export function speechOf(length: number, seed: number): Sound {
  const { uniform } = random(12_000 + seed)
  const out = new Float32Array(length)
  for (let from = 0; from < length; ) {
    const samples = Math.round(SAMPLE_RATE * (0.1 + 0.2 * uniform()))
    const pitch = 90 + 130 * uniform()
    const formants = [300 + 500 * uniform(), 900 + 1400 * uniform(), 2400 + 600 * uniform()]
    const isPause = uniform() < 0.2
    const strengths: number[] = []
    for (let h = 1; h * pitch < 3600 && !isPause; h++)
      strengths.push(
        formants.reduce((sum, f) => sum + 1 / (1 + ((h * pitch - f) / 120) ** 2), 0.02),
      )
    for (let i = 0; i < samples && from + i < length; i++) {
      const glide = pitch * (1 - (0.1 * i) / samples)
      const envelope = Math.sin((Math.PI * i) / samples)
      out[from + i] = envelope * harmonics(strengths, (2 * Math.PI * glide * i) / SAMPLE_RATE)
    }
    from += samples
  }
  return out
}

/** Sums strengths[h - 1] * sin(h * angle), each sine from the two before it. */
function harmonics(strengths: readonly number[], angle: number): number {
  const twice = 2 * Math.cos(angle)
  let [sum, last, sine] = [0, 0, Math.sin(angle)]
  for (const strength of strengths) {
    sum += strength * sine
    const next = twice * sine - last
    last = sine
    sine = next
  }
  return sum
}

/** Paths through the ionosphere at mid latitudes: their delay [s] and the spread of their frequencies [Hz] (ITU-R F.1487). */
export const IONOSPHERE = {
  good: { delay: 0.0005, spread: 0.1 },
  moderate: { delay: 0.001, spread: 0.5 },
  poor: { delay: 0.002, spread: 1 },
} as const

/** Two paths of equal mean power that fade on their own (Watterson's model). */
export function throughIonosphere(
  sound: Sound,
  { delay, spread }: { delay: number; spread: number },
  seed: number,
): Sound {
  const shifted = Math.round(delay * SAMPLE_RATE)
  const imaginary = hilbert(sound)
  const [first, second] = [
    fading(sound.length, spread, 2 * seed),
    fading(sound.length, spread, 2 * seed + 1),
  ]
  return sound.map((x, i) => {
    const [re, im] = first(i)
    const [lateRe, lateIm] = second(i)
    const [late, lateImaginary] = [sound[i - shifted] ?? 0, imaginary[i - shifted] ?? 0]
    return (x * re - imaginary[i]! * im + late * lateRe - lateImaginary * lateIm) / Math.SQRT2
  })
}

/** Samples of the fading a second. */
const FADES = 50

/** Complex gaussian gains of mean power 1 whose spectrum is gaussian with a deviation of half the spread. */
function fading(length: number, spread: number, seed: number): (i: number) => [number, number] {
  const { gaussian } = random(13_000 + seed)
  const reach = Math.ceil((FADES * 0.8) / spread)
  const taps = Array.from({ length: 2 * reach + 1 }, (_, i) =>
    Math.exp(-(((Math.PI * spread * (i - reach)) / FADES) ** 2)),
  )
  const scale = Math.sqrt(0.5 / taps.reduce((sum, tap) => sum + tap * tap, 0))
  const count = Math.ceil((length / SAMPLE_RATE) * FADES) + 2
  const parts = [0, 1].map(() => {
    const noise = Float64Array.from({ length: count + 2 * reach }, gaussian)
    return Float64Array.from(
      { length: count },
      (_, i) => taps.reduce((sum, tap, k) => sum + tap * noise[i + k]!, 0) * scale,
    )
  })
  return (i) => {
    const at = (i / SAMPLE_RATE) * FADES
    const whole = Math.floor(at)
    return parts.map((part) => part[whole]! + (at - whole) * (part[whole + 1]! - part[whole]!)) as [
      number,
      number,
    ]
  }
}
