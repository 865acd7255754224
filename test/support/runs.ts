// What npm test leaves out because it takes long: some tests, and most random cases of some properties. npm run test:slow and
// test:engines run the whole files that import this module.
import { test } from 'vitest'

/** Whether this test command leaves nothing out. */
export const IN_FULL = process.env.TEST_RUNS === 'all'

/** Defines a test that takes long. */
export const inFull = test.runIf(IN_FULL)

/** Returns a number of runs for fast-check. @param few in npm test @param all elsewhere */
export const runs = (few: number, all: number): number => (IN_FULL ? all : few)
