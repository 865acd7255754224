// Measures how long a day's audio takes to decode, clean and in noise, and what a receiver retains.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { decodeWav, Receiver } from '../../protocol/receiver/index.ts'
import { ACTIVE, wavOf } from '../pipeline/render/days.ts'
import { whiteNoise } from '../support/conditions.ts'
import { sent } from '../support/payloads.ts'
import { random } from '../support/random.ts'
import type { Part } from './main.ts'

const TRIALS = 11
const EB_N0_DB = 3
/** Below the limit of any receiver. */
const HOPELESS_DB = -1.5

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

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
  return [
    { label: 'decode a clean WAV of the archive [s]', values: clean, goal: { most: 0.15 } },
    { label: `decode a recording at ${EB_N0_DB} dB [s]`, values: inNoise, goal: { most: 0.4 } },
    {
      label: `give up on a recording at ${HOPELESS_DB} dB [s]`,
      values: hopeless(),
      goal: { most: 6 },
    },
    {
      label: 'receiver after five minutes of noise [MiB]',
      values: [mibAfterNoise()],
      goal: { most: 20 },
    },
  ]
}

/** @returns the seconds that each of a few recordings takes which no receiver can decode */
function hopeless(): number[] {
  return [0, 1, 2].map((trial) => {
    const wav = whiteNoise(sent(trial).sound, trial, HOPELESS_DB)
    return secondsOf(() => decodeWav(wav))
  })
}

/** Returns what a receiver retains, which must not grow with the time that it listens [MiB]. */
function mibAfterNoise(): number {
  const { gaussian } = random(17)
  const minute = Float32Array.from({ length: 8_000 * 60 }, () => 0.3 * gaussian())
  const receiver = new Receiver(8_000, 1)
  const before = retainedBytes()
  for (let i = 0; i < 5; i++) receiver.push([minute])
  const retained = (retainedBytes() - before) / 2 ** 20
  receiver.finish()
  return retained
}

/** Returns the bytes on the heap and in array buffers that are still reachable. */
function retainedBytes(): number {
  // The second collection frees what the first has found unreachable.
  collectGarbage()
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

function secondsOf(work: () => unknown): number {
  const began = performance.now()
  work()
  return (performance.now() - began) / 1000
}
