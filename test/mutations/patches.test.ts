// The mutations of test/README.md can still be applied: what moves the code takes its patch along.
import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ROOT } from '../support/imports.ts'
import { findProgram } from '../support/programs.ts'

test.skipIf(findProgram('git') === undefined)('the patch of each mutation applies', () => {
  const patches = globSync('test/mutations/*.patch', { cwd: ROOT })
  expect(patches.length).toBeGreaterThan(90)
  execFileSync('git', ['apply', '--check', ...patches], { cwd: ROOT, stdio: 'pipe' })
})
