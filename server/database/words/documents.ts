// What the index of words holds of a message: its words in order, and its facets (API.md 11.2, 11.3). Pure.
import { hash } from 'node:crypto'
import { folded, wordsOf } from './cut.ts'

export interface Indexed {
  id: bigint
  body: string
  author_label: string
  path: string
  /** Null for a plain message. */
  kind: string | null
  /** Null unless it is a question. */
  title: string | null
}

export interface Document {
  id: bigint
  /** In order; null where a word is not indexed. */
  words: (string | null)[]
  facets: string[]
}

/** Words of one text that are indexed, and how often each: `tsvector` keeps no more positions. */
const MAX_WORDS = 16_000
const MAX_PLACES = 256

export function documentOf(message: Indexed): Document {
  const { id, path, author_label: label, kind } = message
  const facets = [...pathsTo(path).map(facetOf.directory), facetOf.kind(kind ?? 'message')]
  if (label.trim() !== '') facets.push(facetOf.label(label))
  return { id, words: indexedWords(textOf(message)), facets }
}

/** A question's title and text are one text. */
export const textOf = ({ title, body }: Pick<Indexed, 'title' | 'body'>): string =>
  title === null ? body : `${title}\n${body}`

function indexedWords(text: string): (string | null)[] {
  const words: (string | null)[] = []
  const places = new Map<string, number>()
  for (const { word } of wordsOf(text)) {
    if (words.length === MAX_WORDS) break
    const count = (places.get(word) ?? 0) + 1
    places.set(word, count)
    words.push(count > MAX_PLACES ? null : word)
  }
  return words
}

/** The facets of a message, in forms that no word has. */
export const facetOf = {
  /** Stands for a directory and everything below it. */
  directory: (path: string): string => `/${path}`,
  kind: (kind: string): string => `:${kind}`,
  label: (label: string): string =>
    `:${hash('sha256', folded(label).trim().replaceAll(/\s+/g, ' ')).slice(0, 32)}`,
}

/** `a/b/c` -> `a`, `a/b`, `a/b/c` */
export const pathsTo = (path: string): string[] =>
  path.split('/').map((_, i, names) => names.slice(0, i + 1).join('/'))
