// Loaded before a program, lets one of its file operations fail, or kills the program at it, and stops its wall clock.
// Usage: FAULT='{"now":…,"at":7,"kind":"EIO","count":"FILE"}' node --import ./test/faults/faulty-fs.ts PROGRAM
import fs from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

export interface FsFault {
  /** What the clock shows [ms since 1970]. */
  now: number
  /** The operation, from 0: of those that read if the kind says so, else of those that change or sync files. */
  at: number
  kind: 'SIGKILL' | 'ENOSPC' | 'EIO' | 'EIO after' | 'EIO reading'
  /** The file that gets the number of operations at the end. */
  count: string
}

type Call = (...args: unknown[]) => unknown

/** What changes or syncs files, of the promises and of open files. */
const CHANGES = ['chmod', 'link', 'mkdir', 'mkdtemp', 'open', 'rename', 'rm', 'rmdir', 'writeFile']
const CHANGES_OF_OPEN = ['chmod', 'close', 'datasync', 'sync', 'truncate', 'write', 'writeFile']
/** What reads them. */
const READS = ['access', 'lstat', 'readFile', 'readdir', 'stat']
const READS_OF_OPEN = ['read', 'readFile', 'stat']

const fault = JSON.parse(process.env.FAULT ?? '') as FsFault
let count = 0

function failing(name: string, real: Call): Call {
  return async function (this: unknown, ...args) {
    if (count++ !== fault.at) return real.apply(this, args)
    if (fault.kind === 'SIGKILL') process.kill(process.pid, 'SIGKILL')
    if (fault.kind === 'EIO after') await real.apply(this, args)
    const [code] = fault.kind.split(' ')
    throw Object.assign(new Error(`${code}: injected, ${name} ${args[0]}`), { code, syscall: name })
  }
}

function replace(target: object, names: readonly string[]): void {
  const calls = target as Record<string, Call>
  for (const name of names) calls[name] = failing(name, calls[name] as Call)
}

const handle = await promises.open(process.execPath)
await handle.close()
const isReading = fault.kind === 'EIO reading'
replace(promises, isReading ? READS : CHANGES)
replace(Object.getPrototypeOf(handle), isReading ? READS_OF_OPEN : CHANGES_OF_OPEN)
syncBuiltinESMExports()
Date.now = () => fault.now
process.on('exit', () => fs.writeFileSync(fault.count, String(count)))
