// The language of a query (API.md 11.2, 11.3). Pure.
import { isDay } from '../../archive/format/calendar.ts'
import { CONTRIBUTION_KINDS } from '../../archive/format/record-lines.ts'
import { isPath } from '../board/rules.ts'
import { wordsOf } from '../database/words/cut.ts'
import { facetOf } from '../database/words/documents.ts'
import type { Term } from '../database/words/engines.ts'
import { Problem } from '../wire/problem.ts'
import { characters, isNotBlank, listed, MAX_LABEL } from '../wire/text.ts'

/** Longest query [code points]. */
export const MAX_QUERY = 200

export interface Query {
  /** Words side by side, to find and to mark. */
  words: Term[]
  /** What operators ask for. */
  facets: Term[]
  /** The first and the last UTC day, both inclusive. */
  from: string | undefined
  to: string | undefined
}

/** What `kind:` may name. Pages call the kind reuse a use, which the operator accepts, too. */
export const KINDS = ['question', ...CONTRIBUTION_KINDS, 'use', 'message'] as const

interface Operator {
  /** What another value is, for people. */
  fault: string
  isValid(value: string): boolean
  /** The facet that it asks for; none for a day. */
  facet?(value: string): string
}

const DAY: Operator = { fault: 'names no day; a day is such as 2026-11-01', isValid: isDay }

const OPERATORS: Record<string, Operator> = {
  in: {
    fault: 'names no directory; a path is such as river/bridge',
    isValid: isPath,
    facet: facetOf.directory,
  },
  by: {
    fault: `names nobody; a name has 1 to ${MAX_LABEL} characters`,
    isValid: (value) => isNotBlank(value) && characters(value) <= MAX_LABEL,
    facet: facetOf.label,
  },
  kind: {
    fault: `names no kind; there are ${listed(KINDS.filter((kind) => kind !== 'reuse'))}`,
    isValid: (value) => (KINDS as readonly string[]).includes(value),
    facet: (value) => facetOf.kind(value === 'use' ? 'reuse' : value),
  },
  from: DAY,
  to: DAY,
}

const invalid = (rule: string): Problem => new Problem('invalid_query', `q: ${rule}`)

/** A part: an operator with its value, words in quotation marks, or a word. A quotation mark may lack its other half. */
const PART =
  /(?<name>(?![0-9])[^\s":]*):(?:"(?<quotedValue>[^"]*)(?<valueEnd>"?)|(?<value>[^\s"]*))|"(?<quoted>[^"]*)(?<end>"?)|(?<plain>[0-9][^\s"]*|[^\s":]+)/gu

/** @throws Problem invalid_query that names the part */
export function parseQuery(text: string | undefined): Query {
  if (text === undefined) throw invalid('is required')
  if (characters(text) > MAX_QUERY) throw invalid(`must have at most ${MAX_QUERY} characters`)
  const query: Query = { words: [], facets: [], from: undefined, to: undefined }
  const operators = new Set<string>()
  for (const { 0: part, groups = {} } of text.matchAll(PART)) {
    const {
      name,
      quotedValue,
      valueEnd,
      value = quotedValue ?? '',
      quoted,
      end,
      plain = '',
    } = groups
    if (valueEnd === '' || end === '')
      throw invalid(`${part} has a quotation mark without its other half`)
    if (name !== undefined) addOperator(query, operators, { part, name: name.toLowerCase(), value })
    else if (quoted?.includes('*'))
      throw invalid(`${part} has a * that is not at the end of a word outside of quotation marks`)
    else if (quoted !== undefined) addWords(query, quoted, false)
    else addPlain(query, plain)
  }
  if (query.words.length === 0 && operators.size === 0)
    throw invalid('must have a word or an operator, such as in:river')
  return query
}

function addOperator(
  query: Query,
  given: Set<string>,
  { part, name, value }: { part: string; name: string; value: string },
): void {
  const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined
  if (!operator) throw invalid(`${part} is no operator; put words with a colon in quotation marks`)
  if (given.has(name)) throw invalid(`${part} repeats ${name}:`)
  if (!operator.isValid(value)) throw invalid(`${part} ${operator.fault}`)
  given.add(name)
  if (operator.facet) query.facets.push({ words: [operator.facet(value)], isPrefix: false })
  else query[name as 'from' | 'to'] = value
}

const MIN_PREFIX = 3
const LETTER_OR_DIGIT = /[\p{L}\p{Nd}]/gu
/** Scripts without spaces, in which a single character may be a word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

function addPlain(query: Query, part: string): void {
  const isPrefix = part.endsWith('*')
  const text = isPrefix ? part.slice(0, -1) : part
  if (text.includes('*')) throw invalid(`${part} has a * that is not at its end`)
  const last = addWords(query, text, isPrefix)
  if (!isPrefix) return
  const length = last.match(LETTER_OR_DIGIT)?.length ?? 0
  if (length < MIN_PREFIX && !UNSPACED.test(last))
    throw invalid(`${part} must have at least ${MIN_PREFIX} letters or digits before the *`)
}

/** Shorter words have no shorter beginning [letters]. */
const MIN_CUT = 4

/**
 * Returns a query with the beginnings of its plain words in place of them; null if it has none, or becomes too long.
 * @param cut letters left out at their ends
 */
export function widened(text: string, cut: number): { text: string; beginnings: string[] } | null {
  const beginnings: string[] = []
  const wide = text.replaceAll(PART, (part, ...captured) => {
    const { plain = '' } = captured.at(-1)
    const letters = [...plain]
    if (letters.length < MIN_PREFIX || !/^[\p{L}\p{M}]+$/u.test(plain)) return part
    const kept = Math.max(Math.min(letters.length, MIN_CUT), letters.length - cut)
    beginnings.push(letters.slice(0, kept).join(''))
    return `${beginnings.at(-1)}*`
  })
  return beginnings.length > 0 && characters(wide) <= MAX_QUERY ? { text: wide, beginnings } : null
}

/** Adds the words of a text, side by side. @returns the last one; empty if there is none */
function addWords(query: Query, text: string, isPrefix: boolean): string {
  const words = [...wordsOf(text)].map(({ word }) => word)
  if (words.length > 0) query.words.push({ words, isPrefix })
  return words.at(-1) ?? ''
}
