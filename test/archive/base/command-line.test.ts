// The command lines of all programs: words and options by their rules, usage errors, and the help.
// Rules: COMMANDS.md 1.1-1.2.
import { describe, expect, test } from 'vitest'
import { helpOf, parse, programLine } from '../../../archive/base/command-line.ts'
import { UsageError } from '../../../archive/base/terminal.ts'

const PAINT = programLine({
  name: 'paint',
  summary: 'Paints things. '.repeat(8).trim(),
  words: [
    { name: 'COLOUR', oneOf: ['red', 'blue'], help: 'of the paint' },
    {
      name: 'THING',
      oneOf: ['chair', 'table'],
      isOptional: true,
      isRepeated: true,
      help: 'is painted',
    },
  ],
  options: {
    coats: { takes: 'N', read: Number.parseFloat, help: 'how many' },
    by: { takes: 'PAINTER', isRequired: true, help: 'whoever does it' },
    lid: { takes: 'COLOUR', isRepeated: true, heading: ['For the careful.'], help: 'of the tin' },
    dry: { help: 'waits' },
    json: { help: 'prints JSON' },
  },
  closing: ['Exit: 0 painted, 2 usage error.'],
  prepare: (words, options) => ({ words, ...options }),
})

const parsed = (line: string) => parse(PAINT, line.split(' '))

describe('arguments', () => {
  test('words and options have the types of their rules', () => {
    expect(parsed('red --by me')?.args).toEqual({
      words: ['red'],
      by: 'me',
      coats: undefined,
      lid: [],
      dry: false,
      json: false,
    })
    expect(parsed('blue chair --coats=2 --by me --lid x table --dry --lid y')?.args).toMatchObject({
      words: ['blue', 'chair', 'table'],
      coats: 2,
      lid: ['x', 'y'],
      dry: true,
    })
  })

  test('--help overrides all other arguments', () => {
    expect([parsed('--help green'), parsed('-h --coats 1')]).toEqual([null, null])
  })

  test.each([
    ['--by me', 'the COLOUR is missing; must be one of red, blue'],
    ['green --by me', '"green" is not a COLOUR; must be one of red, blue'],
    ['red chair sky --by me', '"sky" is not a THING; must be one of chair, table'],
    [' --by me', 'the COLOUR is empty'],
    ['red  --by me', 'the THING is empty'],
    ['red', '--by is missing'],
    ['red --by=', '--by: is empty'],
    ['red --by me --by=you', '--by: is given twice'],
    ['-h --help', '--help: is given twice'],
    ['red --by me --lid x --lid x', '--lid: x is given twice'],
    ['red --by me --dry=no', "Option '--dry' does not take an argument"],
    ['red --by me --wet', "Unknown option '--wet'"],
  ])('%j is a usage error', (line, message) => {
    expect(() => parsed(line)).toThrow(new UsageError(message))
  })

  test('an error of reading a value is a usage error that names the option', () => {
    const read = () => {
      throw new Error('must be\n  even')
    }
    const line = { ...PAINT, options: { n: { takes: 'N', read } }, prepare: () => null }
    expect(() => parse(line, ['red', '--n', '1'])).toThrow(new UsageError('--n: must be even'))
  })

  test('a word too many is a usage error', () => {
    const line = { ...PAINT, words: [], options: {}, prepare: () => null }
    expect(() => parse(line, ['red'])).toThrow(new UsageError('unexpected argument "red"'))
  })
})

test('the help has the usage, a sentence for each word and option, and its parts', () => {
  expect(
    helpOf(PAINT),
  ).toBe(`Paints things. Paints things. Paints things. Paints things. Paints things.
Paints things. Paints things. Paints things.

  npm run paint -- COLOUR [THING…] [options]

  COLOUR        of the paint
  THING         is painted
  --coats N     how many
  --by PAINTER  whoever does it

For the careful.

  --lid COLOUR  of the tin
  --dry         waits

  --json        prints JSON
  --version     prints the version of the program
  --help        prints this

Exit: 0 painted, 2 usage error.
`)
})
