// npm run verify as a monitor: --since with --update, --peer and --evidence.
// Rules: COMMANDS.md 3.5-3.7.
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { beforeEach, describe, expect, test } from 'vitest'
import { verify } from '../../../pipeline/commands/verify.ts'
import { forge } from '../../archive/forger.ts'
import { makeDays, publishSigned, serveFolder } from '../../archive/mirror/signed-archive.ts'
import { memoryKeeper } from '../../archive/signing.ts'
import { temporaryFolder } from '../../support/release.ts'
import { executeHere } from './in-process.ts'

const days = makeDays(3)

/** The file that the reader keeps. */
let since: string

const root = temporaryFolder()
/** An archive of two days, the same with a third, and one in which the first day is another. */
const two = join(root, 'two')
const three = join(root, 'three')
const forged = join(root, 'forged')
const keeper = memoryKeeper()
await publishSigned(two, days.slice(0, 2), keeper)
cpSync(two, three, { recursive: true })
await publishSigned(three, days.slice(2), keeper)
cpSync(two, forged, { recursive: true })
const snapshot = ({ counters }: { counters: object }) => Object.assign(counters, { messages: '77' })
await forge(forged, '2026-11-01', { snapshot }, 'replaced')
beforeEach(() => {
  since = join(mkdtempSync(join(root, 'reader-')), 'checkpoint')
})

async function run(...args: string[]) {
  const { status, out, error } = await executeHere(verify, ['--quick', ...args])
  return { status, stdout: stripVTControlCharacters(String(out)), stderr: error }
}

/** An end in vain, with one line. */
const failed = (line: string, status = 1) => ({ status, stdout: '', stderr: `verify: ${line}\n` })

const checkpointOf = (dir: string) => readFileSync(join(dir, 'checkpoint'), 'utf8')

describe('--since and --update', () => {
  test('without --since, verify says in one line that it remembers nothing', async () => {
    const { status, stdout } = await run(two)
    expect(status).toBe(0)
    expect(
      stdout.match(/^not compared with an earlier run: --since FILE --update .*$/gm),
    ).toHaveLength(1)
    expect((await run(two, '--since', join(two, 'checkpoint'))).stdout).not.toContain(
      'not compared',
    )
  })

  test('a good run with --update keeps its checkpoint, and the next run compares with it', async () => {
    expect(await run(two, '--since', since, '--update')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(`${since} now has the checkpoint of 2 leaves\n`),
    })
    expect(readFileSync(since, 'utf8')).toBe(checkpointOf(two))
    expect(await run(three, '--since', since, '--update')).toMatchObject({ status: 0 })
    expect(readFileSync(since, 'utf8')).toBe(checkpointOf(three))
    const back = await run(two, '--since', since, '--update')
    expect(back).toMatchObject({ status: 1, stdout: expect.stringContaining('log_rewritten') })
    expect(back.stdout).toContain(`${since} was not changed\n`)
    expect(readFileSync(since, 'utf8')).toBe(checkpointOf(three))
    expect(readdirSync(join(since, '..'))).toEqual(['checkpoint'])
  })

  test('without --update, a missing file is an error', async () => {
    expect(await run(two, '--since', since)).toEqual(failed(`${since}: no such file or folder`))
    expect(existsSync(since)).toBe(false)
  })

  test('--update follows a link to the file that is kept', async () => {
    const target = join(since, '..', 'target')
    writeFileSync(target, checkpointOf(two))
    symlinkSync(target, since)
    expect(await run(three, '--since', since, '--update')).toMatchObject({ status: 0 })
    expect(readFileSync(target, 'utf8')).toBe(checkpointOf(three))
  })

  test('an archive without a log fails with --update, and nothing is kept', async () => {
    const bare = mkdtempSync(join(root, 'bare-'))
    cpSync(two, bare, { recursive: true })
    for (const name of ['log', 'checkpoint', 'key']) rmSync(join(bare, name))
    expect(await run(bare, '--since', since, '--update')).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('log_missing log'),
    })
    expect(existsSync(since)).toBe(false)
  })

  const whole = () => checkpointOf(two)
  test.each<[string, () => string | Uint8Array]>([
    ['nothing', () => ''],
    ['a doubled checkpoint', () => whole() + whole()],
    ['another origin', () => whole().replace(/^archive/, 'Archive')],
    ['binary', () => Buffer.from([0, 255, 10, 10, 0x80])],
  ])('a --since file with %s fails, and is left as it was', async (_, content) => {
    writeFileSync(since, content())
    const { status, stdout } = await run(two, '--since', since, '--update')
    expect(status).toBe(1)
    expect(stdout).toMatch(/(log_rewritten|invalid_checkpoint) log: /)
    expect(readFileSync(since)).toEqual(Buffer.from(content()))
  })
})

