// Finds out which test files test which rules of the specifications: each names its rules under its first comment, as
// `// Rules: FORMAT.md 1.2-1.4, 2.1; API.md 4.5.`
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { between } from './documents.ts'
import { ROOT } from './imports.ts'

/** The specifications whose rules tests name. */
export const SPECIFICATIONS = [
  'server/API.md',
  'archive/FORMAT.md',
  'archive/writing/WRITING.md',
  'pipeline/COMMANDS.md',
  'server/deploy/OPERATING.md',
]

/** A rule that a test file names. */
export interface Tested {
  /** The name of the specification, such as `FORMAT.md`. */
  document: string
  rule: string
  /** Below `test/`. */
  file: string
}

/** Returns the rules that the test files name, file by file. @throws Error on a line that does not have the form */
export function rulesTested(): Tested[] {
  const names = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  const files = names.filter((name) => name.endsWith('.test.ts')).sort()
  return files.flatMap((file) =>
    rulesNamedIn(readFileSync(join(ROOT, 'test', file), 'utf8')).map((named) => ({
      ...named,
      file,
    })),
  )
}

/** Returns the rules that the head of a test file names. */
function rulesNamedIn(text: string): Omit<Tested, 'file'>[] {
  const [, line] = /^\/\/ Rules: (.*(?:\n\/\/ {3}.*)*)\.\n/m.exec(text) ?? []
  if (line === undefined) return []
  const parts = line.replaceAll('\n//  ', '').split('; ')
  return parts.flatMap((part) => {
    const [, document = '', ranges = ''] = /^(\w+\.md) (.*)$/.exec(part) ?? []
    return ranges.split(', ').flatMap((range) => {
      const [, first, last = first] = /^(\d+\.\d+)(?:-(\d+\.\d+))?$/.exec(range) ?? []
      if (!first || !last) throw new Error(`not a list of rules: ${part}`)
      return between(first, last).map((rule) => ({ document, rule }))
    })
  })
}
