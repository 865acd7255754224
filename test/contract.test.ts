// Checks API.md and FORMAT.md as documents: rules are numbered without gaps, and each names a test file that exists.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readDocument, rulesOf, sectionsOf, testsOf } from './support/documents.ts'
import { ROOT } from './support/imports.ts'

describe.each(['server/API.md', 'archive/FORMAT.md'])('%s', (path) => {
  const document = readDocument(path)
  const rules = rulesOf(document)
  const tests = testsOf(document)

  test('the document numbers its sections and rules from 1, without gaps', () => {
    const sections = sectionsOf(document)
    expect(sections).toEqual(sections.map((_, i) => i + 1))
    const expected = sections.flatMap((section) => {
      const own = rules.filter((rule) => rule.startsWith(`${section}.`))
      return own.map((_, i) => `${section}.${i + 1}`)
    })
    expect(rules).toEqual(expected)
    expect(new Set(rules.map((rule) => Number(rule.split('.')[0])))).toEqual(new Set(sections))
  })

  test('the document names a test file for every rule, and no unknown rule', () => {
    expect(rules.filter((rule) => !tests.get(rule)?.length)).toEqual([])
    expect([...tests.keys()].filter((rule) => !rules.includes(rule))).toEqual([])
  })

  test('the test files that the document names exist', () => {
    const files = new Set([...tests.values()].flat())
    expect([...files].filter((file) => !existsSync(join(ROOT, 'test', file)))).toEqual([])
  })

  test('the document refers only to rules that exist', () => {
    const other = path === 'server/API.md' ? 'archive/FORMAT.md' : 'server/API.md'
    const foreign = new RegExp(`${other.split('/')[1]} (\\d+(?:\\.\\d+)?)`, 'g')
    const known = (text: string) => [...rulesOf(text), ...sectionsOf(text).map(String)]
    const cited = (pattern: RegExp) => [...document.matchAll(pattern)].map(([, n = '']) => n)
    const theirs = known(readDocument(other))
    expect(cited(foreign).filter((number) => !theirs.includes(number))).toEqual([])
    const own = cited(/\((?:see |as in )?(\d+\.\d+)\)/g)
    expect(own.filter((number) => !rules.includes(number))).toEqual([])
  })
})
