// A short form of the receiver's table (npm run bench -- receiver): fewer trials, but closer to the limit than the
// required floors, so that a change that costs half a decibel fails. Every trial must decode, with the same seeds.
import { expect, test } from 'vitest'
import { decodeWav } from '../../../protocol/receiver/index.ts'
import { conditionTable } from '../../support/conditions.ts'
import { sent } from '../../support/payloads.ts'
import { findProgram } from '../../support/programs.ts'

const TESTED = conditionTable(findProgram('ffmpeg')).flatMap(({ tested, ...line }) =>
  tested === undefined ? [] : [{ ...line, trials: tested[0], floor: line.ebN0, ebN0: tested[1] }],
)

test.each(TESTED)(
  'the receiver decodes $trials of $trials, $name, at $ebN0 dB, where $floor dB is required',
  ({ condition, ebN0, trials }) => {
    for (let trial = 0; trial < trials; trial++) {
      const { frame, sound } = sent(trial)
      const { transmissions, error } = decodeWav(condition(sound, trial, ebN0))
      expect({ trial, error, frames: transmissions.map((found) => found.frame) }).toEqual({
        trial,
        error: null,
        frames: [frame],
      })
    }
  },
)
