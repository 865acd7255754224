// The table of conditions under which the receiver is measured: the level at which nearly all trials must succeed, and for
// some the lower one at which the tests decode a few, so that a change that costs half a decibel fails.
import { CODECS, type Codec } from './codecs.ts'
import * as conditions from './conditions.ts'

/** A line of the table: at least `need` of `trials` must succeed. */
export interface Line {
  name: string
  condition: conditions.Condition
  /** [dB]; infinite without noise. */
  ebN0: number
  trials: number
  need: number
  /** All of so many trials are decoded at a level closer to the limit [dB]. */
  tested?: readonly [trials: number, ebN0: number]
}

const NO_NOISE = Number.POSITIVE_INFINITY

const line = (
  name: string,
  condition: conditions.Condition,
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
  const { whiteNoise, room } = conditions
  const speed = (factor: number, tested?: Line['tested']) =>
    line(`speed ${factor}`, conditions.atSpeedOf(factor), 3, 100, tested)
  return [
    line('clean, 8 to 192 kHz', conditions.clean, NO_NOISE, 54),
    line('white noise', whiteNoise, 3, 100, [6, 0.75]),
    ...[2.3, 1.25, 1, 0.5, 0.3].map((ebN0) => line('white noise', whiteNoise, ebN0)),
    ...[0, -0.3].map((ebN0) => ({ ...line('white noise', whiteNoise, ebN0), need: 0 })),
    speed(0.98, [3, 1.5]),
    speed(0.99),
    speed(0.999),
    speed(1.001, [3, 1.5]),
    speed(1.01),
    speed(1.02, [3, 1.5]),
    line('translated by up to 20 Hz', conditions.translation, 3.5, 100, [4, 1.5]),
    line('one dropout of 20 %', conditions.dropouts(1), 4, 100, [2, 2.5]),
    line('four dropouts of 5 %', conditions.dropouts(4), 4.5, 100, [2, 2.75]),
    line('first or last 3 s missing', conditions.cutShort, 5, 20, [2, 2.5]),
    line('clipped at -12 dB', conditions.clipping, 4.5, 100, [2, 2.5]),
    line('melody of +6 dB, overdriven', conditions.overdriven, 10, 20, [6, 7]),
    line('telephone, mu-law', conditions.telephone, 3.5, 20, [2, 1.75]),
    ...codecs.map((codec) =>
      line(codec, conditions.coded(codec, ffmpeg!), NO_NOISE, 20, [2, NO_NOISE]),
    ),
    line('reverberation 0.3 s', room(0.3), NO_NOISE, 20),
    line('reverberation 0.3 s', room(0.3), 7, 20, [2, 5]),
    line('reverberation 0.6 s', room(0.6), NO_NOISE, 20, [2, NO_NOISE]),
    line('reverberation 0.6 s', room(0.6), 7, 20),
    line('reverberation 1 s', room(1), NO_NOISE, 20),
    line('reverberation 1 s', room(1), 7, 20, [2, 5]),
    line('whistle of +6 dB', conditions.whistle, 4, 20, [2, 2.5]),
    line('clicks', conditions.clicks, 4, 20, [2, 2.5]),
    line('wow of 0.1 %', conditions.wow, 4, 20, [3, 2.5]),
    {
      ...line('between phones in a room', conditions.betweenPhones(false), NO_NOISE, 40, [
        6,
        NO_NOISE,
      ]),
      need: 40,
    },
    {
      ...line('the same, with voice filters', conditions.betweenPhones(true), NO_NOISE, 40),
      need: 38,
    },
    line('clocks, taps, clipped', conditions.tableTop, 6, 20),
    line('speech as loud', conditions.speech, 10, 20),
    ...(['good', 'moderate', 'poor'] as const).flatMap((path) =>
      [4, 6, 8, 10, 12].map((ebN0) => ({
        ...line(`ionosphere, ${path}`, conditions.ionosphere(path), ebN0, 40),
        need: 0,
      })),
    ),
  ]
}
