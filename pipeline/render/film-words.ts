// Puts the numbers of a day in words, which the film shows after the day has been read.
import { wrapped } from '../../archive/base/terminal-text.ts'
import { NIGHT } from '../../archive/drawing/colours.ts'
import type { Snapshot } from '../../archive/format/snapshot.ts'
import { COUNTER_NAMES, type CounterName } from '../../protocol/index.ts'
import { grouped } from './chord-figure.ts'
import { WORDS } from './layout.ts'
import { text } from './svg.ts'

/** What each counter counts: one of it, and any other number. */
const NOUNS: Record<CounterName, readonly [string, string]> = {
  messages: ['message', 'messages'],
  message_bytes: ['byte of text', 'bytes of text'],
  directories: ['new directory', 'new directories'],
  active_directories: ['directory used', 'directories used'],
  investigations: ['new investigation', 'new investigations'],
  observations: ['observation', 'observations'],
  attempts: ['attempt', 'attempts'],
  corrections: ['correction', 'corrections'],
  results: ['result', 'results'],
  reuses: ['use', 'uses'],
  sources: ['source', 'sources'],
  reviews: ['review', 'reviews'],
}

const SIZE = 46
/** The baselines of the two lines that are shown at a time. */
const BASELINES = [46, 100] as const
/** The most characters of DejaVu Sans Condensed that fit a line. */
const LINE_LENGTH = 66

/** Returns sentences in pairs of lines: what was counted, what was not there, and what was not counted. */
export function wordsOf({ counters }: Snapshot): string[][] {
  const named = (is: (value: string | null) => boolean) =>
    COUNTER_NAMES.filter((name) => is(counters[name]))
  const many = (names: CounterName[], before = '') =>
    names.map((name) => whole(before + NOUNS[name][1])).join(', ')
  const counted = named((value) => value !== null && value !== '0').map((name) => {
    const value = counters[name]!
    return whole(`${grouped(value)} ${NOUNS[name][value === '1' ? 0 : 1]}`)
  })
  const none = many(
    named((value) => value === '0'),
    'no ',
  )
  const missing = many(named((value) => value === null))
  const sentences = [
    counted.length > 0 ? `${counted.join(', ')}.` : '',
    none === '' ? '' : `N${none.slice(1)}.`,
    missing === '' ? '' : `Not counted: ${missing}.`,
  ]
  const lines = sentences
    .filter((sentence) => sentence !== '')
    .flatMap((sentence) => wrapped(sentence, LINE_LENGTH, '').split('\n'))
  return lines.flatMap((line, i) => (i % 2 === 0 ? [[line, ...lines.slice(i + 1, i + 2)]] : []))
}

/** Draws the pairs below each other, each in a rectangle of the size of WORDS. */
export const drawnWords = (snapshot: Snapshot): string =>
  wordsOf(snapshot)
    .flatMap((lines, card) =>
      lines.map((line, i) => {
        const y = card * WORDS.height + BASELINES[i]!
        return text(0, y, line, { size: SIZE, fill: NIGHT.ink, condensed: true })
      }),
    )
    .join('')

/** Keeps a number and its noun on one line. */
const whole = (words: string): string => words.replaceAll(' ', '\u00a0')
