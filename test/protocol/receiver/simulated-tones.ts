// Simulates the tone likelihoods of a receiver without audio, for tests of the later stages.
import { CODE_LENGTH, SLOTS, TONES } from '../../../protocol/constants.ts'
import { absence, labelMetrics } from '../../../protocol/receiver/metrics.ts'
import { toneRatio } from '../../../protocol/receiver/tone-model.ts'
import { random } from '../../support/random.ts'

/** Draws the log-likelihood ratios of all tones in white noise, for a signal energy `es` per slot [units of N0]. */
export function ratiosOf(tones: Uint8Array, es: number, seed: number): Float32Array {
  const { gaussian } = random(seed)
  return Float32Array.from({ length: SLOTS * TONES }, (_, at) => {
    const sent = tones[Math.floor(at / TONES)] === at % TONES ? Math.sqrt(es) : 0
    const [real, imag] = [sent + gaussian() * Math.SQRT1_2, gaussian() * Math.SQRT1_2]
    return toneRatio(es, real ** 2 + imag ** 2)
  })
}

export function metricsOf(
  ratios: Float32Array,
  heard = new Uint8Array(SLOTS).fill(1),
): Float32Array {
  const metrics = new Float32Array(CODE_LENGTH * TONES)
  labelMetrics(ratios, absence(ratios, heard), metrics)
  return metrics
}
