// Global setup of vitest: a SQLite file with our tables, which tests copy, a compile cache for the Node processes that
// tests start, which halves the time of each start, and one folder for all temporary files. Vitest's own processes do not use
// the cache: they would write it as they end, while the folder is being removed.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { openDatabase } from '../../server/database/open.ts'
import { system } from '../../server/system/system.ts'

/** A folder in memory, which Linux has. */
const IN_MEMORY = '/dev/shm'
/** Several times what the files of a project take. */
const ROOM_BYTES = 4 * 1024 ** 3

/**
 * Where the temporary files of a project are: in memory, if it has room, because thousands of files are synced, and a disk
 * takes milliseconds for each. Those of test:engines also show that everything works on a disk.
 */
function rootFor({ name }: TestProject): string {
  if (name === 'engines' || process.env.TMPDIR || !existsSync(IN_MEMORY)) return tmpdir()
  const { bavail, bsize } = statfsSync(IN_MEMORY)
  return bavail * bsize < ROOM_BYTES ? tmpdir() : IN_MEMORY
}

/** Runs before the first test file. @returns the teardown, which runs after the last */
export default async function prepare(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(rootFor(project), 'daysignal-run-'))
  process.env.TEST_COMPILE_CACHE = join(folder, 'compiled')
  const template = join(folder, 'template.sqlite')
  await (await openDatabase(template, { clock: system.clock, create: true })).close()
  process.env.TEST_SQLITE_TEMPLATE = template
  // Tests that fail, and processes that tests kill, cannot remove their files; these go with the folder.
  const temporary = join(folder, 'tmp')
  mkdirSync(temporary)
  process.env.TMPDIR = temporary
  // PostgreSQL, Ceph and PgBouncer run as another user.
  for (const path of [folder, temporary]) chmodSync(path, 0o755)
  // A killed process may still be writing.
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}
