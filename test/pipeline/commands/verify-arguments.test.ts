// Tests the command line of npm run verify.
// Rules: COMMANDS.md 1.2, 3.1-3.3.
import { expect, test } from 'vitest'
import { parse } from '../../../archive/base/command-line.ts'
import { UsageError } from '../../../archive/base/terminal.ts'
import { VERIFY } from '../../../pipeline/commands/verify-arguments.ts'

const parseArguments = (args: string[]) => parse(VERIFY, args)?.args

test('all arguments are optional', () => {
  expect(parseArguments([])).toEqual({
    location: null,
    keys: undefined,
    since: undefined,
    update: false,
    fresh: undefined,
    policy: undefined,
    peers: [],
    evidence: undefined,
    receipt: null,
    quick: false,
    json: false,
  })
})

test.each([
  [['--text', 'x'], /^--message and --text go with --receipt$/],
  [['--receipt', 'x', '--quick'], /^--receipt cannot be combined with --since, .* or --quick$/],
  [['--receipt', 'x', '--receipt', 'y', '--receipt', 'z'], /^--receipt: name one receipt, or two /],
  [['--key', 'x'], /^--key: is no key as <name>/],
  [['--receipt', 'x', '--fresh', '1'], /^--receipt cannot be combined with /],
  [['--receipt', 'x', '--peer', 'http://day.example'], /^--receipt cannot be combined with /],
  [['--update'], /^--update goes with --since$/],
  [['--evidence', 'x'], /^--evidence goes with --peer or --receipt$/],
  ...['0', '-1', '1.5', '1e2', '1000000', ' 1', 'x'].map((hours): [string[], RegExp] => [
    [`--fresh=${hours}`],
    /^--fresh: must be a whole number of hours/,
  ]),
  [['--peer', 'day.example'], /^--peer: must be an http or https address/],
  [['--peer', 'http://a:b@day.example'], /^--peer: must be without user and password$/],
  [
    ['--peer', 'http://day.example', '--peer', 'http://day.example/'],
    /^--peer: http:\/\/day\.example is given twice$/,
  ],
])('verify reports a usage error in one line: %j', (args, message) => {
  expect(() => parseArguments(args)).toThrow(UsageError)
  expect(() => parseArguments(args)).toThrow(message)
})

test.each([
  ['', 'the DIR or URL is empty'],
  ['http://', 'http://: must be an http or https address, as in https://example.org'],
  ['ftp://day.example', 'ftp://day.example: an address begins with http, https or s3'],
  ['http://day.example:99999', 'http://day.example:99999: must have a port up to 65535'],
  ['http://me:secret@day.example', 'http://day.example: must be without user and password'],
])('the error of an invalid address states its rule, without a password: %j', (place, line) => {
  expect(() => parseArguments([place])).toThrow(new UsageError(line))
})

test('the URL of an object store must name a bucket', () => {
  expect(parseArguments(['s3://bucket/prefix'])?.location).toBe('s3://bucket/prefix')
  expect(() => parseArguments(['s3://b'])).toThrow(
    /^s3:\/\/b: must be s3:\/\/BUCKET or s3:\/\/BUCKET\/PREFIX; a/,
  )
})
