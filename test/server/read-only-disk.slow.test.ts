// Tests that the commands that only read work on a read-only file system, with the records that are only in SQLite's
// write-ahead log (API.md 10.5).
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { copyOfRelease1, type Release1 } from '../archive/release-1.ts'
import { clientOf } from '../support/client.ts'
import { ROOT } from '../support/imports.ts'
import { childEnvironment } from '../support/programs.ts'
import { publisherOf } from '../support/publish.ts'
import { startServerProcess } from '../support/server-process.ts'

const possible = spawnSync('unshare', ['--mount', '--map-root-user', 'true']).status === 0
if (!possible) console.error('skipping a read-only disk: unshare cannot make a mount namespace')

let release: Release1
let elsewhere: string
beforeEach(async () => {
  release = copyOfRelease1()
  elsewhere = mkdtempSync(join(tmpdir(), 'elsewhere-'))
})
afterEach(() => {
  release.remove()
  rmSync(elsewhere, { recursive: true })
})

const file = (suffix = '') => join(release.dataDir, `daysignal.sqlite${suffix}`)

/** Serves the data, publishes messages and kills the server: they are in the write-ahead log only. */
async function publishAndKill(): Promise<void> {
  const server = await startServerProcess({ DATA_DIR: release.dataDir })
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

const MOUNT = 'mount --bind "$DIR" "$DIR" && mount -o remount,ro,bind "$DIR" && exec "$@"'

/** Runs a command with the data folder mounted read-only. */
function onReadOnlyDisk(...command: string[]) {
  const words = ['--mount', '--map-root-user', 'sh', '-c', MOUNT, 'sh', process.execPath]
  const { status, stdout, stderr } = spawnSync('unshare', [...words, ...command], {
    cwd: ROOT,
    env: { ...childEnvironment({ DATA_DIR: release.dataDir }), DIR: release.dataDir },
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

describe.skipIf(!possible)('a read-only disk', () => {
  test.each([
    ['with the files of a killed server', () => {}, true],
    ['without the -shm of a killed server', () => rmSync(file('-shm')), true],
    ['after a stop', checkpoint, false],
  ])('%s: status, backup, export and verify read every record', async (_, prepare, hasLog) => {
    await publishAndKill()
    prepare()
    expect(existsSync(file('-wal'))).toBe(hasLog)
    const copy = join(elsewhere, 'copy.sqlite')
    expect(onReadOnlyDisk(OPERATOR, 'backup', copy)).toMatchObject({ status: 0, stderr: '' })
    const total = messagesIn(copy)
    const { messages } = JSON.parse(onReadOnlyDisk(OPERATOR, 'status', '--json').stdout).records
    expect(messages.visible + messages.hidden).toBe(total)
    const exported = onReadOnlyDisk(OPERATOR, 'export', join(elsewhere, 'rows'), '--json')
    expect(JSON.parse(exported.stdout).rows.messages).toBe(total)
    expect(onReadOnlyDisk('pipeline/commands/verify.ts', '--database')).toMatchObject({
      status: 0,
      stderr: '',
    })
    // Opened for writing, which moves the log into the file.
    expect(messagesIn(file())).toBe(total)
    const added = new DatabaseSync(file()).prepare(
      "select count(*) as late from messages join directories on directories.id = directory_id where path = 'late'",
    )
    expect(added.get()).toEqual({ late: 3 })
  })

  test('an action says that the file cannot be opened, and so does a database that has to be migrated', () => {
    const action = onReadOnlyDisk(OPERATOR, 'mode', 'read-only', '--reason', 'a test')
    expect(action).toEqual({
      status: 1,
      stdout: '',
      stderr: `operator: ${file()}: cannot be opened: read-only file system\n`,
    })
    expect(onReadOnlyDisk(OPERATOR, 'status')).toEqual({
      status: 1,
      stdout: '',
      stderr: `operator: ${file()}: written by an older Daysignal, and read-only here; copy it with its -wal to another folder\n`,
    })
  })
})
