// How vitest runs this project's tests: one project for each of npm test, npm run test:slow and npm run test:browser.
// A worker runs one file after another without starting again: no test may leave anything behind, and what one has
// rendered or decoded serves the next.
import { defineConfig } from 'vitest/config'

const SLOW = 'test/**/*.slow.test.ts'
const BROWSER = 'test/**/*.browser.test.ts'

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
        test: { name: 'suite', include: ['test/**/*.test.ts'], exclude: [SLOW, BROWSER] },
      },
      { extends: true, test: { name: 'slow', include: [SLOW] } },
      { extends: true, test: { name: 'browser', include: [BROWSER] } },
    ],
  },
})
