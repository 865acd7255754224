// Usage: tally.mjs FOLDER NAME... Reads what .ci/run has kept of each part of the tests: NAME.json (the report of report.mjs),
// NAME.status (its exit status) and NAME.log (its output). Prints each failure, then "N passed, N failed". A part that ended
// with another status than 0 although no test failed counts as a failure. Exits with 1 if anything failed.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The lines of a part's output that are printed if nothing else states why it failed. */
const LAST_LINES = 60

const [folder, ...parts] = process.argv.slice(2)
const read = (name) => {
  const file = join(folder, name)
  return existsSync(file) ? readFileSync(file, 'utf8') : null
}
const endOf = (log) => log.trimEnd().split('\n').slice(-LAST_LINES).join('\n')

const failures = []
let passed = 0
for (const part of parts) {
  const report = JSON.parse(read(`${part}.json`) ?? 'null')
  const status = read(`${part}.status`)?.trim() ?? 'none: it was not started'
  passed += report?.passed ?? 0
  for (const { file, test, message } of report?.failures ?? [])
    failures.push([`${file}: ${test}`, message])
  if (status === '0' && report !== null) continue
  const why =
    report === null
      ? 'it ended before any test'
      : report.failures.length === 0
        ? 'no test failed, so the error is in the start or end of the run'
        : null
  if (why !== null)
    failures.push([`${part}, exit status ${status}`, `${why}\n${endOf(read(`${part}.log`) ?? '')}`])
}
for (const [name, message] of failures)
  process.stdout.write(`FAILED ${name}\n${message.trimEnd().replace(/^/gm, '  ')}\n`)
process.stdout.write(`${passed} passed, ${failures.length} failed\n`)
process.exitCode = parts.length > 0 && failures.length === 0 ? 0 : 1
