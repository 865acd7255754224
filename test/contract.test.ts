// Checks the specifications as documents: rules are numbered without gaps, and a test names each.
// Rules: FORMAT.md 1.1.
import { basename } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  readDocument,
  rulesOf,
  rulesTested,
  SPECIFICATIONS,
  sectionsOf,
} from './support/documents.ts'

const documents = new Map(SPECIFICATIONS.map((path) => [basename(path), readDocument(path)]))
const tested = rulesTested()

/** The section and the number of a rule. */
const partsOf = (rule: string) => rule.split('.').map(Number) as [number, number]

describe.each([...documents])('%s', (name, document) => {
  const rules = rulesOf(document)

  test('the document numbers its sections and rules from 1, without gaps', () => {
    const sections = sectionsOf(document)
    expect(sections).toEqual(sections.map((_, i) => i + 1))
    const expected = sections.flatMap((section) => {
      const own = rules.filter((rule) => rule.startsWith(`${section}.`))
      return own.map((_, i) => `${section}.${i + 1}`)
    })
    expect(rules).toEqual(expected)
    expect(rules.filter((rule) => !sections.includes(partsOf(rule)[0]))).toEqual([])
  })

  test('a test file names each rule, and none names an unknown one', () => {
    const named = tested.filter((one) => one.document === name).map(({ rule }) => rule)
    expect(rules.filter((rule) => !named.includes(rule))).toEqual([])
    expect(named.filter((rule) => !rules.includes(rule))).toEqual([])
  })

  test('the document refers only to rules that exist', () => {
    const known = (text: string) => [...rulesOf(text), ...sectionsOf(text).map(String)]
    const cited = (pattern: RegExp) => [...document.matchAll(pattern)].map(([, n = '']) => n)
    for (const [other, text] of documents) {
      const foreign = new RegExp(`${other} (\\d+(?:\\.\\d+)?)`, 'g')
      expect(cited(foreign).filter((number) => !known(text).includes(number))).toEqual([])
    }
    const own = cited(/\((?:see |as in )?(\d+\.\d+)\)/g)
    expect(own.filter((number) => !rules.includes(number))).toEqual([])
  })
})

test('the test files name rules of these documents only', () => {
  expect(tested.filter(({ document }) => !documents.has(document))).toEqual([])
})
