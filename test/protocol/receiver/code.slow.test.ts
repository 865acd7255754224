// The success rate of the list decoder in noise, and its false decodes of noise only.
import { describe, expect, test } from 'vitest'
import { CODE_LENGTH, LEVELS, TONES } from '../../../protocol/constants.ts'
import { encodeFrame, encodeTones } from '../../../protocol/index.ts'
import { readPaths } from '../../../protocol/receiver/outcome.ts'
import { ListDecoder } from '../../../protocol/receiver/polar-list.ts'
import { DAY_PRIOR } from '../../../protocol/receiver/prior.ts'
import { toneRatio } from '../../../protocol/receiver/tone-model.ts'
import { payload } from '../../support/payloads.ts'
import { random } from '../../support/random.ts'
import { metricsOf, ratiosOf } from './simulated-tones.ts'

const decoder = new ListDecoder(128)
const everyLevel = (list: number): number[] => new Array(LEVELS).fill(list)

describe('the list decoder', () => {
  test('the list decoder decodes 40 of 40 frames noncoherently at Eb/N0 2.5 dB, with lists up to 32', () => {
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
  })

  test('the list decoder never decodes a day from noise in 300 trials, with and without a prior', () => {
    const { uniform } = random(6)
    const metrics = new Float32Array(CODE_LENGTH * TONES)
    for (let trial = 0; trial < 300; trial++) {
      for (let at = 0; at < metrics.length; at++)
        metrics[at] = toneRatio(4, -Math.log(1 - uniform()))
      decoder.decode(metrics, everyLevel(32), trial % 2 === 0 ? null : DAY_PRIOR)
      expect(readPaths(decoder, 32)).toEqual({ kind: 'none' })
    }
  })
})
