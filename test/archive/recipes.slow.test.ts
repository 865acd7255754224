// Runs the recipes of archive/recipes, which check an archive with other people's tools, on the sample archive and its
// damaged copies.
// Rules: FORMAT.md 12.4.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, test } from 'vitest'
import { applyChanges, type Change } from '../fixtures/sample/changes.ts'
import { findProgram } from '../support/programs.ts'
import { temporaryFolder } from '../support/release.ts'
import { vkeyOf } from './signing.ts'

const folder = (name: string) => fileURLToPath(new URL(`../../archive/${name}`, import.meta.url))
const sample = folder('vectors/sample')
const { cases } = JSON.parse(readFileSync(folder('vectors/damaged.json'), 'utf8')) as {
  cases: { why: string; changes: Change[] }[]
}
const KEY = vkeyOf(1)
const DAY = '2026-11-20'

let dir: string
const root = temporaryFolder()
beforeEach(() => {
  dir = mkdtempSync(join(root, 'copy-'))
  cpSync(sample, dir, { recursive: true })
})

/** Applies the damage of a vector to the copy. */
function damage(why: string): void {
  const found = cases.find((one) => one.why === why)
  if (!found) throw new Error(`no damage is called ${why}`)
  applyChanges(dir, found.changes)
}

function run(program: string, args: string[], env?: Record<string, string>) {
  const options = { encoding: 'utf8', env: { ...process.env, ...env } } as const
  const { status, stdout, stderr } = spawnSync(program, args, options)
  return { isGood: status === 0, output: `${stdout}${stderr}` }
}

test.each(['check-day.sh', 'check_log.go'])('%s has at most 40 lines besides imports', (name) => {
  const lines = readFileSync(folder(`recipes/${name}`), 'utf8').split('\n')
  expect(lines.filter((line) => !/^\s*(\/\/|#|import |$)/.test(line)).length).toBeLessThanOrEqual(
    40,
  )
})

const tools = ['sh', 'jq', 'xxd', 'openssl', 'sha256sum'].map(findProgram)

describe.skipIf(tools.includes(undefined))('the recipe for sha256sum, jq, xxd and openssl', () => {
  const check = (day = DAY, key = KEY) => run('sh', [folder('recipes/check-day.sh'), dir, day, key])

  test.each(['2026-11-17', '2026-11-18', '2026-11-19', DAY])('%s is good', (day) => {
    expect(check(day)).toEqual({
      isGood: true,
      output: `${day}: sealed in a log of 5 leaves\n`,
    })
  })

  test.each([
    ['another counter', 'not the one that the manifest names'],
    ['a lost snapshot', 'not the one that the manifest names'],
    ['another snapshot in the manifest', 'contains another snapshot'],
    ['another version of a tool', 'the log has another manifest'],
    ['another hash in the log', 'the log has another manifest'],
    ['two lines in another order', 'the log has another root'],
  ])('a day is bad: %s', (why, message) => {
    damage(why)
    expect(check()).toEqual({ isGood: false, output: expect.stringContaining(message) })
  })

  test('a day is bad for whoever knows another key', () => {
    expect(check(DAY, vkeyOf(2))).toEqual({
      isGood: false,
      output: expect.stringContaining('has not signed the checkpoint'),
    })
  })

  test('sha256sum checks SHA256SUMS', () => {
    expect(run('sh', ['-c', 'cd "$1" && sha256sum -c --quiet SHA256SUMS', 'sh', dir]).isGood).toBe(
      true,
    )
    damage('one bit of a sound')
    expect(run('sh', ['-c', 'cd "$1" && sha256sum -c --quiet SHA256SUMS', 'sh', dir]).isGood).toBe(
      false,
    )
  })
})

/** Where Debian puts golang.org/x/mod. */
const GOPATH = '/usr/share/gocode'
const hasGo = existsSync(join(GOPATH, 'src/golang.org/x/mod/sumdb')) && findProgram('go')

describe.skipIf(!hasGo)("the recipe for Go's sumdb", () => {
  const check = (key = KEY) =>
    run('go', ['run', folder('recipes/check_log.go'), dir, key], {
      GOPATH,
      GO111MODULE: 'off',
      GOCACHE: join(root, 'go'),
    })

  test('the log of the sample archive is good', () => {
    expect(check()).toEqual({ isGood: true, output: '5 leaves, 4 days\n' })
  })

  test.each([
    'another version of a tool',
    'another hash in the log',
    'two lines in another order',
    'a log without its last line',
    'an empty log',
    'another signature',
    'another root',
    'a lost manifest',
  ])('the log is bad: %s', (why) => {
    damage(why)
    expect(check().isGood).toBe(false)
  })

  test('the log is bad for whoever knows another key', () => {
    expect(check(vkeyOf(2)).isGood).toBe(false)
  })
})
