// Chooses examples of queries that find something on this board.
import { newestMessages } from '../board/queries.ts'
import type { Queryable } from '../database/database.ts'
import { wordsOf } from '../database/words/cut.ts'
import { isNotBlank } from '../wire/text.ts'

/** Queries for two words, for words in their order and a beginning, for a directory since a day, and for a label. */
export type Examples = [words: string, phrase: string, directory: string, label: string]

/** For a board on which nothing can be found. */
const INVENTED: Examples = [
  'frost beds',
  '"far side of the bridge" rain*',
  'in:river from:2026-11-01',
  'by:"mill lane"',
]

/** The newest messages, from which examples are taken, and what is read of each [UTF-16 units]. */
const [CONSIDERED, READ] = [50, 400]

/** A query has a bound, and an example is to fit on a phone [characters]. */
const MAX_PATH = 40

export async function findableExamples(db: Queryable): Promise<Examples> {
  const newest = await newestMessages(db, CONSIDERED)
  const [words, phrase] = newest.flatMap(({ body }) => ofWords(body) ?? [])
  const place = newest.find(({ directory }) => directory.length <= MAX_PATH)
  const signed = newest.find(({ author_label: label }) => isNotBlank(label) && !label.includes('"'))
  return [
    words ?? INVENTED[0],
    phrase ?? INVENTED[1],
    place ? `in:${place.directory} from:${place.publish_at.slice(0, 10)}` : INVENTED[2],
    signed ? `by:"${signed.author_label}"` : INVENTED[3],
  ]
}

/** Returns the first two examples; undefined for a text that has too few words, or an address, which is not shown as it is. */
function ofWords(body: string): [words: string, phrase: string] | undefined {
  if (body.includes('/')) return undefined
  // The last word may be cut.
  const all = [...wordsOf(body.slice(0, READ))]
    .slice(0, -1)
    .map(({ from, to }) => body.slice(from, to))
  const phrase = all.slice(0, 3)
  const [first, second] = [...new Set(all)]
    .filter((word) => /^\p{L}{4,20}$/u.test(word))
    .sort((a, b) => b.length - a.length)
  if (!first || !second || !phrase.every((word) => /^\p{L}{1,20}$/u.test(word))) return undefined
  return [`${first} ${second}`, `"${phrase.join(' ')}" ${[...first].slice(0, 4).join('')}*`]
}
