// How many random cases a property is checked with: few in npm test, all in the other test commands.

/** Returns a number of runs for fast-check. @param few in npm test @param all in npm run test:slow and test:engines */
export const runs = (few: number, all: number): number =>
  process.env.TEST_RUNS === 'all' ? all : few