describe('--peer', () => {
  test('a peer with another history fails the check, and --evidence keeps both notes', async () => {
    const server = await serveFolder(forged)
    const evidence = join(since, '..', 'evidence')
    const { status, stdout } = await run(two, '--peer', server.url, '--evidence', evidence)
    expect(status).toBe(1)
    expect(stdout).toContain(`split_view ${server.url}: `)
    expect(stdout).toMatch(/^log .*: signed; a peer has another log$/m)
    const kept = readdirSync(evidence).map((name) => readFileSync(join(evidence, name), 'utf8'))
    expect(kept.sort()).toEqual([checkpointOf(two), checkpointOf(forged)].sort())
  })

  test('a peer with the same history does not, and no evidence is kept', async () => {
    const server = await serveFolder(three)
    const evidence = join(since, '..', 'evidence')
    const args = ['--peer', server.url, '--evidence', evidence, '--since', since, '--update']
    expect(await run(two, ...args)).toMatchObject({ status: 0 })
    expect(existsSync(evidence)).toBe(false)
  })
})

describe('--policy', () => {
  test('a quorum that is missing for long exits 1, one that is not needed 0, and the report names the witness', async () => {
    const policy = join(since, '..', 'policy')
    const key = /witness w1 (\S+?)\\n/.exec(
      readFileSync('archive/vectors/policy.json', 'utf8'),
    )?.[1]
    writeFileSync(policy, `witness w1 ${key}\nquorum none\n`)
    const good = await run(two, '--policy', policy)
    expect(good.status).toBe(0)
    expect(good.stdout).toMatch(
      /^ {5}witness w1, witness\.example\/w1\+[0-9a-f]{8}: has not signed$/m,
    )
    expect(good.stdout).toMatch(/^ {5}the witnesses are a quorum$/m)
  })

  test.each([
    ['a broken rule', 'quorum none\nquorum none\n', 'line 2: is a second quorum line'],
    ['nothing', '', 'has no quorum line'],
  ])('a policy with %s is a usage error of one line', async (_, content, message) => {
    const policy = join(since, '..', 'policy')
    writeFileSync(policy, content)
    expect(await run(two, '--policy', policy)).toEqual(
      failed(`--policy: ${policy}: ${message}; see --help`, 2),
    )
  })
})

test.each([
  ['--since', 131_072, ''],
  ['--receipt', 131_072, ''],
  ['--policy', 1_048_576, '; see --help'],
])('%s reads no file that is missing, a pipe, a folder or large', async (option, limit, help) => {
  const file = join(since, '..', 'file')
  const before = option === '--policy' ? '--policy: ' : ''
  const expectRefusal = async (reason: string) => {
    const { status, error } = await executeHere(verify, [two, option, file])
    const { stderr } = failed(`${before}${file}: ${reason}${help}`)
    expect([status, error]).toEqual([help === '' ? 1 : 2, stderr])
  }
  await expectRefusal('no such file or folder')
  execFileSync('mkfifo', [file])
  await expectRefusal('is not a regular file')
  rmSync(file)
  mkdirSync(file)
  await expectRefusal('is a folder')
  rmSync(file, { recursive: true })
  writeFileSync(file, '')
  truncateSync(file, 100 * 1024 * 1024)
  await expectRefusal(`is larger than ${limit} bytes`)
})
