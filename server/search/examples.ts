// Chooses examples of queries that find something on this board.
import { newestMessages } from '../board/queries.ts'
import { compiled } from '../database/compiled.ts'
import type { Queryable } from '../database/database.ts'
import type { EntryKind } from '../database/schema/schema.ts'
import { wordsOf } from '../database/words/cut.ts'
import { isNotBlank } from '../wire/text.ts'

/** What examples of queries consist of. */
export interface Findable {
  /** Two words of one message. */
  words: readonly string[]
  /** Words that follow each other, and the beginning of a word, of one message. */
  phrase: string
  beginning: string
  /** A directory, and a day of which it has a message. */
  directory: string
  day: string
  /** A label, and the kind of a message under it. */
  label: string
  kind: EntryKind | 'message'
}

/** For a board on which nothing can be found. */
const INVENTED: Findable = {
  words: ['frost', 'beds'],
  phrase: 'far side of the bridge',
  beginning: 'rain',
  directory: 'river',
  day: '2026-11-01',
  label: 'mill lane',
  kind: 'question',
}

/** The newest messages, from which examples are taken. */
const CONSIDERED = 50

/** What is read of each [UTF-16 units]. */
const READ = 400

/** The length of the words in examples, and of a beginning [code points]. */
const WORD = { least: 4, most: 20, beginning: 4 }

const kindOf = compiled((db, { id }: { id: bigint }) =>
  db.selectFrom('entries').select('kind').where('message_id', '=', id),
)

export async function findableExamples(db: Queryable): Promise<Findable> {
  const newest = await newestMessages(db, CONSIDERED)
  const longest = newest.toSorted((a, b) => b.body.length - a.body.length)
  const [words] = longest.flatMap(({ body }) => wordsIn(body) ?? [])
  const [[place] = []] = [...Map.groupBy(newest, ({ directory }) => directory).values()].sort(
    (a, b) => b.length - a.length,
  )
  const signed = newest.find(({ author_label: label }) => isNotBlank(label) && !label.includes('"'))
  const [entry] = signed ? await kindOf(db, { id: signed.id }) : []
  return {
    ...INVENTED,
    ...words,
    ...(place && { directory: place.directory, day: place.publish_at.slice(0, 10) }),
    ...(signed && { label: signed.author_label, kind: entry?.kind ?? 'message' }),
  }
}

/** Returns what examples take of a text; undefined if it has too little, or an address, whose words are not found. */
function wordsIn(body: string): Pick<Findable, 'words' | 'phrase' | 'beginning'> | undefined {
  const found = body.includes('/') ? [] : [...wordsOf(body.slice(0, READ))]
  // The last word may be cut.
  const whole = body.length > READ ? found.slice(0, -1) : found
  const all = whole.map(({ from, to }) => body.slice(from, to))
  const isShort = (word: string) => [...word].length <= WORD.most && /^\p{L}+$/u.test(word)
  const long = [...new Set(all)]
    .filter((word) => isShort(word) && [...word].length >= WORD.least)
    .sort((a, b) => b.length - a.length)
  const phrase = all.slice(0, 3)
  if (long.length < 2 || !phrase.every(isShort)) return undefined
  return {
    words: long.slice(0, 2),
    phrase: phrase.join(' '),
    beginning: [...(long[0] ?? '')].slice(0, WORD.beginning).join(''),
  }
}
