// A short form of the receiver's table (npm run bench -- receiver): fewer trials, but closer to the limit than the
// required floors, so that a change that costs half a decibel fails. Every trial must decode, with the same seeds.
import { describe, expect, test } from 'vitest'
import { decodeWav } from '../../../protocol/receiver/index.ts'
import { CODECS, type Codec } from '../../support/codecs.ts'
import * as conditions from '../../support/conditions.ts'
import { sent } from '../../support/payloads.ts'
import { findProgram } from '../../support/programs.ts'

const QUIET = Number.POSITIVE_INFINITY
const ffmpeg = findProgram('ffmpeg')

/** Decodes the trials from `first` on; each must yield exactly its own frame. */
function expectRead(
  condition: conditions.Condition,
  ebN0: number,
  trials: number,
  first = 0,
): void {
  for (let trial = first; trial < first + trials; trial++) {
    const { frame, sound } = sent(trial)
    const { transmissions, error } = decodeWav(condition(sound, trial, ebN0))
    expect({ trial, error, frames: transmissions.map((found) => found.frame) }).toEqual({
      trial,
      error: null,
      frames: [frame],
    })
  }
}

describe('noise floors of the receiver', () => {
  test.each([
    { name: 'white noise', floor: 3, ebN0: 0.75, trials: 6, condition: conditions.whiteNoise },
    {
      name: 'white noise at speed 0.98',
      floor: 3,
      ebN0: 1.5,
      trials: 3,
      condition: conditions.atSpeedOf(0.98),
    },
    {
      name: 'white noise at speed 1.02',
      floor: 3,
      ebN0: 1.5,
      trials: 3,
      condition: conditions.atSpeedOf(1.02),
    },
    {
      name: 'white noise at +1000 ppm',
      floor: 3,
      ebN0: 1.5,
      trials: 3,
      condition: conditions.atSpeedOf(1.001),
    },
    {
      name: 'a translation by up to 20 Hz',
      floor: 3.5,
      ebN0: 1.5,
      trials: 4,
      condition: conditions.translation,
    },
    {
      name: 'a dropout of 20 %',
      floor: 4,
      ebN0: 2.5,
      trials: 2,
      condition: conditions.dropouts(1),
    },
    {
      name: 'four dropouts of 5 %',
      floor: 4.5,
      ebN0: 2.75,
      trials: 2,
      condition: conditions.dropouts(4),
    },
    {
      name: 'without its first or last 3 s',
      floor: 5,
      ebN0: 2.5,
      trials: 2,
      condition: conditions.cutShort,
    },
    { name: 'clipped at -12 dB', floor: 4.5, ebN0: 2.5, trials: 2, condition: conditions.clipping },
    {
      name: 'overdriven by a melody of +6 dB',
      floor: 10,
      ebN0: 7,
      trials: 6,
      condition: conditions.overdriven,
    },
    {
      name: 'over a telephone',
      floor: 3.5,
      ebN0: 1.75,
      trials: 2,
      condition: conditions.telephone,
    },
    {
      name: 'with a whistle of +6 dB',
      floor: 4,
      ebN0: 2.5,
      trials: 2,
      condition: conditions.whistle,
    },
    { name: 'with clicks', floor: 4, ebN0: 2.5, trials: 2, condition: conditions.clicks },
    { name: 'with wow of 0.1 %', floor: 4, ebN0: 2.5, trials: 3, condition: conditions.wow },
    { name: 'in a room of 0.3 s', floor: 7, ebN0: 5, trials: 2, condition: conditions.room(0.3) },
    { name: 'in a room of 1 s', floor: 7, ebN0: 5, trials: 2, condition: conditions.room(1) },
    {
      name: 'in a room of 0.6 s without noise',
      floor: QUIET,
      ebN0: QUIET,
      trials: 2,
      condition: conditions.room(0.6),
    },
  ])(
    'the receiver decodes $trials of $trials, $name, at $ebN0 dB, where $floor dB is required',
    ({ condition, ebN0, trials }) => {
      expectRead(condition, ebN0, trials)
    },
  )

  test.skipIf(ffmpeg === undefined).each(Object.keys(CODECS) as Codec[])(
    'the receiver decodes 2 of 2 through %s',
    (codec) => {
      expectRead(conditions.coded(codec, ffmpeg!), QUIET, 2)
    },
  )
})
