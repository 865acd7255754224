// How long a day's sound takes to decode, clean and in noise, and whether every condition is still read.
import { decodeWav } from '../../protocol/index.ts'
import { ACTIVE, wavOf } from '../pipeline/render/days.ts'
import { whiteNoise } from '../support/conditions.ts'
import { sent } from '../support/payloads.ts'
import { findProgram } from '../support/programs.ts'
import { conditionTable, runTrials } from './conditions.ts'
import type { Part } from './main.ts'
import { ggwaveModems } from './modems.ts'
import { median, type Row } from './report.ts'

const TRIALS = 11
const EB_N0_DB = 3
/** Of the trials of each condition; `npm run bench -- receiver` makes them all. */
const SHARE = 0.05

export const benchDecode: Part = async () => {
  const archived = wavOf(ACTIVE)
  const noisy = Array.from({ length: TRIALS }, (_, trial) =>
    whiteNoise(sent(trial).sound, trial, EB_N0_DB),
  )
  const [clean, inNoise] = [[] as number[], [] as number[]]
  for (const wav of noisy) {
    clean.push(secondsOf(() => decodeWav(archived)))
    inNoise.push(secondsOf(() => decodeWav(wav)))
  }
  const others = await besideGgwave(archived.length)
  return [
    {
      what: 'decode a clean WAV of the archive [s]',
      values: clean,
      goal: { most: 0.15 },
      detail: others,
    },
    { what: `decode a recording at ${EB_N0_DB} dB [s]`, values: inNoise, goal: { most: 0.4 } },
    conditionsRead(),
  ]
}

/** What ggwave takes for as much sound. */
async function besideGgwave(bytes: number): Promise<string> {
  const [, , fastest] = await ggwaveModems()
  if (!fastest) throw new Error('ggwave has no such mode')
  const { frame } = sent(0)
  const sound = fastest.send(frame)
  const seconds = Array.from({ length: TRIALS }, () => secondsOf(() => fastest.receive(sound)))
  const scale = bytes / 2 / sound.length
  return `ggwave ${(median(seconds) * scale).toFixed(3)} s for as long a sound`
}

/** The part of the conditions that are read as often as they must be. */
function conditionsRead(): Row {
  const table = conditionTable(findProgram('ffmpeg'))
  const failed = table.filter((line) => {
    const trials = Math.ceil(line.trials * SHARE)
    const { successes, wrong } = runTrials(line, trials)
    return wrong > 0 || successes < Math.floor((line.need / line.trials) * trials)
  })
  const detail = failed.map(({ name, ebN0 }) => `${name} at ${ebN0} dB`).join(', ')
  const what = `conditions read, of ${table.length}, with a twentieth of the trials`
  return { what, values: [table.length - failed.length], goal: { least: table.length }, detail }
}

function secondsOf(work: () => unknown): number {
  const began = performance.now()
  work()
  return (performance.now() - began) / 1000
}
