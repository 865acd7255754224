// Tests the command line of npm run mirror.
// Rules: COMMANDS.md 1.2.
import { expect, test } from 'vitest'
import { parse } from '../../../archive/base/command-line.ts'
import { UsageError } from '../../../archive/base/terminal.ts'
import { MIRROR } from '../../../pipeline/commands/mirror.ts'

const parseArguments = (args: string[]) => parse(MIRROR, args)?.args

const PLACES = ['http://127.0.0.1', 'x']

test('without options a mirror has all days and media, and fetches four days at a time', () => {
  expect(parseArguments(['http://127.0.0.1/', 'x'])).toEqual({
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
  expect(parseArguments([...PLACES, ...range, '--media', 'png,wav'])).toMatchObject({
    selection: { from: '2026-11-01', to: '2026-11-19', media: ['wav', 'png'] },
  })
  expect(parseArguments([...PLACES, '--media', 'none'])).toMatchObject({ selection: { media: [] } })
})

test.each([
  [
    ['ftp://127.0.0.1', 'x'],
    'ftp://127.0.0.1: must be an http or https address, as in https://example.org',
  ],
  [[...PLACES, '--media', 'wav,gif'], '--media: must be some of wav,mp4,png, or none'],
  [[...PLACES, '--from', '2026-02-30'], '--from: "2026-02-30" is not a date like 2026-11-19'],
  [[...PLACES, '--from', '2026-02-02', '--to', '2026-02-01'], '--from must not be later than --to'],
  [[...PLACES, '--jobs', '0'], '--jobs: must be a whole number from 1 to 16'],
  [[...PLACES, '--jobs', '17'], '--jobs: must be a whole number from 1 to 16'],
  [[...PLACES, '--key', 'x'], '--key: is no key as <name>+<id>+<base64>'],
])('%j is a usage error', (args, message) => {
  expect(() => parseArguments(args)).toThrow(new UsageError(message))
})
