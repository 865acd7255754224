// What is enough, held against the whole receiver for days of every size.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fieldsOf } from '../../../archive/format/snapshot.ts'
import { slotsEnough } from '../../../pipeline/render/enough.ts'
import { encodeFrame } from '../../../protocol/index.ts'
import { isReadAfter, randomDays } from './prefixes.ts'

it('the receiver agrees with what is enough within a slot', () => {
  fc.assert(
    fc.property(randomDays, (day) => {
      const enough = slotsEnough(encodeFrame(fieldsOf(day)))
      expect([enough + 1, enough - 2].map((slots) => isReadAfter(day, slots))).toEqual([
        true,
        false,
      ])
    }),
    { numRuns: 40 },
  )
}, 240_000)
