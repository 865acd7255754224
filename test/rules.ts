// Prints which test files test each rule of the specifications, as a table: `npx -- node test/rules.ts`.
import { basename } from 'node:path'
import { readDocument, rulesOf, rulesTested, SPECIFICATIONS } from './support/documents.ts'

const tested = rulesTested()
for (const path of SPECIFICATIONS) {
  const rows = rulesOf(readDocument(path)).map((rule) => {
    const own = tested.filter((one) => one.document === basename(path) && one.rule === rule)
    return `| ${rule} | ${own.map(({ file }) => `\`${file}\``).join(', ')} |`
  })
  const table = [`## ${path}`, '', '| rule | tests |', '| --- | --- |', ...rows, '', '']
  process.stdout.write(table.join('\n'))
}
