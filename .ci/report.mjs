// A vitest reporter that writes what tally.mjs counts to the file TEST_REPORT: the number of passed tests, each failure, and
// each error outside of tests, such as a promise that is rejected after its test has ended.
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'

const textOf = (errors) => errors.map((error) => error.stack || error.message).join('\n')

/** The failures of a file: its tests, its hooks, or its end before all tests had run. */
function failuresOf(module) {
  const file = relative('.', module.moduleId)
  const tests = [...module.children.allTests()].filter((test) => test.result().state === 'failed')
  const failures = tests.map((test) => ({
    file,
    test: test.fullName,
    message: textOf(test.result().errors),
  }))
  const groups = [module, ...module.children.allSuites()]
  for (const group of groups) {
    const errors = group.errors()
    if (errors.length > 0)
      failures.push({ file, test: group.fullName ?? 'the file itself', message: textOf(errors) })
  }
  const state = module.state()
  if (failures.length === 0 && state !== 'passed' && state !== 'skipped')
    failures.push({ file, test: 'the file itself', message: `ended as ${state}` })
  return failures
}

export default class Report {
  onTestRunEnd(modules, errors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const report = {
      passed: tests.filter((test) => test.result().state === 'passed').length,
      failures: [
        ...modules.flatMap(failuresOf),
        ...errors.map((error) => ({
          file: error.VITEST_TEST_PATH ? relative('.', error.VITEST_TEST_PATH) : '(no file)',
          test: error.VITEST_TEST_NAME
            ? `outside of tests, after or while: ${error.VITEST_TEST_NAME}`
            : 'outside of tests',
          message: `${error.type ?? 'Error'}: ${textOf([error])}`,
        })),
      ],
    }
    writeFileSync(process.env.TEST_REPORT, JSON.stringify(report))
  }
}
