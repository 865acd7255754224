// Cuts texts into words: the only form in which texts are searched, the same in the index and in a query (API.md 11.2).
// Pure. An index is only in step with its texts while Node's ICU, which knows where words end, is the same.

/** A word as it is searched, and where it is in the text [UTF-16 units]. */
export interface Word {
  word: string
  from: number
  to: number
}

/** In the root locale, so that the words of a text do not depend on the machine. */
const SEGMENTS = new Intl.Segmenter('und', { granularity: 'word' })

const PIECES = /[\p{L}\p{M}\p{Nd}'\u2019]+/gu
const ASCII_WORD = /^[a-z0-9]+$/i
const LETTER_OR_DIGIT = /[\p{L}\p{Nd}]/u

/** The scripts in which a mark only modifies a letter. Elsewhere, as in Thai, it is a letter of its own. */
const MARKED =
  /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}])\p{M}+/gu

/** A longer word counts as its beginning [code points]; PostgreSQL stores at most 2 KiB. */
const MAX_WORD = 64

/** Returns a text as it is compared: without differences of case, width, apostrophes and, in some scripts, marks. */
export function folded(text: string): string {
  // A sigma in lower case depends on what follows it, which the beginning of a word does not have.
  const lower = text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ').replaceAll('’', "'")
  return lower.normalize('NFD').replaceAll(MARKED, '$1').normalize('NFC')
}

/** Yields the words of a text in order. One that stands for several, as a ligature of words does, has the place of all. */
export function* wordsOf(text: string): Generator<Word> {
  for (const { segment, index, isWordLike } of SEGMENTS.segment(text)) {
    if (!isWordLike) continue
    if (ASCII_WORD.test(segment)) yield wordAt(segment.toLowerCase(), index, segment.length)
    else
      for (const piece of segment.matchAll(PIECES))
        for (const word of wordsOfPiece(piece[0]))
          yield wordAt(word, index + piece.index, piece[0].length)
  }
}

const wordAt = (word: string, from: number, length: number): Word => ({
  word: word.length > MAX_WORD ? [...word].slice(0, MAX_WORD).join('') : word,
  from,
  to: from + length,
})

function* wordsOfPiece(piece: string): Generator<string> {
  for (const [part] of folded(piece).matchAll(PIECES)) {
    const word = part.replaceAll(/^'+|'+$/g, '')
    if (LETTER_OR_DIGIT.test(word)) yield word
  }
}
