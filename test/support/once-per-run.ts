// What vitest prepares once for all test files of a run: a SQLite file with our tables to copy, and a folder in which the
// Node processes that tests start keep the code that they have compiled. It halves the start of each.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../../server/store/database.ts'

/** Called before the first test file; what it returns is called after the last. */
export default async function prepare(): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'daysignal-run-'))
  process.env.NODE_COMPILE_CACHE = join(folder, 'compiled')
  const template = join(folder, 'template.sqlite')
  await (await openStore(template, { create: true })).close()
  process.env.TEST_SQLITE_TEMPLATE = template
  return () => rmSync(folder, { recursive: true })
}
