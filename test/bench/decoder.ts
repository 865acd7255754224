// What the receiver reads, as successes of trials under each condition, and how long it takes; beside it what else there is.
import { decodeWav } from '../../protocol/index.ts'
import type { Codec } from '../support/codecs.ts'
import { CODECS } from '../support/codecs.ts'
import * as conditions from '../support/conditions.ts'
import { sent } from '../support/payloads.ts'
import { findProgram } from '../support/programs.ts'
import { benchNoise } from './decoder-noise.ts'
import { benchOthers } from './decoder-others.ts'

/** A line of the table: at least `need` of `trials` are to succeed. */
interface Row {
  name: string
  condition: conditions.Condition
  ebN0: number
  trials: number
  need: number
}

const QUIET = Number.POSITIVE_INFINITY

const row = (
  name: string,
  condition: conditions.Condition,
  ebN0: number,
  trials = 100,
  need = trials === 100 ? 99 : trials,
): Row => ({ name, condition, ebN0, trials, need })

function table(ffmpeg: string | undefined): Row[] {
  const speeds = [0.98, 0.99, 0.999, 1.001, 1.01, 1.02]
  const codecs = ffmpeg === undefined ? [] : (Object.keys(CODECS) as Codec[])
  return [
    row('clean, 8 to 192 kHz', conditions.clean, QUIET, 54),
    row('white noise', conditions.whiteNoise, 3),
    row('white noise', conditions.whiteNoise, 2.3),
    row('white noise', conditions.whiteNoise, 1.25),
    row('white noise', conditions.whiteNoise, 1),
    row('white noise', conditions.whiteNoise, 0.5),
    row('white noise', conditions.whiteNoise, 0.3),
    row('white noise', conditions.whiteNoise, 0, 100, 0),
    row('white noise', conditions.whiteNoise, -0.3, 100, 0),
    ...speeds.map((speed) => row(`speed ${speed}`, conditions.atSpeedOf(speed), 3)),
    row('translated by up to 20 Hz', conditions.translation, 3.5),
    row('one dropout of 20 %', conditions.dropouts(1), 4),
    row('four dropouts of 5 %', conditions.dropouts(4), 4.5),
    row('first or last 3 s missing', conditions.cutShort, 5, 20),
    row('clipped at -12 dB', conditions.clipping, 4.5),
    row('telephone, mu-law', conditions.telephone, 3.5, 20),
    ...codecs.map((codec) => row(codec, conditions.coded(codec, ffmpeg!), QUIET, 20)),
    ...[0.3, 0.6, 1].flatMap((rt60) => [
      row(`reverberation ${rt60} s`, conditions.room(rt60), QUIET, 20),
      row(`reverberation ${rt60} s`, conditions.room(rt60), 7, 20),
    ]),
    row('whistle of +6 dB', conditions.whistle, 4, 20),
    row('clicks', conditions.clicks, 4, 20),
    row('wow of 0.1 %', conditions.wow, 4, 20),
  ]
}

/** Prints the whole table; exit code 1 when a line falls below what it needs. */
export async function benchDecoder(): Promise<void> {
  console.log(
    '\nReceiver: successes of trials (Eb/N0 as in protocol/SPEC.md 1; times of the machine as it is)\n',
  )
  for (const line of table(findProgram('ffmpeg'))) runRow(line)
  benchNoise()
  await benchOthers()
}

function runRow({ name, condition, ebN0, trials, need }: Row): void {
  const times: number[] = []
  const lists = new Map<number, number>()
  let [successes, wrong] = [0, 0]
  for (let trial = 0; trial < trials; trial++) {
    const { frame, sound } = sent(trial)
    const wav = condition(sound, trial, ebN0)
    const from = performance.now()
    const { transmissions } = decodeWav(wav)
    times.push(performance.now() - from)
    const right = transmissions.filter((found) => found.frame.every((byte, i) => byte === frame[i]))
    wrong += transmissions.length - right.length
    if (right.length === 0) continue
    successes++
    const { list } = right[0]!.diagnostics
    lists.set(list, (lists.get(list) ?? 0) + 1)
  }
  if (successes < need || wrong > 0) process.exitCode = 1
  const level = Number.isFinite(ebN0) ? `${ebN0.toFixed(2)} dB` : ''
  const verdict = wrong > 0 ? `${wrong} WRONG` : successes < need ? `below ${need}` : ''
  const used = [...lists].sort(([a], [b]) => a - b).map(([list, count]) => `${list}: ${count}`)
  times.sort((a, b) => a - b)
  console.log(
    `${name.padEnd(28)} ${level.padStart(8)}  ${`${successes}/${trials}`.padStart(7)}  median ${milliseconds(times[times.length >> 1]!)}` +
      `  worst ${milliseconds(times.at(-1)!)}  lists ${used.join(', ')}  ${verdict}`,
  )
}

function milliseconds(time: number): string {
  return `${time.toFixed(0).padStart(5)} ms`
}
