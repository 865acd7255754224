// Prints "N passed, N failed" over the JSON reports of vitest that it is given; exits 1 when a test failed or a report is missing.
import { existsSync, readFileSync } from 'node:fs'

const reports = process.argv.slice(2)
let passed = 0
let failed = 0
let complete = reports.length > 0
for (const file of reports) {
  if (!existsSync(file)) {
    console.error(`no report ${file}: the run ended before its tests`)
    complete = false
    continue
  }
  const report = JSON.parse(readFileSync(file, 'utf8'))
  passed += report.numPassedTests
  failed += report.numFailedTests
  // A file that cannot be loaded fails without a test of its own.
  for (const { status, assertionResults } of report.testResults)
    if (status === 'failed' && assertionResults.every((test) => test.status !== 'failed')) failed++
}
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = complete && failed === 0 ? 0 : 1
