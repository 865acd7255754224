// Replaces a signing key once, in a process that kills itself before or after its n-th file operation.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { replaceSigningKey } from '../../pipeline/signing-keys.ts'

const [file, origin, at, moment] = process.argv.slice(2) as [string, string, string, string]
const OPERATIONS = [
  'rmSync',
  'openSync',
  'writeSync',
  'fsyncSync',
  'closeSync',
  'linkSync',
  'renameSync',
]

const operations = fs as unknown as Record<string, (...args: unknown[]) => unknown>
const die = () => process.kill(process.pid, 'SIGKILL')
let count = 0
for (const name of OPERATIONS) {
  const original = operations[name] as (...args: unknown[]) => unknown
  operations[name] = (...args) => {
    const isHit = count++ === Number(at)
    if (isHit && moment === 'before') die()
    const result = original(...args)
    if (isHit) die()
    return result
  }
}
syncBuiltinESMExports()
replaceSigningKey(file, origin)
