// Recordings that cannot be read alone, combined (SPEC.md 9.14).
import { expect, test } from 'vitest'
import { Combiner } from '../../../protocol/receiver/combine.ts'
import { WavDecoder } from '../../../protocol/receiver/index.ts'
import { noisy } from '../../support/channel.ts'
import { sent } from '../../support/payloads.ts'
import { heardBySome } from '../../support/receptions.ts'
import { recorded, silence } from './recorded.ts'

const heard = (day: number, ebN0: number, seed: number) =>
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

test('two receptions at -2.3 dB give the day that neither gives, although a third file is noise', () => {
  const noise = recorded(noisy(silence(31), -2.3, 9))
  const files = [heard(0, -2.3, 50000), noise, heard(0, -2.3, 50001)]
  expect(framesOf(files)).toEqual([[], [sent(0).frame]])
})

test('what one file gives stays, and two receptions of another day do not become a third', () => {
  const files = [heard(2, 3, 1), heard(4, -2.3, 2), heard(3, -2.3, 3)]
  expect(framesOf(files)).toEqual([[sent(2).frame], [sent(2).frame]])
})
