// Runs the blocks of OPERATING.md that update the service and go back, with the project's own backup command. What would change
// this machine (systemctl, tar, npm ci, mv, ...) is replaced by programs that record their arguments.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { VERSION as version } from '../../../archive/base/version.ts'
import { openDatabase } from '../../../server/database/open.ts'
import { system } from '../../../server/system/system.ts'
import { clientOf } from '../../support/client.ts'
import { readDocument } from '../../support/documents.ts'
import { ROOT } from '../../support/imports.ts'
import { freePort } from '../../support/listen.ts'
import { operator } from '../../support/operator.ts'
import { AS_NEXT_VERSION, childEnvironment, findProgram, runNode } from '../../support/programs.ts'
import { publisherOf } from '../../support/publish.ts'
import { temporaryFolder } from '../../support/release.ts'
import { inFull } from '../../support/runs.ts'
import { until } from '../../support/time.ts'
import { makeCheckout, release } from './checkout.ts'

const [UPDATE = '', BACK = ''] =
  /^## 12\. Updating\n(.*?)^## 13/ms
    .exec(readDocument('server/deploy/OPERATING.md'))?.[1]
    ?.match(/(?<=^```sh\n).*?(?=^```$)/gms) ?? []

/** What would change this machine, and what only changes the folders of the test. */
const REPLACED = ['systemctl', 'sha256sum', 'tar']
const ON_FILES = ['rm', 'mkdir', 'mv', 'cp']

/** A made-up version without a migration. */
const NEXT = '1.99.0'
/** Long enough for a busy machine to make two releases. */
const TIMEOUT_MS = 600_000

