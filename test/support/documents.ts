// Parses the rules and examples of the specifications, and finds out which test files test which rules: each names its rules
// under its first comment, as `// Rules: FORMAT.md 1.2-1.4, 2.1; API.md 4.5.`
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './imports.ts'

/** A fenced block. */
export interface Block {
  /** The word after the fence: `http`, `json`, `sh`, `csv`, `text`. */
  language: string
  /** The rest of that line. */
  note: string
  /** The content, without the last line break. */
  text: string
}

export function readDocument(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

/** Returns the fenced blocks of a Markdown document, in order. */
export function blocksOf(document: string): Block[] {
  return [...document.matchAll(/^```(\w+)(?: ([^\n]+))?\n(.*?)\n```$/gms)].map(
    ([, language = '', note = '', text = '']) => ({ language, note, text }),
  )
}

/** Returns the numbers of the rules, such as 4.5 for `**4.5 Order of ids.**`, in the order of the text. */
export function rulesOf(document: string): string[] {
  return [...document.matchAll(/^\*\*(\d+\.\d+) [^*]+\.\*\*/gm)].map(([, number = '']) => number)
}

/** Returns the numbers of the sections, in the order of the text. */
export function sectionsOf(document: string): number[] {
  return [...document.matchAll(/^## (\d+)\. /gm)].map(([, number]) => Number(number))
}

/** `4.1`, `4.3` -> 4.1, 4.2, 4.3 */
function between(first: string, last: string): string[] {
  const [section, from = Number.NaN] = first.split('.').map(Number)
  const to = Number(last.split('.')[1])
  return Array.from({ length: to - from + 1 }, (_, i) => `${section}.${from + i}`)
}

const ANYTHING = '…'

/**
 * Whether a value matches an example, in which `…` within a string stands for any text, the string "…" for any
 * value, and the property "…" for further properties.
 */
export function isAsShown(value: unknown, shown: unknown): boolean {
  if (shown === ANYTHING) return value !== undefined
  if (typeof shown === 'string') return typeof value === 'string' && patternOf(shown).test(value)
  if (Array.isArray(shown))
    return (
      Array.isArray(value) &&
      value.length === shown.length &&
      shown.every((item, i) => isAsShown(value[i], item))
    )
  if (typeof shown !== 'object' || shown === null) return Object.is(value, shown)
  if (typeof value !== 'object' || value === null) return false
  const { [ANYTHING]: open, ...properties } = shown as Record<string, unknown>
  const names = Object.keys(properties)
  if (open === undefined && Object.keys(value).length !== names.length) return false
  return names.every((name) =>
    isAsShown((value as Record<string, unknown>)[name], properties[name]),
  )
}

/** Returns a pattern that matches a text in which each `…` stands for any text. */
export function patternOf(shown: string): RegExp {
  return new RegExp(`^${shown.split(ANYTHING).map(RegExp.escape).join('.*')}$`, 's')
}

/** The specifications whose rules tests name. */
export const SPECIFICATIONS = [
  'server/API.md',
  'archive/FORMAT.md',
  'archive/writing/WRITING.md',
  'pipeline/COMMANDS.md',
  'server/deploy/OPERATING.md',
]

/** A rule that a test file names. */
interface Tested {
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
