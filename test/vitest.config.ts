// How vitest runs this project's tests: one project for each of npm test, npm run test:slow, test:browser
// and test:engines.
// A worker runs one file after another without starting again: no test may leave anything behind, and what one has
// rendered or decoded serves the next.
import { globSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { hasCeph } from './support/ceph.ts'
import { postgresPrograms } from './support/postgres.ts'

const SLOW = 'test/**/*.slow.test.ts'
const BROWSER = 'test/**/*.browser.test.ts'
const ENGINES = 'test/engines/**/*.test.ts'
/** On an object store. */
const OF_STORE = 'test/engines/archive-*.test.ts'

/** What is of SQLite alone. */
const OF_SQLITE = [
  'test/server/store/open.test.ts',
  'test/server/store/waiting.test.ts',
  'test/server/plans.test.ts',
  'test/server/moving.test.ts',
  'test/server/backup.test.ts',
]
/** What uses no database. */
const OF_NO_ENGINE = [
  'test/server/memory.test.ts',
  'test/server/http/transport.test.ts',
  'test/server/store/postgres-errors.test.ts',
]
/** Races and kills of the whole service. */
const SLOW_OF_SERVER = [
  'test/server/concurrency.slow.test.ts',
  'test/server/publishing/kill.slow.test.ts',
]

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    pool: 'forks',
    isolate: false,
    // Node runs the files as they are, here as in production: a fifth faster than through Vite, which changes them.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    globalSetup: ['test/support/once-per-run.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: { name: 'suite', include: ['test/**/*.test.ts'], exclude: [SLOW, BROWSER, ENGINES] },
      },
      { extends: true, test: { name: 'slow', include: [SLOW] } },
      { extends: true, test: { name: 'browser', include: [BROWSER] } },
      {
        extends: true,
        test: {
          name: 'engines',
          globalSetup: ['test/support/postgres-per-run.ts', 'test/support/store-per-run.ts'],
          env: { TEST_DATABASE: 'postgres' },
          include: [
            'test/engines/installed.test.ts',
            ...(hasCeph() ? [OF_STORE] : []),
            ...(postgresPrograms() ? [ENGINES, 'test/server/**/*.test.ts'] : []),
          ],
          exclude: [
            ...(hasCeph() ? [] : [OF_STORE]),
            ...globSync(SLOW).filter((file) => !SLOW_OF_SERVER.includes(file)),
            BROWSER,
            ...OF_SQLITE,
            ...OF_NO_ENGINE,
          ],
        },
      },
    ],
  },
})
