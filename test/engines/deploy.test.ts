// The systemd units of server/deploy.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../support/imports.ts'
import { findProgram } from '../support/programs.ts'

test('the server, the daily run and the backup start after the clock is set', () => {
  for (const name of ['daysignal', 'daysignal-snapshot', 'daysignal-backup']) {
    const unit = readFileSync(join(ROOT, 'server/deploy', `${name}.service`), 'utf8')
    expect(unit).toMatch(/^Wants=.*\btime-sync\.target\b/m)
    expect(unit).toMatch(/^After=.*\btime-sync\.target\b/m)
  }
})

const systemdAnalyze = findProgram('systemd-analyze')

test.skipIf(!systemdAnalyze)('the systemd units are valid and sandbox the service', () => {
  const units = readdirSync(join(ROOT, 'server/deploy')).filter((name) =>
    /\.(service|timer)$/.test(name),
  )
  const paths = units.map((name) => join(ROOT, 'server/deploy', name))
  const analyze = (...args: string[]) =>
    execFileSync(systemdAnalyze as string, args, { encoding: 'utf8', stdio: 'pipe' })
  expect(analyze('verify', '--man=no', ...paths)).toBe('')
  // The exposure level is 0 to 10, here scaled by ten: 9.6 without a sandbox, at most 2.0 with ours.
  for (const path of paths.filter((name) => name.endsWith('.service')))
    analyze('security', '--offline=yes', '--threshold=20', path)
})
