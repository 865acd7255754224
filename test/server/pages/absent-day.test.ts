// When the next transmission is due, as pages and forms tell it.
import { expect, test } from 'vitest'
import { nextSentence, soundTime } from '../../../server/pages/days/absent-day.ts'

const now = Date.parse('2026-11-20T20:24:30.000Z')
const at = (instant: string) => new Date(instant)

test.each([
  ['2026-11-21T00:05:00.000Z', 'Next transmission in 3\u00a0h\u00a041\u00a0min.', 'at 00:05 UTC'],
  ['2026-11-21T00:00:00.000Z', 'Next transmission in 3\u00a0h\u00a036\u00a0min.', 'at 00:00 UTC'],
  ['2026-11-22T06:30:00.000Z', 'Next transmission in 34\u00a0h\u00a06\u00a0min.', 'at 06:30 UTC'],
  // A run on the same day cannot archive it.
  ['2026-11-20T23:05:00.000Z', 'Next transmission after midnight UTC.', 'after midnight UTC'],
])('with the next run at %s, the pages state %j', (run, sentence, time) => {
  expect(nextSentence({ now, nextRun: at(run), isMirror: false })).toBe(sentence)
  expect(soundTime({ now, nextRun: at(run) })).toBe(time)
})

test('without scheduled runs the transmission follows after midnight, and a mirror makes none', () => {
  const upcoming = { now, nextRun: null, isMirror: false }
  expect(nextSentence(upcoming)).toBe('Next transmission after midnight UTC.')
  expect(nextSentence({ ...upcoming, isMirror: true })).toBe('')
})