let dir: string
beforeEach(() => {
  dir = temporaryFolder()
  mkdirSync(join(dir, 'bin'))
  mkdirSync(join(dir, 'data'))
  mkdirSync(join(dir, 'units'))
  const record = `echo "$(basename "$0") $*" >>${dir}/calls`
  for (const name of [...REPLACED, ...ON_FILES]) writeProgram(name, record)
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

/** Pastes a block into a shell. @param root the folder of the service */
const paste = (block: string, root = ROOT, cwd = '.') =>
  spawnSync('bash', {
    cwd,
    input: block
      .replaceAll(/\/srv\/daysignal\.(new|old)/g, join(dir, '$1'))
      .replaceAll('/srv/daysignal', root)
      .replaceAll('/var/lib/daysignal', join(dir, 'data'))
      .replaceAll('/etc/systemd/system', join(dir, 'units')),
    env: {
      ...childEnvironment({ DATA_DIR: join(dir, 'data') }),
      PATH: [join(dir, 'bin'), process.env.PATH].join(delimiter),
    },
    encoding: 'utf8',
  })

const calls = () => readFileSync(join(dir, 'calls'), 'utf8').split('\n').slice(0, -1)
const backups = () => readdirSync(join(dir, 'data')).filter((name) => name.startsWith('before-'))

inFull(
  'the update can be repeated: each one has a backup of its own, and stops the daily run and its timer',
  async () => {
    await (
      await openDatabase(join(dir, 'data/daysignal.sqlite'), { clock: system.clock, create: true })
    ).close()
    for (const _ of [1, 2]) expect(paste(UPDATE)).toMatchObject({ status: 0, stderr: '' })
    expect(backups()).toHaveLength(2)
    const files = readdirSync(join(ROOT, 'server/deploy'))
    const ending = (end: string) =>
      files.filter((name) => name.endsWith(end)).map((name) => `server/deploy/${name}`)
    const once = [
      'sha256sum --check --ignore-missing SHA256SUMS',
      `rm -rf ${dir}/new`,
      `mkdir ${dir}/new`,
      `tar xzf daysignal-1.0.1.tgz --strip-components=1 -C ${dir}/new`,
      `cp -p ${ROOT}/.env ${dir}/new/`,
      'npm ci --omit=dev',
      'systemctl stop daysignal-snapshot.timer daysignal-snapshot.service daysignal.service',
      `rm -rf ${dir}/old`,
      `mv ${ROOT} ${dir}/old`,
      `mv ${dir}/new ${ROOT}`,
      `cp ${[...ending('.service').sort(), ...ending('.timer')].join(' ')} ${dir}/units/`,
      'systemctl daemon-reload',
      'systemctl start daysignal.service daysignal-snapshot.timer',
    ]
    expect(calls()).toEqual([...once, ...once])
  },
)

inFull('the update stops nothing if its backup fails', () => {
  expect(paste(UPDATE).status).toBe(1)
  expect(calls().at(-1)).toBe('npm ci --omit=dev')
})

test('the update stops nothing if the new version cannot be installed', () => {
  writeProgram('npm', 'exit 1')
  expect(paste(UPDATE).status).toBe(1)
  expect(calls().at(-1)).toMatch(/^cp -p /)
})

test('going back puts the version before in place, with the backup that it can open', async () => {
  const [service, file] = [join(dir, 'service'), join(dir, 'data/daysignal.sqlite')]
  const open = () => openDatabase(file, { clock: system.clock, create: true })
  await (await open()).close()
  const operated = (...args: string[]) => operator({ dataDir: join(dir, 'data') }, args)
  for (const [hour, words] of [
    'mode read-only --reason early',
    'mode open --reason late',
  ].entries()) {
    expect(await operated(...words.split(' '))).toMatchObject({ code: 0 })
    await operated('backup', join(dir, `data/before-update-20261120T0${hour}0000Z.sqlite`))
  }
  const next = [
    ...AS_NEXT_VERSION,
    'server/operator/main.ts',
    ...'mode read-only --reason after'.split(' '),
  ]
  const env = { DATA_DIR: join(dir, 'data') }
  expect(await runNode(next, { cwd: ROOT, env })).toMatchObject({ status: 0, stderr: '' })
  await expect(open()).rejects.toThrow('daysignal.sqlite: written by a newer Daysignal')
  for (const [folder, version] of [
    [service, 'newer'],
    [join(dir, 'old'), 'before'],
  ] as const) {
    mkdirSync(folder)
    writeFileSync(join(folder, 'version'), version)
  }
  for (const name of ON_FILES.filter((name) => name !== 'cp')) rmSync(join(dir, 'bin', name))
  writeProgram('cp', `case "$*" in */units/*) ;; *) exec ${findProgram('cp')} "$@" ;; esac`)

  expect(paste(BACK, service)).toMatchObject({ status: 0, stderr: '' })
  expect(calls()).toEqual([
    'systemctl stop daysignal-snapshot.timer daysignal-snapshot.service daysignal.service',
    'systemctl daemon-reload',
    'systemctl start daysignal.service daysignal-snapshot.timer',
  ])
  expect(readFileSync(join(service, 'version'), 'utf8')).toBe('before')
  await (await open()).close()
  expect((await operated('log')).out).toMatch(/late/)
  expect(readdirSync(join(dir, 'data')).filter((name) => name.startsWith('newer-'))).toHaveLength(1)
})

inFull(
  'a served board is updated from one release to the next and back, and loses what was written in between',
  async () => {
    const [service, port] = [join(dir, 'service'), await freePort()]
    for (const name of [...ON_FILES, 'sha256sum', 'tar']) rmSync(join(dir, 'bin', name))
    writeProgram(
      'npm',
      `case $1 in ci) exec ln -s ${ROOT}/node_modules . ;; esac; exec ${findProgram('npm')} "$@"`,
    )
    writeProgram(
      'systemctl',
      `cd ${service}
      case $1 in
        stop) kill $(cat ${dir}/pid); while kill -0 $(cat ${dir}/pid); do sleep 0.05; done 2>/dev/null ;;
        start) npm start >${dir}/output 2>&1 & echo $! >${dir}/pid ;;
      esac`,
    )
    const systemctl = (word: string) =>
      spawnSync(join(dir, 'bin/systemctl'), [word], { env: childEnvironment() })
    const releaseOf = (made: string) => {
      const folder = temporaryFolder()
      expect(release(makeCheckout(made), folder)).toMatchObject({ status: 0 })
      return folder
    }
    const client = clientOf(() => `http://127.0.0.1:${port}`)
    const { directory, message } = publisherOf(client)
    /** Waits until this version is served. */
    const expectServed = async (served: string, messages: string[]) => {
      const health = () => client.get('/healthz').catch(() => ({ text: '' }))
      await until(async () => (await health()).text.includes(`"version":"${served}"`))
      const answer = await client.get('/api/v1/messages')
      expect(answer.json).toMatchObject({ messages: messages.map((body) => ({ body })) })
    }

    const tarball = join(releaseOf(version), `daysignal-${version}.tgz`)
    mkdirSync(service)
    execFileSync('tar', ['xzf', tarball, '--strip-components=1', '-C', service])
    symlinkSync(join(ROOT, 'node_modules'), join(service, 'node_modules'))
    writeFileSync(join(service, '.env'), `DATA_DIR=${dir}/data\nPORT=${port}\nSCHEDULE=off\n`)
    systemctl('start')
    await expectServed(version, [])
    await directory('lab')
    await message('lab', 'before')

    const update = UPDATE.replace('version=1.0.1', `version=${NEXT}`)
    expect(paste(update, service, releaseOf(NEXT))).toMatchObject({ status: 0 })
    await expectServed(NEXT, ['before'])
    await message('lab', 'between')
    expect(paste(BACK, service)).toMatchObject({ status: 0 })
    await expectServed(version, ['before'])
    systemctl('stop')
  },
  TIMEOUT_MS,
)
