// Adds receptions of one day, and of different days, as soft values (SPEC.md 9.14).
import { expect, test } from 'vitest'
import { SLOTS } from '../../../protocol/constants.ts'
import { encodeFrame } from '../../../protocol/index.ts'
import { addedOdds, matchOf } from '../../../protocol/receiver/combine.ts'
import { Recoverer, TRIES } from '../../../protocol/receiver/recover.ts'
import { payload } from '../../support/payloads.ts'
import { heardSoftly } from '../../support/receptions.ts'

const recoverer = new Recoverer()
const absent = new Float64Array(SLOTS)
const frameOf = (day: number) => encodeFrame(payload(day))

const hear = (day: number, energy: number, seed: number) => heardSoftly(frameOf(day), energy, seed)

/** Decodes the sum, with lists that take little time. */
function read(...heard: ReturnType<typeof hear>[]): Uint8Array | null {
  const outcome = recoverer.decode({ ratios: addedOdds(heard), absent }, TRIES.slice(0, 3))
  return outcome.kind === 'frame' ? outcome.frame : null
}

test('receptions of one day match and add up: four are read of which none can be read alone', () => {
  for (let day = 0; day < 6; day++) {
    const heard = [0, 1, 2, 3].map((r) => hear(day, 1.1, 10 * day + r))
    expect(matchOf(heard[0]!.odds, heard[1]!.odds)).toBeGreaterThan(6)
    for (const each of heard) expect(read(each)).toBeNull()
    expect(read(...heard)).toEqual(frameOf(day))
  }
})

test('receptions of two days do not match, and their sum is never read as a third day', () => {
  for (let seed = 0; seed < 24; seed++) {
    const energies = [1, 2.5, 4, 8] as const
    const [day, other] = [seed % 6, (seed + 1 + (seed % 4)) % 6]
    const a = hear(day, energies[seed & 3]!, 1000 + seed)
    const b = hear(other, energies[(seed >> 2) & 3]!, 2000 + seed)
    expect(matchOf(a.odds, b.odds)).toBeLessThan(6)
    const frame = read(a, b)
    if (frame !== null) expect([frameOf(day), frameOf(other)]).toContainEqual(frame)
  }
})
