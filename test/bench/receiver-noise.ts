// Measures the receiver without a signal: an hour of noise, and noise fed directly into the list decoder.
import { CODE_LENGTH, LEVELS, TONES } from '../../protocol/constants.ts'
import { Receiver } from '../../protocol/receiver/index.ts'
import { readPaths } from '../../protocol/receiver/outcome.ts'
import { ListDecoder } from '../../protocol/receiver/polar-list.ts'
import { DAY_PRIOR } from '../../protocol/receiver/prior.ts'
import { toneRatio } from '../../protocol/receiver/tone-model.ts'
import { random } from '../support/random.ts'

const RATE = 48_000
const SECONDS = 3600
const CHAIN_TRIALS = 10_000
const LONGEST_LIST = 128
const LISTS = new Array<number>(LEVELS).fill(LONGEST_LIST)
/** The slot energy that the decoder assumes: that of a signal at the limit of reception. */
const ENERGY = 4

export function surveyNoise(): void {
  benchHour()
  benchChain()
}

function benchHour(): void {
  const { gaussian } = random(1)
  const receiver = new Receiver(RATE, 1)
  const second = new Float32Array(RATE)
  let [spent, peak] = [0, 0]
  for (let i = 0; i < SECONDS; i++) {
    for (let k = 0; k < RATE; k++) second[k] = 0.1 * gaussian()
    const from = performance.now()
    receiver.push([second])
    spent += performance.now() - from
    peak = Math.max(peak, process.memoryUsage().rss)
  }
  const from = performance.now()
  const { transmissions, error } = receiver.finish()
  spent += performance.now() - from
  console.log(
    `an hour of noise at 48 kHz: ${(spent / 1000).toFixed(1)} s, ${(peak / 2 ** 20).toFixed(0)} MiB of memory, ` +
      `${transmissions.length} transmissions, ${error?.code}`,
  )
}

/** Feeds metrics of pure noise to the list decoder: any path of a list that passes the checksum is a false day. */
function benchChain(): void {
  const decoder = new ListDecoder(LONGEST_LIST)
  const metrics = new Float32Array(CODE_LENGTH * TONES)
  const { uniform } = random(2)
  let accepted = 0
  const from = performance.now()
  for (let trial = 0; trial < CHAIN_TRIALS; trial++) {
    for (let at = 0; at < metrics.length; at++)
      metrics[at] = toneRatio(ENERGY, -Math.log(1 - uniform()))
    decoder.decode(metrics, LISTS, DAY_PRIOR)
    if (readPaths(decoder, LONGEST_LIST).kind !== 'none') accepted++
  }
  const each = (performance.now() - from) / CHAIN_TRIALS
  console.log(
    `${CHAIN_TRIALS} trials of the code chain on noise, list ${LONGEST_LIST}: ${accepted} accepted, ${each.toFixed(0)} ms each`,
  )
  if (accepted > 0) process.exitCode = 1
}
