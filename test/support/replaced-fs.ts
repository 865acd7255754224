// Replaces a function of node:fs/promises for the duration of a test's work, also for modules that import it by name.
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

type Functions = Pick<typeof fs, 'lstat' | 'readFile'>

/** @param replace returns the replacement of the real function */
export async function withReplaced<Name extends keyof Functions, T>(
  name: Name,
  replace: (real: Functions[Name]) => (...args: never[]) => unknown,
  work: () => Promise<T>,
): Promise<T> {
  const functions: Functions = fs
  const real = functions[name]
  functions[name] = replace(real) as Functions[Name]
  syncBuiltinESMExports()
  try {
    return await work()
  } finally {
    functions[name] = real
    syncBuiltinESMExports()
  }
}
