// Usage: tally.mjs REPORT.json... Reads vitest's JSON reports, prints each failed test, then "N passed, N failed". Exits with 1
// if a test failed or a report is missing.
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'

const reports = process.argv.slice(2)
const failures = []
let passed = 0
let complete = reports.length > 0
for (const file of reports) {
  if (!existsSync(file)) {
    console.error(`no report ${file}: the run ended before any test`)
    complete = false
    continue
  }
  const report = JSON.parse(readFileSync(file, 'utf8'))
  passed += report.numPassedTests
  for (const { name, message, status, assertionResults } of report.testResults) {
    const failed = assertionResults.filter((test) => test.status === 'failed')
    for (const test of failed) failures.push([name, test.fullName, test.failureMessages.join('\n')])
    // A file that cannot be loaded fails without a failed test.
    if (status === 'failed' && failed.length === 0)
      failures.push([name, 'the file itself', message])
  }
}
for (const [file, test, message] of failures)
  process.stdout.write(`FAILED ${relative('.', file)}: ${test}\n${message.replace(/^/gm, '  ')}\n`)
process.stdout.write(`${passed} passed, ${failures.length} failed\n`)
process.exitCode = complete && failures.length === 0 ? 0 : 1
