// Bytes and samples are compared as vitest compares them, only faster.
import { expect, test } from 'vitest'

const wholeAndChanged = (at: number): [Uint8Array, Uint8Array] => {
  const [whole, changed] = [new Uint8Array(100_000).fill(7), new Uint8Array(100_000).fill(7)]
  changed[at] = 8
  return [whole, changed]
}

test.each([0, 50_000, 99_999])('bytes that differ at %i are not equal', (at) => {
  const [whole, changed] = wholeAndChanged(at)
  expect(whole).not.toEqual(changed)
  expect(new Map([['file', whole]])).not.toEqual(new Map([['file', changed]]))
  expect(whole).toEqual(whole.slice())
})

test('bytes of other types or lengths are not equal, and numbers that only look equal neither', () => {
  expect(Buffer.of(1, 2)).not.toEqual(Uint8Array.of(1, 2))
  expect(Uint8Array.of(1, 0)).not.toEqual(Uint16Array.of(1))
  expect(Uint8Array.of(1, 2)).not.toEqual(Uint8Array.of(1))
  expect(Float32Array.of(0)).not.toEqual(Float32Array.of(-0))
  expect(Float64Array.of(Number.NaN)).toEqual(Float64Array.of(Number.NaN))
})
