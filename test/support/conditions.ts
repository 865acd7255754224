// The conditions under which the receiver is measured, as functions from a transmission to the recorded WAV file, and their
// table: the level at which nearly all trials must succeed, and for some the lower one at which the tests decode a few, so that
// a change that costs half a decibel fails.
import { SAMPLE_RATE, TRANSMISSION_SECONDS, writeWav } from '../../protocol/index.ts'
import {
  atSpeed,
  clipped,
  noisy,
  padded,
  quantised,
  reverberant,
  type Sound,
  translated,
  withClicks,
  withDropouts,
  withMelody,
  withTone,
  withWow,
} from './channel.ts'
import { CODECS, type Codec, overTelephone, throughCodec } from './codecs.ts'
import {
  filteredForVoices,
  IONOSPHERE,
  inRoom,
  throughIonosphere,
  throughPhone,
  withSpeech,
} from './propagation.ts'
import { random } from './random.ts'

/** Records a transmission. @param trial seeds all randomness @param ebN0 of white noise [dB]; infinite without noise */
type Condition = (sound: Sound, trial: number, ebN0: number) => Uint8Array

const POWER = 0.125
const NO_NOISE = Number.POSITIVE_INFINITY
const RATES = [8000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 96_000, 192_000]
const TRANSLATIONS = [-20, -13.3, -5, 5, 13.3, 20]

/** Adds 0.3 to 10 s of silence at either end. */
function inSilence(sound: Sound, trial: number): Sound {
  const { uniform } = random(7_000 + trial)
  return padded(sound, 0.3 + 9.7 * uniform(), 0.3 + 9.7 * uniform())
}

const recorded = (sound: Sound) => writeWav(quantised(sound))

/** White noise on top of what becomes of a transmission in silence. */
const inNoise =
  (change: (sound: Sound, trial: number) => Sound, record = recorded): Condition =>
  (sound, trial, ebN0) =>
    record(noisy(change(inSilence(sound, trial), trial), ebN0, trial))

/** No impairment, but a different sample rate in each trial. */
export const clean: Condition = (sound, trial) => {
  const rate = RATES[trial % RATES.length]!
  return writeWav(quantised(atSpeed(inSilence(sound, trial), SAMPLE_RATE / rate)), rate)
}

export const whiteNoise = inNoise((sound) => sound)

const atSpeedOf =
  (speed: number): Condition =>
  (sound, trial, ebN0) =>
    recorded(noisy(atSpeed(inSilence(sound, trial), speed), ebN0, trial, POWER / speed))

const translation = inNoise((sound, trial) =>
  translated(sound, TRANSLATIONS[trial % TRANSLATIONS.length]!),
)

/** Gaps that together take up a fifth of the transmission; they contain only noise. */
const dropouts =
  (count: number): Condition =>
  (sound, trial, ebN0) =>
    whiteNoise(withDropouts(sound, 0.2, count, trial), trial, ebN0)

/** The recording begins 3 s late, or ends 3 s early. */
const cutShort: Condition = (sound, trial, ebN0) => {
  const missing = 3 * SAMPLE_RATE
  const rest = trial % 2 === 0 ? sound.slice(missing) : sound.slice(0, sound.length - missing)
  return recorded(noisy(rest, ebN0, trial))
}

const clippedAt = (decibels: number) => (sound: Sound) => recorded(clipped(sound, decibels))

const clipping = inNoise((sound) => sound, clippedAt(-12))

/** A louder melody plays along, and the recording is clipped so hard that its waves are nearly square. */
const overdriven = inNoise((sound, trial) => withMelody(sound, 6, trial), clippedAt(-20))

const telephone = inNoise((sound) => sound, overTelephone)

const coded =
  (codec: Codec, ffmpeg: string): Condition =>
  (sound, trial) =>
    throughCodec(inSilence(sound, trial), codec, ffmpeg)

/** A room whose echo is as strong as the direct sound. */
const room = (rt60: number) => inNoise((sound, trial) => reverberant(sound, rt60, 0, trial))

const whistle = inNoise((sound, trial) => withTone(sound, 6, trial))

const clicks = inNoise((sound, trial) => withClicks(sound, 4, trial))

/** The speed varies by 0.1 %, at 0.5 to 6 Hz. */
const wow = inNoise((sound, trial) => withWow(sound, 0.001, 0.5 + 5.5 * random(trial).uniform()))

/** Noise in the room, in 2500 Hz below the signal [dB], as Eb/N0. */
const BEHIND_NOISE = 10 + 10 * Math.log10(2500 / (848 / TRANSMISSION_SECONDS))

