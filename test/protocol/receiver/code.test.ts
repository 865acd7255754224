// The list decoder, its success rate in noise and its false decodes of noise only, and its metrics.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CODE_LENGTH, LEVELS, SLOTS, TONES } from '../../../protocol/constants.ts'
import { encodeFrame, encodeTones } from '../../../protocol/index.ts'
import { POSITION_SLOTS } from '../../../protocol/interleave.ts'
import { toneLabel } from '../../../protocol/labels.ts'
import { absence, labelMetrics } from '../../../protocol/receiver/metrics.ts'
import { readPaths } from '../../../protocol/receiver/outcome.ts'
import { ListDecoder } from '../../../protocol/receiver/polar-list.ts'
import { DAY_PRIOR } from '../../../protocol/receiver/prior.ts'
import { toneRatio } from '../../../protocol/receiver/tone-model.ts'
import { payload } from '../../support/payloads.ts'
import { random } from '../../support/random.ts'
import { inFull } from '../../support/runs.ts'

/** Draws the log-likelihood ratios of all tones in white noise, for a signal energy `es` per slot [units of N0]. */
function ratiosOf(tones: Uint8Array, es: number, seed: number): Float32Array {
  const { gaussian } = random(seed)
  return Float32Array.from({ length: SLOTS * TONES }, (_, at) => {
    const sent = tones[Math.floor(at / TONES)] === at % TONES ? Math.sqrt(es) : 0
    const [real, imag] = [sent + gaussian() * Math.SQRT1_2, gaussian() * Math.SQRT1_2]
    return toneRatio(es, real ** 2 + imag ** 2)
  })
}

function metricsOf(ratios: Float32Array, heard = new Uint8Array(SLOTS).fill(1)): Float32Array {
  const metrics = new Float32Array(CODE_LENGTH * TONES)
  labelMetrics(ratios, absence(ratios, heard), metrics)
  return metrics
}

const decoder = new ListDecoder(128)
const everyLevel = (list: number): number[] => new Array(LEVELS).fill(list)

describe('the list decoder', () => {
  test('the list decoder decodes any noise-free frame with a list of 8, although many paths have equal costs', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 106, maxLength: 106 }), (frame) => {
        const tones = encodeTones(frame)
        const metrics = new Float32Array(CODE_LENGTH * TONES).fill(-9)
        const labels = Uint8Array.from(POSITION_SLOTS, (slot, i) => toneLabel(tones[slot]!, i))
        for (const [i, label] of labels.entries()) metrics[i * TONES + label] = 300
        decoder.decode(metrics, everyLevel(8))
        const best = decoder.ranking()[0]!
        expect(decoder.labels.subarray(best * CODE_LENGTH, (best + 1) * CODE_LENGTH)).toEqual(
          labels,
        )
      }),
      { numRuns: 50 },
    )
  })

  test('the cost of the best path does not increase with the list size', () => {
    const metrics = metricsOf(ratiosOf(encodeTones(encodeFrame(payload(4))), 4, 1))
    const costs = [1, 8, 32, 128].map((list) => {
      decoder.decode(metrics, everyLevel(list))
      expect(decoder.count).toBe(list)
      return decoder.cost[decoder.ranking()[0]!]!
    })
    expect(costs[3]).toBeLessThanOrEqual(costs[2]! + 1e-6)
    expect(costs[2]).toBeLessThanOrEqual(costs[0]! + 1e-6)
  })

  inFull(
    'the list decoder decodes 40 of 40 frames noncoherently at Eb/N0 2.5 dB, with lists up to 32',
    () => {
      const es = (10 ** 0.25 * 848) / 273
      let read = 0
      for (let trial = 0; trial < 40; trial++) {
        const frame = encodeFrame(payload(trial))
        const metrics = metricsOf(ratiosOf(encodeTones(frame), es, trial))
        for (const list of [8, 32]) {
          decoder.decode(metrics, everyLevel(list))
          const outcome = readPaths(decoder, list)
          if (outcome.kind !== 'frame') continue
          expect(outcome.frame).toEqual(frame)
          read++
          break
        }
      }
      expect(read).toBe(40)
    },
  )

  inFull(
    'the list decoder never decodes a day from noise in 300 trials, with and without a prior',
    () => {
      const { uniform } = random(6)
      const metrics = new Float32Array(CODE_LENGTH * TONES)
      for (let trial = 0; trial < 300; trial++) {
        for (let at = 0; at < metrics.length; at++)
          metrics[at] = toneRatio(4, -Math.log(1 - uniform()))
        decoder.decode(metrics, everyLevel(32), trial % 2 === 0 ? null : DAY_PRIOR)
        expect(readPaths(decoder, 32)).toEqual({ kind: 'none' })
      }
    },
  )
})

describe('the metrics', () => {
  const tones = encodeTones(encodeFrame(payload(5)))

  test('the metrics treat slots without a signal as absent, and the others as present', () => {
    const ratios = ratiosOf(tones, 8, 2)
    const noise = ratiosOf(new Uint8Array(SLOTS).fill(255), 8, 3)
    ratios.set(noise.subarray(100 * TONES, 150 * TONES), 100 * TONES)
    const absent = absence(ratios, new Uint8Array(SLOTS).fill(1))
    expect(absent.subarray(105, 145).every((part) => part > 0.9)).toBe(true)
    expect([...absent.subarray(0, 95), ...absent.subarray(155)].every((part) => part < 0.1)).toBe(
      true,
    )
  })

  test('the metrics are neutral for slots outside the recording', () => {
    const heard = new Uint8Array(SLOTS).fill(1).fill(0, 200)
    const metrics = metricsOf(ratiosOf(tones, 8, 4), heard)
    for (const [i, slot] of POSITION_SLOTS.entries()) {
      const row = metrics.subarray(i * TONES, (i + 1) * TONES)
      if (slot >= 200) expect(Math.max(...row) - Math.min(...row)).toBeLessThan(1e-6)
    }
  })
})
