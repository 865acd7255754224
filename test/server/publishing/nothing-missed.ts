// Checks what every reader of concurrent traffic must have seen (API.md 4.5).
import { expect } from 'vitest'
import type { Traffic } from '../../support/traffic.ts'

/** Expects that each reader saw every id once, in ascending order. */
export function expectNothingMissed({ all, inDirectory, inInvestigation, seen }: Traffic): void {
  expect(all).toEqual(all.map((_, i) => BigInt(i + 1)))
  expect(seen.all).toEqual([all, all])
  expect(seen.inDirectory).toEqual(inDirectory)
  expect(seen.inInvestigation).toEqual(inInvestigation)
}
