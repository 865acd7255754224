// Tests that the tone strip marks each slot at its time and frequency.
import { describe, expect, it } from 'vitest'
import {
  colourOfSlot,
  markAt,
  STRIP,
  SYNC_ONLY,
  stripPaths,
} from '../../../archive/drawing/tone-strip.ts'
import { SLOTS, SYNC_COUNT, TONES } from '../../../protocol/index.ts'

describe('the tone strip', () => {
  it('the lowest tone of an even slot is at the bottom, and the highest tone of an odd slot at the top', () => {
    expect(markAt(0, 0)).toEqual({ x: 0, y: STRIP.height - 1 })
    expect(markAt(TONES - 1, SLOTS - 2)).toEqual({ x: STRIP.width - 8, y: 0 })
  })

  it('the twelve colours run in order from the first slot to the last', () => {
    const colours = Array.from({ length: SLOTS }, (_, slot) => colourOfSlot(slot))
    expect(new Set(colours)).toEqual(new Set(Array.from({ length: 12 }, (_, i) => i)))
    expect(colours).toEqual(colours.toSorted((a, b) => a - b))
  })

  it('each known tone has exactly one mark in one of the twelve paths', () => {
    const all = stripPaths(Array.from({ length: SLOTS }, () => 5))
    expect(all).toHaveLength(12)
    expect(all.join('').match(/M/g)).toHaveLength(SLOTS)
    expect(stripPaths(SYNC_ONLY).join('').match(/M/g)).toHaveLength(SYNC_COUNT)
  })
})
