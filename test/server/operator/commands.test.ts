// The documents know every operator command.
// Rules: COMMANDS.md 6.1.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { COMMANDS } from '../../../server/operator/parse.ts'
import { ROOT } from '../../support/imports.ts'

const NAMES = COMMANDS.map(({ name }) => name).sort()

/** A part of a document, whose first group this pattern matches. */
const partOf = (document: string, pattern: RegExp) =>
  pattern.exec(readFileSync(join(ROOT, document), 'utf8'))?.[1] ?? ''

/** The commands among the words that this pattern finds. */
const commandsIn = (text: string, pattern: RegExp) => {
  const words = new Set([...text.matchAll(pattern)].map(([, word = '']) => word))
  return NAMES.filter((name) => words.has(name))
}

test('the table of COMMANDS.md describes every command', () => {
  const table = partOf('pipeline/COMMANDS.md', /\*\*6\.1 Actions\.\*\*.*\n\n((?:\|.*\n)+)/)
  const arguments_ = table.replaceAll(/^(\|.*?\|).*$/gm, '$1')
  expect(commandsIn(arguments_, /`([a-z]+)/g)).toEqual(NAMES)
})

test('README names every command', () => {
  const row = partOf('README.md', /^\| `npm run operator -- …` \|(.*)$/m)
  expect(commandsIn(row, /`([a-z]+)`/g)).toEqual(NAMES)
})

test('OPERATING.md shows a use of every command', () => {
  const page = partOf('server/deploy/OPERATING.md', /([\s\S]*)/)
  expect(commandsIn(page, /operator -- ([a-z]+)/g)).toEqual(NAMES)
})
