// Programs of the system that some tests need: under CI=true each must be there, elsewhere its tests are skipped.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * Where a program is on PATH. Without it: undefined and a line on stderr, for `test.skipIf`; under CI=true an error.
 */
export function findProgram(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const path = folders.map((folder) => join(folder, name)).find((file) => existsSync(file))
  if (path === undefined && process.env.CI === 'true') throw new Error(`${name} is not on PATH`)
  if (path === undefined) console.error(`skipping what needs ${name}: it is not on PATH`)
  return path
}

/** The environment of a Node process that a test starts: nothing of this one's but PATH and where compiled code is kept. */
export function childEnvironment(variables: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  return { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }), ...variables }
}
