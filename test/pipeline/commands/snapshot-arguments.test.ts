// Tests the command line of npm run snapshot.
// Rules: COMMANDS.md 1.2, 2.4.
import { describe, expect, it } from 'vitest'
import { parse } from '../../../archive/base/command-line.ts'
import { UsageError } from '../../../archive/base/terminal.ts'
import { SNAPSHOT } from '../../../pipeline/commands/snapshot-arguments.ts'

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
    ['--day 2026-2-3', /is not a date/],
    ['--from 2026-02-01', /--from and --to go together/],
    ['--to 2026-02-01', /--from and --to go together/],
    ['--from 2026-02-02 --to 2026-02-01', /--from must not be later/],
    ['--day 2026-02-01 --to 2026-02-01', /--day cannot be combined with --from or --to/],
    ['--repair --from=', /--from: is empty/],
    ['--repair --from ftp://x', /^ftp:\/\/x: an address begins with http, https or s3$/],
    ['--repair --from http://me:secret@x', /^http:\/\/x: must be without user and password$/],
    ['--repair --from s3://bucket/town', /copy the store to a folder first/],
    ['--repair --from ../copy --to 2026-02-01', /--to needs a first day/],
    ['--from ../copy --to 2026-02-01', /--from: "..\/copy" is not a date/],
  ]
  it.each(wrong)('wrong arguments fail with one line: %s', (line, message) => {
    expect(() => parsed(line)).toThrow(UsageError)
    expect(() => parsed(line)).toThrow(message)
  })
})
