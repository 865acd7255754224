// npm run bench -- receiver: measures the receiver under each condition; noise: listens to hours without a transmission.
import { SAMPLE_RATE } from '../../protocol/index.ts'
import { decodeWav, Receiver } from '../../protocol/receiver/index.ts'
import { type Sound, withMelody } from '../support/channel.ts'
import { conditionTable, type Line } from '../support/conditions.ts'
import { sent } from '../support/payloads.ts'
import { findProgram } from '../support/programs.ts'
import { speechOf } from '../support/propagation.ts'
import { random } from '../support/random.ts'

/** Prints the whole table. Sets exit code 1 if a line has too few successes or a wrong transmission. */
export function surveyReceiver(): void {
  console.log(
    '\nReceiver: successes of trials (Eb/N0 as in protocol/SPEC.md 1; decoding times on this machine)\n',
  )
  for (const line of conditionTable(findProgram('ffmpeg'))) runLine(line)
}

function runLine(line: Line): void {
  const { name, ebN0, trials, need } = line
  const { successes, wrong, times, lists } = runTrials(line, trials)
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

const HOURS = 100
const PIECE_SECONDS = 600

/** What a microphone hears when no day is played. */
const NOISES: Record<string, (length: number, seed: number) => Sound> = {
  speech: speechOf,
  music: (length, seed) =>
    [0, 1, 2].reduce(
      (sound, voice) => withMelody(sound, 0, 3 * seed + voice),
      new Float32Array(length),
    ),
  'coloured noise': (length, seed) => {
    const { gaussian } = random(seed)
    let last = 0
    return Float32Array.from({ length }, () => {
      last = 0.9 * last + 0.1 * gaussian()
      return last
    })
  },
}

/** Counts the days that are read in hours of sound without one. Sets exit code 1 if there is any. */
export function surveyNoise(): void {
  const pieces = (HOURS * 3600) / PIECE_SECONDS / Object.keys(NOISES).length
  for (const [name, make] of Object.entries(NOISES)) {
    let wrong = 0
    for (let piece = 0; piece < pieces; piece++) {
      const sound = make(PIECE_SECONDS * SAMPLE_RATE, piece)
      const receiver = new Receiver(SAMPLE_RATE, 1)
      for (let from = 0; from < sound.length; from += SAMPLE_RATE)
        receiver.push([sound.subarray(from, from + SAMPLE_RATE)])
      wrong += receiver.finish().transmissions.length
    }
    if (wrong > 0) process.exitCode = 1
    console.log(`${name}: ${((pieces * PIECE_SECONDS) / 3600).toFixed(1)} h, ${wrong} wrong days`)
  }
}

/** The results of the trials of a line. */
interface Trials {
  successes: number
  /** Decoded transmissions that differ from what was sent. */
  wrong: number
  /** The decoding time of each trial [ms]. */
  times: number[]
  /** How often each list length of the decoder was needed. */
  lists: Map<number, number>
}

function runTrials({ condition, ebN0 }: Line, trials: number): Trials {
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
