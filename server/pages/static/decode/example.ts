// Makes an example recording for the decoder, a made-up day in noise; the page's policy forbids fetching one.
import {
  concludeDay,
  type DayFields,
  encodeTransmission,
  SAMPLE_RATE,
  writeWav,
} from '../../../../protocol/index.ts'

export const EXAMPLE_NAME = 'Example: a day under noise'

/** Only noise, before and after the transmission. */
const PADDING_SECONDS = 2
/** The factor that makes the transmission quieter than the noise. */
const GAIN = 1 / 24
/** Standard deviation of the noise [fraction of full scale]. */
const NOISE = 0.24
const FULL_SCALE = 32_767
/** Fixed, so that the noise is the same each time. */
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

/** Returns the bytes of a WAV file. */
export function exampleRecording(): Uint8Array {
  const clean = encodeTransmission(FIELDS)
  const before = PADDING_SECONDS * SAMPLE_RATE
  const random = normal(SEED)
  const samples = Int16Array.from({ length: clean.length + 2 * before }, (_, i) => {
    const sample = (clean[i - before] ?? 0) * GAIN + random() * NOISE * FULL_SCALE
    return Math.max(-FULL_SCALE, Math.min(FULL_SCALE, sample))
  })
  return writeWav(samples)
}

/** Normal deviates by Marsaglia's polar method, over the linear congruential generator of Numerical Recipes. */
export function normal(seed: number): () => number {
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
