// What is enough, held against the whole receiver for days of every size.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fieldsOf } from '../../../archive/format/snapshot.ts'
import { slotsEnough } from '../../../pipeline/render/enough.ts'
import { encodeFrame } from '../../../protocol/index.ts'
import { isReadAfter, randomDays } from './prefixes.ts'

it('the receiver reads every day from what is enough and a slot more, and hardly any from two slots less', () => {
  let sooner = 0
  fc.assert(
    fc.property(randomDays, (day) => {
      const enough = slotsEnough(encodeFrame(fieldsOf(day)))
      expect(isReadAfter(day, enough + 1)).toBe(true)
      if (isReadAfter(day, enough - 2)) sooner++
    }),
    { numRuns: 40 },
  )
  // A path that the ideal list would drop is kept now and then: 6 of 1140 days, so 5 of 40 in a run of half a million.
  expect(sooner).toBeLessThan(5)
}, 240_000)
