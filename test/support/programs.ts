// Finds programs that some tests need. With CI=true each must be installed; otherwise its tests are skipped.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * Returns the path of a program on PATH; without it, prints a line to stderr and returns undefined, for `test.skipIf`.
 * @throws Error with CI=true, if the program is missing
 */
export function findProgram(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const path = folders.map((folder) => join(folder, name)).find((file) => existsSync(file))
  if (path === undefined && process.env.CI === 'true') throw new Error(`${name} is not on PATH`)
  if (path === undefined) console.error(`skipping tests that need ${name}: it is not on PATH`)
  return path
}

/** The environment of a Node process that a test starts: only PATH and the run's folders are inherited. */
export function childEnvironment(variables: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { PATH, TMPDIR, TEST_COMPILE_CACHE } = process.env
  return {
    PATH,
    ...(TMPDIR && { TMPDIR }),
    ...(TEST_COMPILE_CACHE && { NODE_COMPILE_CACHE: TEST_COMPILE_CACHE }),
    ...variables,
  }
}
