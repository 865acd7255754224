// Runs the block of OPERATING.md that updates the service, with the project's own backup command. What would change
// this machine (systemctl, tar, npm ci, mv, ...) is replaced by programs that record their arguments.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../../../server/database/open.ts'
import { system } from '../../../server/system/system.ts'
import { ROOT } from '../../support/imports.ts'
import { childEnvironment, findProgram } from '../../support/programs.ts'
import { temporaryFolder } from '../../support/release.ts'
import { IN_FULL } from '../../support/runs.ts'

const BLOCK = /^## 12\. Updating\n\n[^`]*```sh\n([\s\S]*?)^```$/m.exec(
  readFileSync(join(ROOT, 'server/deploy/OPERATING.md'), 'utf8'),
)?.[1]

/** What would change this machine. */
const REPLACED = ['systemctl', 'sha256sum', 'rm', 'mkdir', 'tar', 'mv', 'cp']

let dir: string
beforeEach(() => {
  dir = temporaryFolder()
  mkdirSync(join(dir, 'bin'))
  mkdirSync(join(dir, 'data'))
  const record = `echo "$(basename "$0") $*" >>${dir}/calls`
  for (const name of REPLACED) writeProgram(name, record)
  mkdirSync(join(dir, 'new'))
  writeProgram('sudo', `if [ "$1" = -u ]; then shift 2; fi\nexec "$@"`)
  writeProgram('npm', `if [ "$1" = ci ]; then ${record}; else exec ${findProgram('npm')} "$@"; fi`)
  // Each call is a minute after the one before.
  writeProgram(
    'date',
    `echo >>${dir}/dates\nexec ${findProgram('date')} -d "2026-11-20 $(wc -l <${dir}/dates) minutes" "$@"`,
  )
})

function writeProgram(name: string, script: string): void {
  writeFileSync(join(dir, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
}

/** Pastes the block into a shell. */
const update = () =>
  spawnSync('bash', {
    input: `${BLOCK}`
      .replaceAll(/\/srv\/daysignal\.(new|old)/g, join(dir, '$1'))
      .replaceAll('/srv/daysignal', ROOT)
      .replaceAll('/var/lib/daysignal', join(dir, 'data')),
    env: {
      ...childEnvironment({ DATA_DIR: join(dir, 'data') }),
      PATH: [join(dir, 'bin'), process.env.PATH].join(delimiter),
    },
    encoding: 'utf8',
  })

const calls = () => readFileSync(join(dir, 'calls'), 'utf8').split('\n').slice(0, -1)
const backups = () => readdirSync(join(dir, 'data')).filter((name) => name.startsWith('before-'))

test.runIf(IN_FULL)(
  'the update can be repeated: each one has a backup of its own, and stops the daily run and its timer',
  async () => {
    await (
      await openDatabase(join(dir, 'data/daysignal.sqlite'), { clock: system.clock, create: true })
    ).close()
    for (const _ of [1, 2]) expect(update()).toMatchObject({ status: 0, stderr: '' })
    expect(backups()).toHaveLength(2)
    const files = readdirSync(join(ROOT, 'server/deploy'))
    const ending = (end: string) =>
      files.filter((name) => name.endsWith(end)).map((name) => `server/deploy/${name}`)
    const once = [
      'sha256sum --check --ignore-missing SHA256SUMS',
      `rm -rf ${dir}/new`,
      `mkdir ${dir}/new`,
      `tar xzf daysignal-1.0.0.tgz --strip-components=1 -C ${dir}/new`,
      `cp -p ${ROOT}/.env ${dir}/new/`,
      'npm ci --omit=dev',
      'systemctl stop daysignal-snapshot.timer daysignal-snapshot.service daysignal.service',
      `rm -rf ${dir}/old`,
      `mv ${ROOT} ${dir}/old`,
      `mv ${dir}/new ${ROOT}`,
      `cp ${[...ending('.service').sort(), ...ending('.timer')].join(' ')} /etc/systemd/system/`,
      'systemctl daemon-reload',
      'systemctl start daysignal.service daysignal-snapshot.timer',
    ]
    expect(calls()).toEqual([...once, ...once])
  },
)

test('the update stops nothing if its backup fails', () => {
  expect(update().status).toBe(1)
  expect(calls().at(-1)).toBe('npm ci --omit=dev')
})

test('the update stops nothing if the new version cannot be installed', () => {
  writeProgram('npm', 'exit 1')
  expect(update().status).toBe(1)
  expect(calls().at(-1)).toMatch(/^cp -p /)
})
