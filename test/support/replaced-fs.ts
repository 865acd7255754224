// Replaces a function of node:fs/promises for the duration of a test's work, also for modules that import it by name.
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

type Call = (path: string, ...options: unknown[]) => Promise<unknown>

/** @param replace returns the replacement of the real function */
export async function withReplaced<T>(
  name: 'link' | 'lstat' | 'readFile',
  replace: (real: Call) => Call,
  work: () => Promise<T>,
): Promise<T> {
  const functions = fs as unknown as Record<typeof name, Call>
  const real = functions[name]
  functions[name] = replace(real)
  syncBuiltinESMExports()
  try {
    return await work()
  } finally {
    functions[name] = real
    syncBuiltinESMExports()
  }
}
