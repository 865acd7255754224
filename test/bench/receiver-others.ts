// Compares the receiver with other modems, on the same 106 bytes in the same channel: thresholds, air time, decoding
// time, robustness.
import { SAMPLE_RATE, TRANSMISSION_SAMPLES } from '../../protocol/index.ts'
import {
  atSpeed,
  noisy,
  padded,
  reverberant,
  type Sound,
  withDropouts,
} from '../support/channel.ts'
import { sent } from '../support/payloads.ts'
import { findProgram } from '../support/programs.ts'
import { ggwaveModems, type Modem, minimodem, ours } from './modems.ts'

const TRIALS = 40
/** Eb/N0 of the sweep [dB], downwards until the success rate is at most STOP_RATE. */
const SWEEP = { others: { from: 26, step: 1 }, ours: { from: 2.5, step: 0.25 } }
const STOP_RATE = 0.1
const QUIET_TRIALS = 10

/** The noiseless impairments in which modems differ most. */
const IMPAIRMENTS: Record<string, (sound: Sound, trial: number) => Sound> = {
  'speed +1 %': (sound) => atSpeed(sound, 1.01),
  '20 % missing': (sound, trial) => withDropouts(sound, 0.2, 1, trial),
  'room, 0.6 s': (sound, trial) => reverberant(sound, 0.6, 0, trial),
}

export async function surveyOthers(): Promise<void> {
  const program = findProgram('minimodem')
  const modems = [
    ours,
    ...(await ggwaveModems()),
    ...(program === undefined ? [] : [minimodem(program)]),
  ]
  console.log('\nThe same 106 bytes by other modems, white noise, and without noise\n')
  for (const modem of modems) runModem(modem)
}

function runModem(modem: Modem): void {
  const { from, step } = modem === ours ? SWEEP.ours : SWEEP.others
  const levels: { ebN0: number; rate: number }[] = []
  const times: number[] = []
  for (let ebN0 = from; (levels.at(-1)?.rate ?? 1) > STOP_RATE; ebN0 -= step) {
    levels.push({
      ebN0,
      rate: successRate(modem, TRIALS, times, (sound, trial) => inNoise(sound, ebN0, trial)),
    })
  }
  const quiet = Object.entries(IMPAIRMENTS).map(([name, impair]) => {
    const rate = successRate(modem, QUIET_TRIALS, times, (sound, trial) =>
      impair(inSilence(sound), trial),
    )
    return `${name} ${Math.round(rate * QUIET_TRIALS)}/${QUIET_TRIALS}`
  })
  const airTime = modem.send(sent(0).frame).length / SAMPLE_RATE
  times.sort((a, b) => a - b)
  console.log(
    `${modem.name.padEnd(20)} 50 % at ${threshold(levels, 0.5)} dB, 99 % at ${threshold(levels, 0.99)} dB; ` +
      `${airTime.toFixed(1)} s of air, ${times[times.length >> 1]!.toFixed(0)} ms to decode; ${quiet.join(', ')}`,
  )
}

function successRate(
  modem: Modem,
  trials: number,
  times: number[],
  channel: (sound: Sound, trial: number) => Sound,
): number {
  let successes = 0
  for (let trial = 0; trial < trials; trial++) {
    const { frame } = sent(trial)
    const recorded = channel(modem.send(frame), trial)
    const from = performance.now()
    const received = modem.receive(recorded)
    times.push(performance.now() - from)
    if (received?.length === frame.length && frame.every((byte, i) => byte === received[i]))
      successes++
  }
  return successes / trials
}

/** Adds noise at an Eb/N0 relative to the energy that this modem spends on the 848 bits. */
function inNoise(sound: Sound, ebN0: number, trial: number): Sound {
  const energy = sound.reduce((sum, sample) => sum + sample ** 2, 0)
  return noisy(inSilence(sound), ebN0, trial, energy / TRANSMISSION_SAMPLES)
}

function inSilence(sound: Sound): Sound {
  return padded(sound, 0.7, 0.7)
}

/** Interpolates the Eb/N0 [dB] at which the success rate first falls below `rate`. */
function threshold(levels: { ebN0: number; rate: number }[], rate: number): string {
  const below = levels.findIndex((level) => level.rate < rate)
  if (below <= 0) return below === 0 ? `above ${levels[0]!.ebN0}` : 'below the sweep'
  const [high, low] = [levels[below - 1]!, levels[below]!]
  const part = (high.rate - rate) / (high.rate - low.rate)
  return (high.ebN0 - part * (high.ebN0 - low.ebN0)).toFixed(1)
}
