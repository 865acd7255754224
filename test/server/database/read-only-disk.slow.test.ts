// Tests that the commands that only read work on a read-only file system, and on files that their user may only read, with
// the records that are only in SQLite's write-ahead log.
// Rules: COMMANDS.md 6.5.
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, test } from 'vitest'
import { clientOf } from '../../support/client.ts'
import { ROOT } from '../../support/imports.ts'
import { childEnvironment, findProgram } from '../../support/programs.ts'
import { publisherOf } from '../../support/publish.ts'
import { temporaryFolder } from '../../support/release.ts'
import { sealDays } from '../../support/sealing.ts'
import { startServerProcess } from '../../support/server-process.ts'
import { clockAt, startTestService } from '../../support/service.ts'

const MOUNT = 'mount --bind "$DIR" "$DIR" && mount -o remount,ro,bind "$DIR" && exec "$@"'
/** Runs a command on a read-only mount of the data folder. */
const ON_READ_ONLY_DISK = ['unshare', '--mount', '--map-root-user', 'sh', '-c', MOUNT, 'sh']
/** The owner of files that the commands may only read. */
const SOMEBODY = 65534
/** Runs a command without the rights that root has on the files of others. */
const WITHOUT_RIGHTS = ['setpriv', '--bounding-set=-dac_override,-dac_read_search,-fowner', '--']

/** Whether a program runs a command here: containers without privileges forbid mounts. */
const runs = (program: string, ...args: string[]): boolean =>
  findProgram(program) !== undefined && spawnSync(program, [...args, 'true']).status === 0

const WAYS = [
  {
    name: 'a read-only disk',
    possible: runs('unshare', '--mount', '--map-root-user'),
    runner: ON_READ_ONLY_DISK,
    error: 'read-only file system',
  },
  {
    name: 'files that their user may only read',
    possible: process.getuid?.() === 0 && runs('setpriv', ...WITHOUT_RIGHTS.slice(1)),
    runner: WITHOUT_RIGHTS,
    error: 'permission denied',
  },
]
if (process.env.CI === 'true' && !WAYS.some(({ possible }) => possible))
  throw new Error('CI allows neither mount namespaces nor running as root')
for (const { name } of WAYS.filter(({ possible }) => !possible))
  console.error(`skipping tests with ${name}: this machine does not allow them`)

let dataDir: string
let elsewhere: string
beforeEach(async () => {
  dataDir = temporaryFolder()
  await sealADay()
  elsewhere = temporaryFolder()
})

const file = (suffix = '') => join(dataDir, `daysignal.sqlite${suffix}`)

/** Fills the data folder: a database with a message, and an archive with its day. */
async function sealADay(): Promise<void> {
  const service = await startTestService({ DATA_DIR: dataDir }, clockAt('2026-01-02T12:00:00Z'))
  const publish = publisherOf(service.client)
  await publish.directory('lab')
  await publish.message('lab')
  await service.stop()
  await sealDays(dataDir, ['2026-01-02'], Date.parse('2026-01-03T00:05:00Z'))
}

/** Serves the data, publishes messages and kills the server: they are in the write-ahead log only. */
async function publishAndKill(): Promise<void> {
  const server = await startServerProcess({ DATA_DIR: dataDir })
  const publish = publisherOf(clientOf(() => server.url))
  await publish.directory('late')
  for (const _ of [1, 2, 3]) await publish.message('late')
  await server.kill()
}

/** Lets SQLite move the log into the file, as a stop does. */
function checkpoint(): void {
  const db = new DatabaseSync(file())
  db.exec('select * from messages')
  db.close()
}

/** Gives the data folder to another user; everybody may read it. */
function giveAway(): void {
  for (const name of readdirSync(dataDir, { recursive: true, encoding: 'utf8' })) {
    chmodSync(join(dataDir, name), 0o555)
    chownSync(join(dataDir, name), SOMEBODY, SOMEBODY)
  }
  chmodSync(dataDir, 0o555)
  chownSync(dataDir, SOMEBODY, SOMEBODY)
}

/** Runs a command. @param runner the start of its command line, with which it cannot write to the data folder */
function readOnly(runner: readonly string[], ...command: string[]) {
  if (runner === WITHOUT_RIGHTS) giveAway()
  const [program = '', ...words] = [...runner, process.execPath, ...command]
  const { status, stdout, stderr } = spawnSync(program, words, {
    cwd: ROOT,
    env: { ...childEnvironment({ DATA_DIR: dataDir }), DIR: dataDir },
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

const OPERATOR = 'server/operator/main.ts'
const messagesIn = (path: string) => {
  const db = new DatabaseSync(path)
  const { count } = db.prepare('select count(*) as count from messages').get() as { count: number }
  db.close()
  return count
}

describe.each(WAYS)('$name', ({ possible, runner, error }) => {
  const run = (...command: string[]) => readOnly(runner, ...command)

  test.skipIf(!possible).each([
    ['with the files of a killed server', () => {}, true],
    ['without the -shm of a killed server', () => rmSync(file('-shm')), true],
    ['after a stop', checkpoint, false],
  ])('%s: status, backup, export and check read every record', async (_, prepare, hasLog) => {
    await publishAndKill()
    prepare()
    expect(existsSync(file('-wal'))).toBe(hasLog)
    const copy = join(elsewhere, 'copy.sqlite')
    expect(run(OPERATOR, 'backup', copy)).toMatchObject({ status: 0, stderr: '' })
    const total = messagesIn(copy)
    const { messages } = JSON.parse(run(OPERATOR, 'status', '--json').stdout).records
    expect(messages.visible + messages.hidden).toBe(total)
    const exported = run(OPERATOR, 'export', join(elsewhere, 'rows'), '--json')
    expect(JSON.parse(exported.stdout).rows.messages).toBe(total)
    expect(run(OPERATOR, 'check')).toMatchObject({ status: 0, stderr: '' })
    // Opened for writing, which moves the log into the file.
    expect(messagesIn(file())).toBe(total)
    const added = new DatabaseSync(file()).prepare(
      "select count(*) as late from messages join directories on directories.id = directory_id where path = 'late'",
    )
    expect(added.get()).toEqual({ late: 3 })
  })

  test.skipIf(!possible)('an action says that the file cannot be opened', () => {
    expect(run(OPERATOR, 'mode', 'read-only', '--reason', 'a test')).toEqual({
      status: 1,
      stdout: '',
      stderr: `operator: ${file()}: cannot be opened: ${error}\n`,
    })
  })
})

test.skipIf(!WAYS[1]?.possible)('in a read-only folder, an action names the permission', () => {
  chmodSync(dataDir, 0o555)
  chownSync(dataDir, SOMEBODY, SOMEBODY)
  const [program, ...words] = WITHOUT_RIGHTS as [string, ...string[]]
  const command = [process.execPath, OPERATOR, 'mode', 'read-only', '--reason', 'a test']
  const { status, stderr } = spawnSync(program, [...words, ...command], {
    cwd: ROOT,
    env: childEnvironment({ DATA_DIR: dataDir }),
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: `operator: ${file()}: no permission to write the file or its folder\n`,
  })
})
