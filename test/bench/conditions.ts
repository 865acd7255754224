// The conditions under which the receiver is measured, each with the number of trials that must succeed.
import { decodeWav } from '../../protocol/receiver/index.ts'
import type { Codec } from '../support/codecs.ts'
import { CODECS } from '../support/codecs.ts'
import * as conditions from '../support/conditions.ts'
import { sent } from '../support/payloads.ts'

/** A line of the table: at least `need` of `trials` must succeed. */
export interface Line {
  name: string
  condition: conditions.Condition
  /** [dB]; infinite without noise. */
  ebN0: number
  trials: number
  need: number
}

const NO_NOISE = Number.POSITIVE_INFINITY

const line = (
  name: string,
  condition: conditions.Condition,
  ebN0: number,
  trials = 100,
  need = trials === 100 ? 99 : trials,
): Line => ({ name, condition, ebN0, trials, need })

/** @param ffmpeg its path; without it the table has no codecs */
export function conditionTable(ffmpeg: string | undefined): Line[] {
  const speeds = [0.98, 0.99, 0.999, 1.001, 1.01, 1.02]
  const codecs = ffmpeg === undefined ? [] : (Object.keys(CODECS) as Codec[])
  return [
    line('clean, 8 to 192 kHz', conditions.clean, NO_NOISE, 54),
    line('white noise', conditions.whiteNoise, 3),
    line('white noise', conditions.whiteNoise, 2.3),
    line('white noise', conditions.whiteNoise, 1.25),
    line('white noise', conditions.whiteNoise, 1),
    line('white noise', conditions.whiteNoise, 0.5),
    line('white noise', conditions.whiteNoise, 0.3),
    line('white noise', conditions.whiteNoise, 0, 100, 0),
    line('white noise', conditions.whiteNoise, -0.3, 100, 0),
    ...speeds.map((speed) => line(`speed ${speed}`, conditions.atSpeedOf(speed), 3)),
    line('translated by up to 20 Hz', conditions.translation, 3.5),
    line('one dropout of 20 %', conditions.dropouts(1), 4),
    line('four dropouts of 5 %', conditions.dropouts(4), 4.5),
    line('first or last 3 s missing', conditions.cutShort, 5, 20),
    line('clipped at -12 dB', conditions.clipping, 4.5),
    line('melody of +6 dB, overdriven', conditions.overdriven, 10, 20),
    line('telephone, mu-law', conditions.telephone, 3.5, 20),
    ...codecs.map((codec) => line(codec, conditions.coded(codec, ffmpeg!), NO_NOISE, 20)),
    ...[0.3, 0.6, 1].flatMap((rt60) => [
      line(`reverberation ${rt60} s`, conditions.room(rt60), NO_NOISE, 20),
      line(`reverberation ${rt60} s`, conditions.room(rt60), 7, 20),
    ]),
    line('whistle of +6 dB', conditions.whistle, 4, 20),
    line('clicks', conditions.clicks, 4, 20),
    line('wow of 0.1 %', conditions.wow, 4, 20),
  ]
}

/** The results of the trials of a line. */
export interface Trials {
  successes: number
  /** Decoded transmissions that differ from what was sent. */
  wrong: number
  /** The decoding time of each trial [ms]. */
  times: number[]
  /** How often each list length of the decoder was needed. */
  lists: Map<number, number>
}

export function runTrials({ condition, ebN0 }: Line, trials: number): Trials {
  const outcome: Trials = { successes: 0, wrong: 0, times: [], lists: new Map() }
  for (let trial = 0; trial < trials; trial++) {
    const { frame, sound } = sent(trial)
    const wav = condition(sound, trial, ebN0)
    const from = performance.now()
    const { transmissions } = decodeWav(wav)
    outcome.times.push(performance.now() - from)
    const right = transmissions.filter((found) => found.frame.every((byte, i) => byte === frame[i]))
    outcome.wrong += transmissions.length - right.length
    if (right.length === 0) continue
    outcome.successes++
    const { list } = right[0]!.diagnostics
    outcome.lists.set(list, (outcome.lists.get(list) ?? 0) + 1)
  }
  return outcome
}
