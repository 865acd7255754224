// Replaces a signing key once, in a process that kills itself before or after its n-th file operation.
import fs, { type FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { replaceSigningKey } from '../../../archive/log/new-signing-keys.ts'

const [file, origin, at, moment] = process.argv.slice(2) as [string, string, string, string]
const OPERATIONS = ['rm', 'open', 'link', 'rename']
const OF_OPEN_FILES = ['writeFile', 'chmod', 'sync', 'close']

type Operations = Record<string, (...args: unknown[]) => Promise<unknown>>
const die = () => process.kill(process.pid, 'SIGKILL')
let count = 0

function intercept(operations: Operations, names: string[]): void {
  for (const name of names) {
    const original = operations[name] as Operations[string]
    operations[name] = async (...args) => {
      const isHit = count++ === Number(at)
      if (isHit && moment === 'before') die()
      const result = await original.apply(operations, args)
      if (isHit) die()
      if (name === 'open') intercept(result as FileHandle & Operations, OF_OPEN_FILES)
      return result
    }
  }
}

intercept(fs as unknown as Operations, OPERATIONS)
syncBuiltinESMExports()
await replaceSigningKey(file, origin)
