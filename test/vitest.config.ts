// Configures vitest: one project each for npm test, npm run test:slow, test:browser and test:engines.
// A worker runs many files in one process: a test must leave nothing behind, and what it has rendered or decoded is cached
// for the next.
import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { hasCeph } from './support/ceph.ts'
import { reachedFrom } from './support/imports.ts'
import { postgresPrograms } from './support/postgres.ts'

const CORES = availableParallelism()
const SLOW = 'test/**/*.slow.test.ts'
const BROWSER = 'test/**/*.browser.test.ts'
const ENGINES = 'test/engines/**/*.test.ts'
/** Tests that need an object store. */
const ON_STORE = 'test/engines/archive-*.test.ts'

/** Gives a test the database of its engine. */
const DATABASES = 'test/support/database.ts'
/** Tests that run on the database of their engine. The others use none, or SQLite in any case. */
const ON_ENGINE = globSync('test/{faults,server}/**/*.test.ts').filter((file) =>
  reachedFrom(file).has(DATABASES),
)
/** Of these, tests that only apply to SQLite, and tests of what comes after the statements, all of which others run. */
const NOT_ON_POSTGRES = [
  'test/server/{deploy,http}/**/*.test.ts',
  'test/server/pages/{days,forms,guide,months,pages,podcast,receivers,weight}.test.ts',
  'test/server/transmissions/{archive-reads,lists,log,media,unreadable}.test.ts',
  'test/server/database/open.test.ts',
  'test/server/moderation/sweeps.test.ts',
  'test/server/openapi/typed-client.test.ts',
  'test/server/database/waiting.test.ts',
  'test/server/database/plans.test.ts',
  'test/server/operator/moving/moving.test.ts',
  'test/server/operator/commands/backup.test.ts',
  'test/server/database/empty-database.test.ts',
]
/** Files of which npm test leaves a part out (support/runs.ts). */
const LONG_IN_PART = globSync('test/**/*.test.ts').filter(
  (file) =>
    !file.endsWith('.slow.test.ts') && readFileSync(file, 'utf8').includes("support/runs.ts'"),
)
/** Slow tests that also run on PostgreSQL: races and kills of the whole service, and restores. */
const SLOW_ON_POSTGRES = [
  'test/server/data/restored-histories.slow.test.ts',
  'test/server/publishing/kill.slow.test.ts',
  'test/faults/clocks.slow.test.ts',
  'test/faults/histories.slow.test.ts',
  'test/faults/week.slow.test.ts',
]

/** Small files that take long. Vitest starts the largest files first, and one worker would wait for these at the end. */
const LONGEST = [
  'test/server/pages/looks.browser.test.ts',
  'test/engines/archive-restored.test.ts',
  'test/archive/drawing/enough.test.ts',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      LONGEST.some((file) => moduleId.endsWith(`/${file}`))
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    pool: 'forks',
    isolate: false,
    // By default one core stays idle: on two cores, half of them.
    maxWorkers: CORES,
    // Node runs the unmodified files, as in production. This is a fifth faster than running them through Vite.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    globalSetup: ['test/support/once-per-run.ts'],
    setupFiles: ['test/support/setup.ts'],
    sequence: { sequencer: LongestFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'suite',
          // A sixth of the time its tests wait, for timers and processes.
          maxWorkers: CORES + 1,
          include: ['test/**/*.test.ts'],
          exclude: [SLOW, BROWSER, ENGINES],
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          // Many of its tests wait, for limits of time and for programs.
          maxWorkers: CORES + 1,
          env: { TEST_RUNS: 'all' },
          // In CI, npm test has left nothing out.
          include: process.env.TEST_RUNS === 'all' ? [SLOW] : [SLOW, ...LONG_IN_PART],
        },
      },
      { extends: true, test: { name: 'browser', include: [BROWSER] } },
      {
        extends: true,
        test: {
          name: 'engines',
          // A quarter of the time its tests wait, for PostgreSQL and the object store.
          maxWorkers: CORES + 1,
          globalSetup: ['test/support/engines-per-run.ts'],
          env: { TEST_DATABASE: 'postgres', TEST_RUNS: 'all' },
          include: [
            'test/engines/installed.test.ts',
            ...(hasCeph() ? [ON_STORE] : []),
            ...(postgresPrograms() ? [ENGINES, ...ON_ENGINE] : []),
          ],
          exclude: [
            ...(hasCeph() ? [] : [ON_STORE]),
            ...globSync(SLOW).filter((file) => !SLOW_ON_POSTGRES.includes(file)),
            BROWSER,
            ...NOT_ON_POSTGRES,
          ],
        },
      },
    ],
  },
})
