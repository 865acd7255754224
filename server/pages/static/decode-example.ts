// A recording to try the decoder on: a day that never was, in noise, made here because the page asks nobody for anything.
import {
  concludeDay,
  type DayFields,
  encodeTransmission,
  SAMPLE_RATE,
  writeWav,
} from '../../../protocol/index.ts'

export const EXAMPLE_NAME = 'example in noise.wav'

/** Before and after the transmission. */
const REST_SECONDS = 2
/** The transmission is turned down, and the noise is louder than it: its peak, and its deviation [parts of full scale]. */
const VOLUME = 1 / 24
const NOISE = 0.24
const LOUDEST = 32_767
/** So that the noise is the same each time. */
const SEED = 20_261_119

const rest = {
  counters: {
    messages: 86n,
    message_bytes: 14_235n,
    directories: 3n,
    active_directories: 12n,
    investigations: 2n,
    observations: 24n,
    attempts: 9n,
    corrections: 2n,
    results: 3n,
    reuses: 5n,
    sources: 31n,
    reviews: 1n,
  },
  coverage: 'complete',
  clock: 'ok',
} as const
const FIELDS: DayFields = { day: '2026-01-01', ...rest, conclusion: concludeDay(rest) }

/** The bytes of a WAV file. */
export function exampleRecording(): Uint8Array {
  const clean = encodeTransmission(FIELDS)
  const before = REST_SECONDS * SAMPLE_RATE
  const random = normal(SEED)
  const samples = Int16Array.from({ length: clean.length + 2 * before }, (_, i) => {
    const sample = (clean[i - before] ?? 0) * VOLUME + random() * NOISE * LOUDEST
    return Math.max(-LOUDEST, Math.min(LOUDEST, sample))
  })
  return writeWav(samples)
}

/** Marsaglia's polar method over a linear congruential generator (Numerical Recipes). */
function normal(seed: number): () => number {
  let state = seed
  const uniform = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 31 - 1
  }
  return () => {
    for (;;) {
      const [x, y] = [uniform(), uniform()]
      const square = x * x + y * y
      if (square > 0 && square < 1) return x * Math.sqrt((-2 * Math.log(square)) / square)
    }
  }
}
