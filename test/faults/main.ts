// npm run test:faults: runs the files of this folder, or those that are named, for that many minutes each, on both engines.
// Usage: npm run test:faults -- [--minutes N] [--seed N] [FILE…]
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from '../support/imports.ts'

const { values, positionals } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
  },
  allowPositionals: true,
})
const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
const files = positionals.length > 0 ? positionals : ['test/faults/']
const args = [
  ...['run', '--config', 'test/vitest.config.ts', '--project', 'slow', '--project', 'engines'],
  // Both engines at once. Each of the two projects has another number otherwise, which vitest refuses in one run.
  ...['--maxWorkers', '2'],
]
spawn(process.execPath, [vitest, ...args, ...files], {
  cwd: ROOT,
  env: { ...process.env, FAULTS_MINUTES: values.minutes, FAULTS_SEED: values.seed },
  stdio: 'inherit',
}).once('close', (code) => {
  process.exitCode = code ?? 1
})
