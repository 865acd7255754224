// The conditions under which the receiver is measured, as functions from a transmission to the recorded WAV file.
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
import { type Codec, overTelephone, throughCodec } from './codecs.ts'
import {
  filteredForVoices,
  IONOSPHERE,
  inRoom,
  throughIonosphere,
  throughPhone,
  withSpeech,
} from './propagation.ts'
import { random } from './random.ts'

/** Records a transmission. @param trial seeds all randomness @param ebN0 for conditions with noise [dB] */
export type Condition = (sound: Sound, trial: number, ebN0: number) => Uint8Array

const POWER = 0.125
const RATES = [8000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 96_000, 192_000]
const TRANSLATIONS = [-20, -13.3, -5, 5, 13.3, 20]

/** Adds 0.3 to 10 s of silence at either end. */
export function inSilence(sound: Sound, trial: number): Sound {
  const { uniform } = random(7_000 + trial)
  return padded(sound, 0.3 + 9.7 * uniform(), 0.3 + 9.7 * uniform())
}

const recorded = (sound: Sound) => writeWav(quantised(sound))

/** No impairment, but a different sample rate in each trial. */
export const clean: Condition = (sound, trial) => {
  const rate = RATES[trial % RATES.length]!
  return writeWav(quantised(atSpeed(inSilence(sound, trial), SAMPLE_RATE / rate)), rate)
}

export const whiteNoise: Condition = (sound, trial, ebN0) =>
  recorded(noisy(inSilence(sound, trial), ebN0, trial))

export const atSpeedOf =
  (speed: number): Condition =>
  (sound, trial, ebN0) =>
    recorded(noisy(atSpeed(inSilence(sound, trial), speed), ebN0, trial, POWER / speed))

export const translation: Condition = (sound, trial, ebN0) => {
  const hertz = TRANSLATIONS[trial % TRANSLATIONS.length]!
  return recorded(noisy(translated(inSilence(sound, trial), hertz), ebN0, trial))
}

/** Gaps that together take up a fifth of the transmission; they contain only noise. */
export const dropouts =
  (count: number): Condition =>
  (sound, trial, ebN0) =>
    recorded(noisy(inSilence(withDropouts(sound, 0.2, count, trial), trial), ebN0, trial))

/** The recording begins 3 s late, or ends 3 s early. */
export const cutShort: Condition = (sound, trial, ebN0) => {
  const missing = 3 * SAMPLE_RATE
  const rest = trial % 2 === 0 ? sound.slice(missing) : sound.slice(0, sound.length - missing)
  return recorded(noisy(rest, ebN0, trial))
}

export const clipping: Condition = (sound, trial, ebN0) =>
  recorded(clipped(noisy(inSilence(sound, trial), ebN0, trial), -12))

/** A louder melody plays along, and the recording is clipped so hard that its waves are nearly square. */
export const overdriven: Condition = (sound, trial, ebN0) =>
  recorded(clipped(noisy(withMelody(inSilence(sound, trial), 6, trial), ebN0, trial), -20))

export const telephone: Condition = (sound, trial, ebN0) =>
  overTelephone(noisy(inSilence(sound, trial), ebN0, trial))

export const coded =
  (codec: Codec, ffmpeg: string): Condition =>
  (sound, trial) =>
    throughCodec(inSilence(sound, trial), codec, ffmpeg)

/** A room whose echo is as strong as the direct sound, without noise unless a level is given. */
export const room =
  (rt60: number): Condition =>
  (sound, trial, ebN0) => {
    const echoing = reverberant(inSilence(sound, trial), rt60, 0, trial)
    return recorded(Number.isFinite(ebN0) ? noisy(echoing, ebN0, trial) : echoing)
  }

export const whistle: Condition = (sound, trial, ebN0) =>
  recorded(noisy(withTone(inSilence(sound, trial), 6, trial), ebN0, trial))

export const clicks: Condition = (sound, trial, ebN0) =>
  recorded(noisy(withClicks(inSilence(sound, trial), 4, trial), ebN0, trial))

/** The speed varies by 0.1 %, at 0.5 to 6 Hz. */
export const wow: Condition = (sound, trial, ebN0) => {
  const rate = 0.5 + 5.5 * random(trial).uniform()
  return recorded(noisy(withWow(inSilence(sound, trial), 0.001, rate), ebN0, trial))
}

/** Noise in the room, in 2500 Hz below the signal [dB], as Eb/N0. */
const BEHIND_NOISE = 10 + 10 * Math.log10(2500 / (848 / TRANSMISSION_SECONDS))

/** From a phone's speaker through a room with noise into another phone, with its filters for voices or without. */
export const betweenPhones =
  (filters: boolean): Condition =>
  (sound, trial) => {
    const heard = inRoom(throughPhone(inSilence(sound, trial)), trial)
    const power = heard.reduce((sum, x) => sum + x * x, 0) / sound.length
    const behind = noisy(heard, BEHIND_NOISE, trial, power)
    return recorded(filters ? filteredForVoices(behind) : behind)
  }

/** The clocks of both devices are off by up to 100 ppm, the table is tapped on, and the microphone clips. */
export const tableTop: Condition = (sound, trial, ebN0) => {
  const { uniform } = random(14_000 + trial)
  const speed = 1 + 1e-4 * (2 * uniform() - 1) + 1e-4 * (2 * uniform() - 1)
  const tapped = withClicks(atSpeed(inSilence(sound, trial), speed), 2, trial)
  return recorded(clipped(noisy(tapped, ebN0, trial), -6))
}

/** Somebody speaks as loud as the transmission. */
export const speech: Condition = (sound, trial, ebN0) =>
  recorded(noisy(withSpeech(inSilence(sound, trial), 0, trial), ebN0, trial))

export const ionosphere =
  (path: keyof typeof IONOSPHERE): Condition =>
  (sound, trial, ebN0) =>
    recorded(
      noisy(throughIonosphere(inSilence(sound, trial), IONOSPHERE[path], trial), ebN0, trial),
    )
