// Global setup of vitest: a SQLite file with our tables, which tests copy, a compile cache for the Node processes that
// tests start, which halves the time of each start, and one folder for all temporary files. Vitest's own processes do not
// use the cache: they would write it as they end, while the folder is being removed.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../server/database/open.ts'
import { system } from '../../server/system.ts'

/** Runs before the first test file. @returns the teardown, which runs after the last */
export default async function prepare(): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'daysignal-run-'))
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
