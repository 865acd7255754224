// Tests the operator command: usage errors, exit codes, and running next to a live server.
// Rules: API.md 8.2-8.3; COMMANDS.md 1.2, 6.1.
import { describe, expect, test } from 'vitest'
import { COMMANDS } from '../../../server/operator/parse.ts'
import { ON_POSTGRES } from '../../support/database.ts'
import { operator, operatorProcess } from '../../support/operator.ts'
import { temporaryFolder } from '../../support/release.ts'
import { inFull } from '../../support/runs.ts'
import { startTestService } from '../../support/service.ts'

const service = await startTestService()
const { publish } = service
await publish.directory('lab')

describe('usage', () => {
  const KINDS = 'must be one of message, directory, investigation, messages'
  const OUTCOMES = 'substantiated, unsupported, withdrawn'
  const FEATURES = 'directories, messages, investigations, transmissions'
  const PATH =
    '1 to 8 segments joined by /, each of 1 to 64 characters a-z 0-9 _ . - and not . or .., 256 characters in all'
  const NOT_BLANK = 'a character that is not white space'

  test.each([
    ['', 'a command is missing'],
    ['ban', 'there is no command ban'],
    ['toString', 'there is no command toString'],
    ['status --yes', "Unknown option '--yes'"],
    ['status --reason r', 'status: does not take --reason'],
    ['hide message --reason r', 'hide: the ID is missing'],
    ['show', `show: the kind of record is missing; ${KINDS}`],
    ['hide user 1', `hide: "user" is not a kind of record; ${KINDS}`],
    ['export ', 'export: the FILE is empty'],
    ['status all', 'status: unexpected argument "all"'],
    ['hide message 1', 'hide: --reason is missing'],
    ['review 1 --reason r', 'review: --outcome is missing'],
    ['review 1 --reason r --outcome true', `review: outcome: must be one of ${OUTCOMES}`],
    ['mode closed', 'mode: "closed" is not a mode; must be one of read-only, open'],
    ['feature likes off', `feature: "likes" is not a feature; must be one of ${FEATURES}`],
    ['feature messages no', 'feature: "no" is not a switch; must be one of on, off'],
    ['log --limit 101', 'log: limit: must be a whole number from 1 to 100'],
    ['log --after -1', undefined],
    ['log --limit 1 --limit 2', '--limit: is given twice'],
    ['status --json --json', '--json: is given twice'],
    ['hide message 01 --reason r', `hide: id: must be a whole number from 1 to ${2n ** 63n - 1n}`],
    ['show directory A --reason r', `show: path: must be ${PATH}`],
    ['mode open', 'mode: --reason is missing'],
    ['feature messages off', 'feature: --reason is missing'],
    [`hide directory a --reason ${'x'.repeat(501)}`, undefined],
    ['mode open --reason ', 'mode: --reason: is empty'],
    ['feature messages off --reason \u2003', `feature: reason: must contain ${NOT_BLANK}`],
  ])('%s is a usage error, and exits 2 with one line on stderr', async (words, line) => {
    const result = await operator(service, words === '' ? [] : words.split(' '))
    expect(result).toMatchObject({ code: 2, out: '' })
    expect(result.err).toMatch(/^operator: [^\n]+\n$/)
    if (line !== undefined) expect(result.err).toBe(`operator: ${line}; see --help\n`)
  })

  const NAMES = COMMANDS.map(({ name }) => name)

  test.each([
    { args: ['--help'], names: NAMES },
    { args: ['-h', 'no-command'], names: NAMES },
    { args: ['hide', '--help'], names: ['hide'] },
  ])('$args prints the commands that are asked for and exits 0', async ({ args, names }) => {
    const { code, out, err } = await operator({ dataDir: '/nowhere' }, args)
    expect([code, err]).toEqual([0, ''])
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
    const isShown = (name: string) => new RegExp(`operator -- ${name}( |$)`, 'm').test(out)
    expect(NAMES.filter(isShown)).toEqual(names)
    for (const word of ['--json', 'DATA_DIR']) expect(out).toContain(word)
  })

  test('a path that begins with - is accepted after --', async () => {
    await publish.directory('-h')
    const { code, out } = await operator(service, 'hide directory --reason r -- -h'.split(' '))
    expect([code, out]).toEqual([0, 'directory -h is hidden\n'])
  })

  test('the process has the same exit codes and lines, and no colour without a terminal', async () => {
    expect(await operatorProcess(service, ['ban'])).toEqual({
      code: 2,
      out: '',
      err: 'operator: there is no command ban; see --help\n',
    })
    const { code, out, err } = await operatorProcess(service, ['status'])
    expect([code, err]).toEqual([0, ''])
    expect(out).not.toContain('\u001b')
  })
})

describe.skipIf(ON_POSTGRES)('SQLite files', () => {
  test('a missing file fails with one line and exit code 1, and is not created', async () => {
    const dir = temporaryFolder()
    for (const args of [['status'], ['mode', 'open', '--reason', 'r'], ['log']]) {
      const result = await operator({ dataDir: dir }, args)
      expect(result).toMatchObject({ code: 1, out: '' })
      expect(result.err).toMatch(/^operator: .*daysignal\.sqlite: no database here; [^\n]+\n$/)
    }
  })

  test('an invalid variable fails with one line that names it', async () => {
    const env = { DATABASE_URL: 'mysql://x' }
    expect(await operator(service, ['status'], { env })).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^operator: DATABASE_URL: [^\n]+\n$/),
    })
  })
})

describe('commands next to a running server', () => {
  inFull('operator actions of other processes succeed while writers publish', async () => {
    let busy = true
    const writers = Array.from({ length: 8 }, async () => {
      while (busy) await publish.message('lab')
    })
    try {
      const message = await publish.message('lab')
      for (const what of ['hide', 'show']) {
        const args = [what, 'message', String(message), '--reason', 'r']
        expect(await operatorProcess(service, args)).toMatchObject({ code: 0, err: '' })
        const { status } = await service.client.get(`/messages/${message}`)
        expect(status).toBe(what === 'hide' ? 404 : 200)
      }
    } finally {
      busy = false
    }
    await Promise.all(writers)
    expect(service.complaints).toEqual([])
  })

  test('ten commands at once all succeed', async () => {
    const messages = await Promise.all(Array.from({ length: 10 }, () => publish.message('lab')))
    const results = await Promise.all(
      messages.map((id) => operator(service, ['hide', 'message', String(id), '--reason', 'r'])),
    )
    expect(results.map(({ code, err }) => [code, err])).toEqual(messages.map(() => [0, '']))
  })
})