/** From a phone's speaker through a room with noise into another phone, with its filters for voices or without. */
const betweenPhones =
  (filters: boolean): Condition =>
  (sound, trial) => {
    const heard = inRoom(throughPhone(inSilence(sound, trial)), trial)
    const power = heard.reduce((sum, x) => sum + x * x, 0) / sound.length
    const behind = noisy(heard, BEHIND_NOISE, trial, power)
    return recorded(filters ? filteredForVoices(behind) : behind)
  }

/** The clocks of both devices are off by up to 100 ppm, the table is tapped on, and the microphone clips. */
const tableTop = inNoise((sound, trial) => {
  const { uniform } = random(14_000 + trial)
  const speed = 1 + 1e-4 * (2 * uniform() - 1) + 1e-4 * (2 * uniform() - 1)
  return withClicks(atSpeed(sound, speed), 2, trial)
}, clippedAt(-6))

/** Somebody speaks as loud as the transmission. */
const speech = inNoise((sound, trial) => withSpeech(sound, 0, trial))

const ionosphere = (path: keyof typeof IONOSPHERE) =>
  inNoise((sound, trial) => throughIonosphere(sound, IONOSPHERE[path], trial))

/** A line of the table: at least `need` of `trials` must succeed. */
export interface Line {
  name: string
  condition: Condition
  /** [dB]; infinite without noise. */
  ebN0: number
  trials: number
  need: number
  /** All of so many trials are decoded at a level closer to the limit [dB]. */
  tested?: readonly [trials: number, ebN0: number]
}

const line = (
  name: string,
  condition: Condition,
  ebN0: number,
  trials = 100,
  tested?: Line['tested'],
): Line => {
  const need = trials === 100 ? 99 : trials
  return { name, condition, ebN0, trials, need, ...(tested && { tested }) }
}

/** @param ffmpeg its path; without it the table has no codecs */
export function conditionTable(ffmpeg: string | undefined): Line[] {
  const codecs = ffmpeg === undefined ? [] : (Object.keys(CODECS) as Codec[])
  const speed = (factor: number, tested?: Line['tested']) =>
    line(`speed ${factor}`, atSpeedOf(factor), 3, 100, tested)
  return [
    line('clean, 8 to 192 kHz', clean, NO_NOISE, 54),
    line('white noise', whiteNoise, 3, 100, [6, 0.75]),
    ...[2.3, 1.25, 1, 0.5, 0.3].map((ebN0) => line('white noise', whiteNoise, ebN0)),
    ...[0, -0.3].map((ebN0) => ({ ...line('white noise', whiteNoise, ebN0), need: 0 })),
    speed(0.98, [3, 1.5]),
    speed(0.99),
    speed(0.999),
    speed(1.001, [3, 1.5]),
    speed(1.01),
    speed(1.02, [3, 1.5]),
    line('translated by up to 20 Hz', translation, 3.5, 100, [4, 1.5]),
    line('one dropout of 20 %', dropouts(1), 4, 100, [2, 2.5]),
    line('four dropouts of 5 %', dropouts(4), 4.5, 100, [2, 2.75]),
    line('first or last 3 s missing', cutShort, 5, 20, [2, 2.5]),
    line('clipped at -12 dB', clipping, 4.5, 100, [2, 2.5]),
    line('melody of +6 dB, overdriven', overdriven, 10, 20, [6, 7]),
    line('telephone, mu-law', telephone, 3.5, 20, [2, 1.75]),
    ...codecs.map((codec) => line(codec, coded(codec, ffmpeg!), NO_NOISE, 20, [2, NO_NOISE])),
    line('reverberation 0.3 s', room(0.3), NO_NOISE, 20),
    line('reverberation 0.3 s', room(0.3), 7, 20, [2, 5]),
    line('reverberation 0.6 s', room(0.6), NO_NOISE, 20, [2, NO_NOISE]),
    line('reverberation 0.6 s', room(0.6), 7, 20),
    line('reverberation 1 s', room(1), NO_NOISE, 20),
    line('reverberation 1 s', room(1), 7, 20, [2, 5]),
    line('whistle of +6 dB', whistle, 4, 20, [2, 2.5]),
    line('clicks', clicks, 4, 20, [2, 2.5]),
    line('wow of 0.1 %', wow, 4, 20, [3, 2.5]),
    line('between phones in a room', betweenPhones(false), NO_NOISE, 40, [6, NO_NOISE]),
    { ...line('the same, with voice filters', betweenPhones(true), NO_NOISE, 40), need: 38 },
    line('clocks, taps, clipped', tableTop, 6, 20),
    line('speech as loud', speech, 10, 20),
    ...(['good', 'moderate', 'poor'] as const).flatMap((path) =>
      [4, 6, 8, 10, 12].map((ebN0) => ({
        ...line(`ionosphere, ${path}`, ionosphere(path), ebN0, 40),
        need: 0,
      })),
    ),
  ]
}
