// The numbers of a day in words, as the film shows them.
// Rules: WRITING.md 4.2.
import { expect, test } from 'vitest'
import { wordsOf } from '../../../pipeline/render/film-words.ts'
import { INCONCLUSIVE, LARGEST, NULLS, QUIET, snapshotOf } from './days.ts'

const plain = (lines: string[]) => lines.join(' ').replaceAll(/\u00a0/g, ' ')

test.each([
  [
    'what was counted, and what was not there',
    snapshotOf('1 12345 1 2 0 1 0 0 0 1 2 0'.split(' ')),
    '1 message, 12,345 bytes of text, 1 new directory, 2 directories used, 1 observation, 1 use, 2 sources. ' +
      'No new investigations, no attempts, no corrections, no results, no reviews.',
  ],
  [
    'what was not counted',
    NULLS,
    '1 message, 154 bytes of text, 2 new directories, 1 directory used. Not counted: new investigations, ' +
      'observations, attempts, corrections, results, uses, sources, reviews.',
  ],
])('the words say %s', (_, day, words) => {
  expect(plain(wordsOf(day).flat())).toBe(words)
})

test('a number stays with its noun, in lines that fit, two at a time', () => {
  for (const day of [LARGEST, QUIET, NULLS, INCONCLUSIVE])
    for (const [first, second = ''] of wordsOf(day)) {
      expect(Math.max(first!.length, second.length)).toBeLessThanOrEqual(66)
      expect(first).not.toMatch(/(\d|\bno)$/)
    }
  expect(wordsOf(LARGEST).flat()).toHaveLength(12)
})
