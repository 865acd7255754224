// The pages of days: the conclusion as a sentence, the coverage ribbon, charts, the calendar, days that are not archived.
// Rules: API.md 9.4.
import { statSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { smallChordOf } from '../../../archive/drawing/chord.ts'
import type { Snapshot } from '../../../archive/format/snapshot.ts'
import { COUNTER_NAMES } from '../../../protocol/index.ts'
import { absentDay, nextSentence, soundTime } from '../../../server/pages/days/absent-day.ts'
import { calendar } from '../../../server/pages/days/calendar.ts'
import { conclusionSentence, ribbon } from '../../../server/pages/days/coverage.ts'
import { transmissionPages } from '../../../server/pages/days/transmissions.ts'
import { styleSheet } from '../../../server/pages/frame/stylesheet.ts'
import { countBars, mostOf } from '../../../server/pages/parts/counts.ts'
import { formatDuration } from '../../../server/pages/parts/dates.ts'
import { chartGrid } from '../../../server/pages/static/chart-grid.ts'
import type { Headline } from '../../../server/sections/headlines.ts'
import type { ServedManifest } from '../../../server/transmissions/views.ts'
import { makeSnapshot } from '../../archive/days.ts'
import { parseHtml } from './html.ts'

const whole = makeSnapshot('2026-11-19')
const gap = {
  code: 'service_not_running' as const,
  from: '2026-11-19T02:10:00.000Z',
  to: '2026-11-19T06:40:00.000Z',
}
const partial: Snapshot = {
  ...whole,
  coverage: { status: 'partial', observed_seconds: 70_200, reasons: [gap] },
  conclusion: 'inconclusive',
}
const withCounters = (counters: Partial<Snapshot['counters']>, day = '2026-11-19'): Snapshot => ({
  ...makeSnapshot(day),
  counters: { ...whole.counters, ...counters },
})

describe('the conclusion as a sentence', () => {
  test.each<[string, Snapshot]>([
    ['2 messages were counted, and the service was up all day.', withCounters({ messages: '2' })],
    ['1 message was counted, and the service was up all day.', withCounters({ messages: '1' })],
    [
      'Nothing was published, and the service was up all day.',
      withCounters({ messages: '0', directories: '0' }),
    ],
    [
      'No message was published, though 1 directory was created, and the service was up all day.',
      withCounters({ messages: '0', directories: '1' }),
    ],
    [
      'Messages could not be counted.',
      { ...withCounters({ messages: null }), conclusion: 'inconclusive' },
    ],
    [
      'Messages could not be counted, 2 other counters are not available and the server’s clock was changed.',
      {
        ...withCounters({ messages: null, message_bytes: null, active_directories: null }),
        clock: { status: 'stepped' },
        conclusion: 'inconclusive',
      },
    ],
    [
      'Nothing was published, but the service was down for 4\u00a0h\u00a030\u00a0min and the server’s clock was changed, so there may have been more.',
      {
        ...partial,
        counters: { ...whole.counters, messages: '0', directories: '0' },
        clock: { status: 'stepped' },
      },
    ],
  ])('%s', (sentence, snapshot) => {
    expect(conclusionSentence(snapshot)).toBe(sentence)
  })

  test('a duration omits units that are zero', () => {
    expect([12, 60, 3600, 16_200, 86_400].map(formatDuration)).toEqual([
      '12\u00a0s',
      '1\u00a0min',
      '1\u00a0h',
      '4\u00a0h\u00a030\u00a0min',
      '24\u00a0h',
    ])
  })
})

test('the ribbon draws a gap at its minutes and states its reason', () => {
  const text = String(ribbon(partial))
  expect(text).toContain('M130 1h270v24h-270z')
  expect(parseHtml(text).text).toContain('The service was not running, 02:10 to 06:40 4\u00a0h')
})

describe('counts as charts', () => {
  test('the maximum of 20-digit counts is exact, and an unavailable count has a bar of its own kind', () => {
    const days = [
      withCounters({ messages: '18446744073709551615' }),
      withCounters({ messages: '18446744073709551614' }),
      withCounters({ messages: null }),
    ]
    expect(mostOf(days, 'messages')).toBe('18446744073709551615')
    const bars = String(countBars(days, 'messages', 0))
    expect(bars).toContain('class="absent" d="M19 40v-40"')
    expect(parseHtml(bars).tags).toHaveLength(3)
  })

  test('a chart of 64 rows is not much taller than one of ten', () => {
    const heights = [10, 14, 20, 64].map((rows) => {
      const { block, gap } = chartGrid(rows)
      return rows * (block.height + gap.y)
    })
    expect(Math.max(...heights)).toBeLessThanOrEqual(128)
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(70)
  })
})

describe('the calendar', () => {
  const days = ['2026-10-31', '2026-11-01', '2026-11-03'].map((day) => withCounters({}, day))
  const text = String(calendar(days, new Map(), '2026-11-04'))

  test('months come newest first, start at the right weekday, mark a missing day, and end today', () => {
    expect(text.indexOf('November 2026')).toBeLessThan(text.indexOf('October 2026'))
    expect([...text.matchAll(/class="(weekday-\d)"/g)].map(([, name]) => name)).toEqual([
      'weekday-7',
      'weekday-6',
    ])
    expect(parseHtml(text).text).toMatch(/02\s*not archived/)
    expect(text).toMatch(/04<\/span> <span class="said">today<.*October/s)
  })

  test('each cell draws the chord of its day over a grid that the page defines once', () => {
    const columns = smallChordOf(whole.counters).filter((blocks) => blocks !== 0).length
    expect(text.match(/<use href="#unlit"/g)).toHaveLength(3)
    expect(text.match(/class="unlit"/g)).toHaveLength(1)
    const drawn = [...text.matchAll(/class="lit" stroke="url\(#tones\)" [^>]*d="([^"]*)"/g)]
    expect(drawn.map(([, path]) => path?.match(/M/g)?.length)).toEqual(Array(3).fill(columns))
  })
})

/** As long as a headline gets, and different every day. */
const questionOf = (day: string): Headline => ({
  kind: 'question',
  ...{ outcome: '', reason: '' },
  linked: [],
  title: `Why was the water ${day} centimetres higher at the old mill than at the footbridge below?`,
  id: 1n,
  investigation: 1n,
  beginning: '',
  lines: [],
})

test('a month of busy days weighs at most 25 KB compressed with its style sheet, without an image or a player', () => {
  const manifests = Array.from({ length: 31 }, (_, i) => {
    const day = `2026-10-${String(31 - i).padStart(2, '0')}`
    const counters = Object.fromEntries(COUNTER_NAMES.map((name) => [name, '14235']))
    return { day, snapshot: withCounters(counters, day) } as ServedManifest
  })
  const view = {
    manifests,
    next_before: null,
    from_newest: true,
    limit: 31,
    log: null,
    isLogDamaged: false,
    baseUrl: '',
    mirrors: [],
    witnessed: null,
    now: 0,
    headlines: new Map(manifests.map(({ day }) => [day, questionOf(day)])),
    nextRun: null,
    isMirror: false,
  }
  const page = transmissionPages.list({ ...view, isClosed: false })
  expect(page).toMatch(
    new RegExp(`<summary>${manifests.length - 7} earlier days</summary>.*>1 \\w+</span>`, 's'),
  )
  expect(page).not.toMatch(/<(audio|video)|<img [^>]*transmission-media/)
  const font = statSync(new URL('../../../server/pages/static/figures.woff2', import.meta.url)).size
  const weight = gzipSync(page).length + gzipSync(styleSheet('calendar')).length + font
  expect(weight).toBeLessThanOrEqual(25_000)
})

test('the page of a day that is not archived states the reason and links to the nearest days', () => {
  const view = { day: '2026-11-19', reason: 'there is none', older: '2026-11-18', newer: null }
  const page = String(absentDay(view))
  expect(page).toContain('There is none.')
  expect(page).toContain('href="/transmissions/2026-11-18"')
})

const now = Date.parse('2026-11-20T20:24:30.000Z')

test.each([
  ['2026-11-21T00:05:00.000Z', 'Next transmission in 3\u00a0h\u00a041\u00a0min.', 'at 00:05 UTC'],
  ['2026-11-21T00:00:00.000Z', 'Next transmission in 3\u00a0h\u00a036\u00a0min.', 'at 00:00 UTC'],
  ['2026-11-22T06:30:00.000Z', 'Next transmission in 34\u00a0h\u00a06\u00a0min.', 'at 06:30 UTC'],
  // A run on the same day cannot archive it.
  ['2026-11-20T23:05:00.000Z', 'Next transmission after midnight UTC.', 'after midnight UTC'],
])('with the next run at %s, the pages state %j', (run, sentence, time) => {
  expect(nextSentence({ now, nextRun: new Date(run), isMirror: false })).toBe(sentence)
  expect(soundTime({ now, nextRun: new Date(run) })).toBe(time)
})

test('without scheduled runs the transmission follows after midnight, and a mirror makes none', () => {
  const upcoming = { now, nextRun: null, isMirror: false }
  expect(nextSentence(upcoming)).toBe('Next transmission after midnight UTC.')
  expect(nextSentence({ ...upcoming, isMirror: true })).toBe('')
})
