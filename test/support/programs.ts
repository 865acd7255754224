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
