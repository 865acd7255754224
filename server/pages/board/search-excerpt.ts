// Cuts the part of a text out that a search has found, and marks its words. Pure.
import { type Word, wordsOf } from '../../database/words/cut.ts'
import type { Term } from '../../database/words/engines.ts'

/** A piece of a text, which a query's words made or not. */
export interface Piece {
  text: string
  isFound: boolean
}

/** Words shown before the first that was found, and in all. */
const WORDS_BEFORE = 8
const WORDS_SHOWN = 36
/** Of a text whose words are long or far apart [UTF-16 units]. */
const MAX_LENGTH = 320

const CUT = '…'

/** Returns the part of a text around the first word that was found, or its beginning. */
export function excerptOf(text: string, terms: readonly Term[]): Piece[] {
  const words = [...wordsOf(text)]
  const found = foundIn(words, terms)
  const first = Math.max(0, (found.values().next().value ?? 0) - WORDS_BEFORE)
  const from = first === 0 ? 0 : (words[first]?.from ?? 0)
  const end = words[first + WORDS_SHOWN]?.from ?? text.length
  const to = Math.min(end, from + MAX_LENGTH)
  const pieces: Piece[] = []
  const add = (piece: string, isFound: boolean) => {
    if (piece !== '') pieces.push({ text: piece.toWellFormed(), isFound })
  }
  let at = from
  for (const i of found) {
    const word = words[i] as Word
    if (word.from < at || word.to > to) continue
    add(text.slice(at, word.from), false)
    add(text.slice(word.from, word.to), true)
    at = word.to
  }
  add(text.slice(at, to), false)
  if (from > 0) pieces.unshift({ text: `${CUT} `, isFound: false })
  if (to < text.length) pieces.push({ text: ` ${CUT}`, isFound: false })
  return pieces
}

/** Returns the indexes of the words that are part of a term, ascending. */
function foundIn(words: readonly Word[], terms: readonly Term[]): Set<number> {
  const found = new Set<number>()
  for (const start of words.keys())
    for (const term of terms)
      if (isAt(words, start, term)) for (const i of term.words.keys()) found.add(start + i)
  return new Set([...found].sort((a, b) => a - b))
}

const isAt = (words: readonly Word[], start: number, { words: wanted, isPrefix }: Term): boolean =>
  wanted.every((word, i) => {
    const there = words[start + i]?.word
    return isPrefix && i === wanted.length - 1 ? there?.startsWith(word) : there === word
  })
