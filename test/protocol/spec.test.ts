// Compares the figures in SPEC.md with the code and the vectors.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  INFORMATION_COUNTS,
  LABEL_MASK,
  PERMUTATION,
  SYNC_TONES,
  TRANSMISSION_SAMPLES,
} from '../../protocol/constants.ts'
import { ERROR_CODES } from '../../protocol/errors.ts'
import { COUNTER_NAMES } from '../../protocol/frame.ts'
import { type CodeVector, vectorsOf, type WaveformVector } from './vector-files.ts'

const folder = new URL('../../protocol/', import.meta.url)
const text = readFileSync(new URL('SPEC.md', folder), 'utf8')
const packed = text.replace(/\s+/g, '')
const flat = text.replace(/\s+/g, ' ')

function numbersOf(digits: string): number[] {
  return (digits.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16))
}

describe('the example of section 12', () => {
  const find = <Vector extends { name: string }>(file: string) =>
    vectorsOf<Vector>(file).find(({ name }) => name.includes('worked example'))!
  const code = find<CodeVector>('code.json')
  const waveform = find<WaveformVector>('waveforms.json')

  test('the example has the frame, levels and codewords of the vectors', () => {
    expect(packed).toContain(code.frame)
    for (const [j, level] of code.levels.entries()) expect(packed).toContain(`u[${j}]${level}`)
    for (const [j, word] of code.code_words.entries()) expect(packed).toContain(`x[${j}]${word}`)
  })

  test('the example has the labels and tones of the vectors', () => {
    for (const digits of [code.labels, code.code_tones, code.tones]) {
      expect(flat).toContain(numbersOf(digits).join(' '))
    }
    expect(text).toContain(code.tones_sha256)
  })

  test('the example has samples of the vectors', () => {
    for (const { samples } of waveform.excerpts.slice(0, 3)) expect(text).toContain(samples)
    expect(text).toContain(waveform.wav_sha256)
  })
})

test('the tables in SPEC.md match the code', () => {
  expect(text).toContain(`| information bits K[j] | ${INFORMATION_COUNTS.join(' | ')} | 848 |`)
  expect(text).toContain(`\n ${SYNC_TONES.join(' ')}\n`)
  for (const table of [PERMUTATION, LABEL_MASK]) {
    expect(text).toContain(
      `starts ${table.subarray(0, 8).join(' ')} and ends ${table.subarray(-6).join(' ')}`,
    )
  }
  expect(packed).toContain(`**${TRANSMISSION_SAMPLES}samples**`)
  expect(flat).toContain(COUNTER_NAMES.map((name) => `\`${name}\``).join(', '))
})

test('section 10 names every error code, and section 13 every vector file', () => {
  for (const code of ERROR_CODES) expect(text).toContain(`\`${code}\``)
  for (const file of readdirSync(new URL('vectors/', folder))) expect(text).toContain(`\`${file}\``)
})

test('every section that the code refers to exists', () => {
  const headings = Array.from(text.matchAll(/^#+ ([\d.]*\d)\.? /gm), ([, number]) => number)
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  const references = sources.flatMap((name) => {
    const source = readFileSync(new URL(name, folder), 'utf8')
    return Array.from(
      source.matchAll(/SPEC\.md ([\d.]+(?:(?:, | and | or | to )[\d.]+)*)/g),
      ([, list]) => list!,
    )
  })
  const numbers = references.flatMap((list) => list.match(/\d+(\.\d+)?/g) ?? [])
  expect(numbers.length).toBeGreaterThan(20)
  for (const number of numbers) expect(headings).toContain(number)
})
