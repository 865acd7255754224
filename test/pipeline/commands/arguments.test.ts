// The arguments of verify, mirror and snapshot, and which of them go together. What all command lines have in common is in
// archive/base/command-line.test.ts.
// Rules: COMMANDS.md 1.2, 2.4, 3.1-3.3.
import { describe, expect, it, test } from 'vitest'
import { parse } from '../../../archive/base/command-line.ts'
import { UsageError } from '../../../archive/base/terminal.ts'
import { MIRROR } from '../../../pipeline/commands/mirror.ts'
import { SNAPSHOT } from '../../../pipeline/commands/snapshot-arguments.ts'
import { VERIFY } from '../../../pipeline/commands/verify-arguments.ts'

const verified = (args: string[]) => parse(VERIFY, args)?.args

test('all arguments are optional', () => {
  expect(verified([])).toEqual({
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
  [
    ['--peer', 'http://day.example', '--peer', 'http://day.example/'],
    /^--peer: http:\/\/day\.example is given twice$/,
  ],
])('verify reports a usage error in one line: %j', (args, message) => {
  expect(() => verified(args)).toThrow(UsageError)
  expect(() => verified(args)).toThrow(message)
})

test.each([
  ['', 'the DIR or URL is empty'],
  ['ftp://day.example', 'ftp://day.example: an address begins with http, https or s3'],
  ['http://me:secret@day.example', 'http://day.example: must be without user and password'],
])('the error of an invalid address states its rule, without a password: %j', (place, line) => {
  expect(() => verified([place])).toThrow(new UsageError(line))
})

test('the URL of an object store must name a bucket', () => {
  expect(verified(['s3://bucket/prefix'])?.location).toBe('s3://bucket/prefix')
  expect(() => verified(['s3://b'])).toThrow(
    /^s3:\/\/b: must be s3:\/\/BUCKET or s3:\/\/BUCKET\/PREFIX; a/,
  )
})

const mirrored = (args: string[]) => parse(MIRROR, args)?.args

const PLACES = ['http://127.0.0.1', 'x']

test('without options a mirror has all days and media, and fetches four days at a time', () => {
  expect(mirrored(['http://127.0.0.1/', 'x'])).toEqual({
    source: 'http://127.0.0.1',
    dir: 'x',
    selection: {},
    keys: null,
    policy: undefined,
    fresh: undefined,
    peers: [],
    jobs: 4,
    json: false,
  })
})

test('the options select the days and media files to fetch', () => {
  const range = ['--from', '2026-11-01', '--to', '2026-11-19']
  expect(mirrored([...PLACES, ...range, '--media', 'png,wav'])).toMatchObject({
    selection: { from: '2026-11-01', to: '2026-11-19', media: ['wav', 'png'] },
  })
  expect(mirrored([...PLACES, '--media', 'none'])).toMatchObject({ selection: { media: [] } })
})

test.each([
  [
    ['ftp://127.0.0.1', 'x'],
    'ftp://127.0.0.1: must be an http or https address, as in https://example.org',
  ],
  [[...PLACES, '--media', 'wav,gif'], '--media: must be some of wav,mp4,png, or none'],
  [[...PLACES, '--from', '2026-02-30'], '--from: "2026-02-30" is not a date like 2026-11-19'],
  [[...PLACES, '--from', '2026-02-02', '--to', '2026-02-01'], '--from must not be later than --to'],
  [[...PLACES, '--jobs', '17'], '--jobs: must be a whole number from 1 to 16'],
])('%j is a usage error', (args, message) => {
  expect(() => mirrored(args)).toThrow(new UsageError(message))
})

const parsed = (line: string) =>
  parse(
    SNAPSHOT,
    line.split(' ').filter((word) => word !== ''),
  )?.args

describe('the arguments of a run', () => {
  it('all arguments are optional', () => {
    const off = {
      copy: null,
      repair: false,
      newestFirst: false,
      rekey: false,
      witness: false,
      indexPage: false,
      json: false,
    }
    expect(parsed('')).toEqual({ range: null, ...off })
    expect(parsed('--static --rekey')).toEqual({
      range: null,
      ...off,
      rekey: true,
      indexPage: true,
    })
  })

  it('a run may publish the newest days first, but a repair may not', () => {
    expect(parsed('--newest-first')).toMatchObject({ range: null, newestFirst: true })
    expect(() => parsed('--repair --newest-first')).toThrow(UsageError)
  })

  it('the arguments name one day, or a range with both ends', () => {
    const one = { from: '2026-11-19', to: '2026-11-19' }
    expect(parsed('--day 2026-11-19')).toMatchObject({ range: one })
    expect(parsed('--day=2026-11-19 --repair --json')).toMatchObject({
      range: one,
      repair: true,
      json: true,
    })
    const range = { from: '2026-11-01', to: '2026-11-19' }
    expect(parsed('--to 2026-11-19 --from 2026-11-01')).toMatchObject({ range })
  })

  it('--from names another archive to repair from, with or without a day', () => {
    const copy = 'https://mirror.example'
    expect(parsed(`--repair --from ${copy}`)).toMatchObject({ range: null, repair: true, copy })
    const one = { from: '2026-11-19', to: '2026-11-19' }
    expect(parsed('--repair --from ../copy --day 2026-11-19')).toMatchObject({
      range: one,
      copy: '../copy',
    })
    const range = { from: '2026-11-01', to: '2026-11-19' }
    const days = parsed('--repair --from 2026-11-01 --to 2026-11-19')
    expect(days).toMatchObject({ range, copy: null })
  })

  const wrong: [string, RegExp][] = [
    ['--day x', /--day: "x" is not a date/],
    ['--day 2026-02-30', /"2026-02-30" is not a date/],
    ['--to 2026-02-01', /--from and --to go together/],
    ['--from 2026-02-02 --to 2026-02-01', /--from must not be later/],
    ['--day 2026-02-01 --to 2026-02-01', /--day cannot be combined with --from or --to/],
    ['--repair --from=', /--from: is empty/],
    ['--repair --from s3://b', /^s3:\/\/b: .* 3 to 63 /],
    ['--repair --from ../copy --to 2026-02-01', /--to needs a first day/],
    ['--from ../copy --to 2026-02-01', /--from: "..\/copy" is not a date/],
  ]
  it.each(wrong)('wrong arguments fail with one line: %s', (line, message) => {
    expect(() => parsed(line)).toThrow(UsageError)
    expect(() => parsed(line)).toThrow(message)
  })
})
