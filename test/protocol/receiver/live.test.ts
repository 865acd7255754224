// Receiving while the sound arrives: when a day is certain, what is reported of it, and that nothing else changes.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SAMPLE_RATE, TRANSMISSION_SECONDS } from '../../../protocol/index.ts'
import { Receiver } from '../../../protocol/receiver/decode.ts'
import { LiveReceiver } from '../../../protocol/receiver/live.ts'
import { noisy, padded, type Sound } from '../../support/channel.ts'
import { sent } from '../../support/payloads.ts'
import { inFull } from '../../support/runs.ts'
import { joined } from './recorded.ts'

const { frame, sound } = sent(2)
/** Lengths of the blocks [samples]: those of an AudioWorklet, of 20 ms, and of 1.3 s. */
const BLOCKS = [128, 960, 62_400]

interface Report {
  /** When it was reported [s]. */
  at: number
  frame: Uint8Array
  isWhole: boolean
}

/** Plays the sound to a receiver in blocks whose lengths repeat. @param other a second channel */
function played(heard: Sound, blocks: readonly number[], other?: Sound) {
  const receiver = new LiveReceiver(SAMPLE_RATE, other ? 2 : 1)
  const reports: Report[] = []
  const slots: number[] = []
  const starts: number[] = []
  for (let from = 0, i = 0; from < heard.length; i++) {
    const to = Math.min(from + blocks[i % blocks.length]!, heard.length)
    const channels = [heard, ...(other ? [other] : [])].map((one) => one.subarray(from, to))
    for (const { transmission, isWhole } of receiver.push(channels)) {
      reports.push({ at: to / SAMPLE_RATE, frame: transmission.frame, isWhole })
    }
    slots.push(receiver.hearing?.slots ?? -1)
    if (receiver.hearing !== null) starts.push(receiver.hearing.start)
    from = to
  }
  return { reports, slots, starts, receiver }
}

describe('a transmission that is heard from its beginning', () => {
  const heard = noisy(padded(sound, 3, 4), 10, 1)
  const { reports, slots } = played(heard, [960])

  test('the day is reported at most 20 s after the start, and again with its end', () => {
    expect(reports.map((report) => [report.frame, report.isWhole])).toEqual([
      [frame, false],
      [frame, true],
    ])
    expect(reports[0]!.at).toBeLessThanOrEqual(3 + 20)
    expect(reports[1]!.at).toBeGreaterThan(3 + TRANSMISSION_SECONDS)
  })

  test('it is noticed within 6 s, its slots are counted, and then it is over', () => {
    const noticed = slots.findIndex((count) => count >= 0)
    expect(noticed * 0.02).toBeLessThan(3 + 6)
    const counted = slots.filter((count) => count >= 0)
    expect(counted).toEqual(counted.toSorted((a, b) => a - b))
    expect(counted.at(-1)).toBe(273)
    expect(slots.at(-1)).toBe(-1)
  })
})

inFull('what is reported does not depend on the length of the blocks', () => {
  const heard = noisy(padded(sound, 1, 2), 6, 2)
  const reported = (blocks: number[]) =>
    played(heard, blocks).reports.map(({ frame, isWhole }) => ({ frame, isWhole }))
  const expected = reported([SAMPLE_RATE])
  expect(expected).toHaveLength(2)
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...BLOCKS), { minLength: 1, maxLength: 3 }), (blocks) => {
      expect(reported(blocks)).toEqual(expected)
    }),
    { numRuns: 3 },
  )
})

inFull('the result of the whole sound is that of a receiver of recordings', () => {
  const heard = noisy(padded(sound, 2, 3), 5, 3)
  const receiver = new Receiver(SAMPLE_RATE, 1)
  receiver.push([heard])
  expect(played(heard, [4800]).receiver.finish()).toEqual(receiver.finish())
})

inFull('two days in a row are reported each', () => {
  const other = sent(4)
  const { reports } = played(
    noisy(joined(sound, other.sound, new Float32Array(96_000)), 12, 4),
    [4800],
  )
  expect(reports.filter(({ isWhole }) => isWhole).map((report) => report.frame)).toEqual([
    frame,
    other.frame,
  ])
})

inFull(
  'a transmission whose first 8 s were missed is heard with a negative start, and decoded',
  () => {
    const heard = noisy(padded(sound.subarray(8 * SAMPLE_RATE) as Sound, 0, 3), 10, 5)
    const { reports, starts } = played(heard, [4800])
    expect(starts[0]).toBeCloseTo(-8, 1)
    expect(reports.map((report) => report.frame)).toEqual([frame, frame])
  },
)

inFull('noise is not heard as a transmission', () => {
  const { reports, slots } = played(noisy(new Float32Array(40 * SAMPLE_RATE), 0, 6), [4800])
  expect(reports).toEqual([])
  expect(slots.every((count) => count < 0)).toBe(true)
})

inFull('a transmission in one of two channels is reported', () => {
  const heard = noisy(padded(sound, 1, 2), 20, 7)
  const { reports } = played(new Float32Array(heard.length), [4800], heard)
  expect(reports.map((report) => report.frame)).toEqual([frame, frame])
})
