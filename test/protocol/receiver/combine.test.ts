// Adds receptions of one day, and of different days, that cannot be read alone: as soft values, and as recordings (SPEC.md 9.14).
import { expect, test } from 'vitest'
import { SLOTS } from '../../../protocol/constants.ts'
import { encodeFrame } from '../../../protocol/index.ts'
import { addedOdds, Combiner, matchOf } from '../../../protocol/receiver/combine.ts'
import { WavDecoder } from '../../../protocol/receiver/index.ts'
import { Recoverer, TRIES } from '../../../protocol/receiver/recover.ts'
import { noisy } from '../../support/channel.ts'
import { payload, sent } from '../../support/payloads.ts'
import { heardBySome, heardSoftly } from '../../support/receptions.ts'
import { inFull, runs } from '../../support/runs.ts'
import { recorded, silence } from './recorded.ts'

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
  for (let day = 0; day < runs(2, 6); day++) {
    const heard = [0, 1, 2, 3].map((r) => hear(day, 1.1, 10 * day + r))
    expect(matchOf(heard[0]!.odds, heard[1]!.odds)).toBeGreaterThan(6)
    for (const each of heard) expect(read(each)).toBeNull()
    expect(read(...heard)).toEqual(frameOf(day))
  }
})

test('receptions of two days do not match, and their sum is never read as a third day', () => {
  for (let seed = 0; seed < runs(6, 24); seed++) {
    const energies = [1, 2.5, 4, 8] as const
    const [day, other] = [seed % 6, (seed + 1 + (seed % 4)) % 6]
    const a = hear(day, energies[seed & 3]!, 1000 + seed)
    const b = hear(other, energies[(seed >> 2) & 3]!, 2000 + seed)
    expect(matchOf(a.odds, b.odds)).toBeLessThan(6)
    const frame = read(a, b)
    if (frame !== null) expect([frameOf(day), frameOf(other)]).toContainEqual(frame)
  }
})

const heardAloud = (day: number, ebN0: number, seed: number) =>
  recorded(heardBySome(sent(day).sound, ebN0, seed))

/** Returns the frames that the files give alone, and combined. */
function framesOf(files: Uint8Array[]): [alone: Uint8Array[], combined: Uint8Array[]] {
  const combiner = new Combiner()
  const alone = files.flatMap((file) => {
    const decoder = new WavDecoder(undefined, (...format) => combiner.receiverFor(...format))
    decoder.push(file)
    return decoder.end().transmissions
  })
  return [alone, combiner.finish()].map((all) => all.map(({ frame }) => frame)) as [
    Uint8Array[],
    Uint8Array[],
  ]
}

inFull(
  'two receptions at -2.3 dB give the day that neither gives, although a third file is noise',
  () => {
    const noise = recorded(noisy(silence(31), -2.3, 9))
    const files = [heardAloud(0, -2.3, 50000), noise, heardAloud(0, -2.3, 50001)]
    expect(framesOf(files)).toEqual([[], [sent(0).frame]])
  },
)

inFull('what one file gives stays, and two receptions of another day do not become a third', () => {
  const files = [heardAloud(2, 3, 1), heardAloud(4, -2.3, 2), heardAloud(3, -2.3, 3)]
  expect(framesOf(files)).toEqual([[sent(2).frame], [sent(2).frame]])
})
