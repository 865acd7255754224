// The index of words: the same words on every engine, and none of what was erased.
// Rules: API.md 11.2, 11.4; COMMANDS.md 6.4.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { directoryCreation, messageCreation } from '../../../server/board/creations.ts'
import type { Database } from '../../../server/database/database.ts'
import { wordsOf } from '../../../server/database/words/cut.ts'
import type { Term } from '../../../server/database/words/engines.ts'
import { findMessages } from '../../../server/database/words/messages.ts'
import { investigationCreation } from '../../../server/investigations/creations.ts'
import { eraseMessage } from '../../../server/moderation/erase.ts'
import { moderate } from '../../../server/moderation/queries.ts'
import { publishAt } from '../../../server/publishing/batch.ts'
import { parseQuery } from '../../../server/search/rules.ts'
import { system } from '../../../server/system/system.ts'
import { databaseIn, ON_POSTGRES, openDatabaseIn } from '../../support/database.ts'
import { readDocument } from '../../support/documents.ts'
import { operator } from '../../support/operator.ts'
import { statement } from '../../support/postgres.ts'
import { temporaryFolder } from '../../support/release.ts'

let dir: string
let database: Database
beforeEach(async () => {
  dir = temporaryFolder()
  database = await openDatabaseIn(dir)
  await database.write((tx) =>
    publishAt(tx, directoryCreation, { path: 'lab', author_label: '' }, WHEN),
  )
})

const WHEN = { at: 1e12, randomHex: system.randomHex }

const say = async (body: string): Promise<bigint> => {
  const input = { directory: 'lab', body, author_label: '' }
  const { message_id } = await database.write((tx) => publishAt(tx, messageCreation, input, WHEN))
  return message_id
}

const find = (terms: readonly Term[]) =>
  findMessages(database.db, terms, { from: 1n, before: 1_000n, limit: 1_000 })

const erase = (id: bigint) =>
  database.write(async (tx) => {
    await moderate(tx, { act: 'hide', kind: 'message', id, reason: 'r' }, 0)
    await eraseMessage(tx, { id, reason: 'r' }, 0)
  })

/** Texts of every kind of script, with marks, words that repeat, and code. */
const PIECES = [
  ..."Der Fluß|überall|O’Brien’s|dogs'|ação|não|ΣΊΣΥΦΟΣ|ёлка|İstanbul|ﬁsh".split('|'),
  ...['川の水位が上がった', 'カﾞラス', 'น้ำในแม่น้ำสูงมาก', 'مُحَمَّد', 'ﷺ', 'שָׁלוֹם', 'हिन्दी', '한국어'],
  ..."👩‍🔬|🦊fox|for(let i=0;i<a.length;i++)|select 'x'|foo_bar|a:*|it''s|\\|½ km".split('|'),
  ...['\u200f', '\u200d', '\u0301', '\n', ' ', '-', '"', '１２３'],
]
const text = fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'grapheme' })), {
  minLength: 1,
  maxLength: 12,
})

test('each engine finds exactly the texts that have the words, side by side or by their beginning', async () => {
  const sample = fc.sample(text, { numRuns: 150, seed: 31 })
  const texts = sample.map((parts) => parts.join(' ')).filter((body) => body.trim() !== '')
  const words = new Map<bigint, string[]>()
  for (const body of texts)
    words.set(
      await say(body),
      [...wordsOf(body)].map(({ word }) => word),
    )
  const idsWith = (isIn: (words: string[]) => boolean) =>
    [...words]
      .filter(([, own]) => isIn(own))
      .map(([id]) => id)
      .reverse()
  for (const own of words.values())
    for (const [i, word] of own.entries()) {
      expect([word, await find([{ words: [word], isPrefix: false }])]).toEqual([
        word,
        idsWith((others) => others.includes(word)),
      ])
      const [pair, start] = [own.slice(i, i + 2), [...word].slice(0, 3).join('')]
      expect(await find([{ words: pair, isPrefix: false }])).toEqual(
        idsWith((others) => others.some((_, at) => pair.every((one, j) => others[at + j] === one))),
      )
      expect(await find([{ words: [start], isPrefix: true }])).toEqual(
        idsWith((others) => others.some((other) => other.startsWith(start))),
      )
    }
})

/** Whether a word is in a file of a folder, by default that of the database. */
const isOnDisk = (word: string, folder = dir): boolean =>
  readdirSync(folder).some((name) => readFileSync(join(folder, name)).includes(word))

test.skipIf(ON_POSTGRES)('what is erased leaves no word in a file of the database', async () => {
  const secret = 'qxzwvkjmarker'
  // Other messages before and after it, so that its words are in the middle of pages of the index.
  for (let i = 0; i < 60; i++) await say(`qxzwvk${i} other words ${i}`)
  const id = await say(`The ${secret} of ${secret}2.`)
  for (let i = 0; i < 60; i++) await say(`qxzwvz${i} other words ${i}`)
  expect(isOnDisk(secret)).toBe(true)
  await database.write((tx) => moderate(tx, { act: 'hide', kind: 'message', id, reason: 'r' }, 0))
  const { code } = await operator({ dataDir: dir, clock: system.clock }, [
    ...['erase', 'message', String(id), '--reason', 'r'],
  ])
  expect(code).toBe(0)
  expect(isOnDisk(secret)).toBe(false)
  expect(isOnDisk(secret.slice(6))).toBe(false)
  expect(await find([{ words: ['words'], isPrefix: false }])).toHaveLength(120)
})

test.runIf(ON_POSTGRES)(
  'the statements of OPERATING.md 5 leave no word of what is erased in a file of the tables, their indexes and statistics',
  async () => {
    const [url, secret] = [await databaseIn(dir), 'marigoldenrod']
    // Few and short, so that the statistics about them are not compressed.
    for (const i of [1, 2, 3]) await say(`${secret} ${i}`)
    await say('stays')
    await statement(url, 'analyze')
    const folder = await statement(
      url,
      `select current_setting('data_directory') || '/base/' || oid from pg_database where datname = current_database()`,
    )
    const isThere = async () => {
      await statement(url, 'checkpoint')
      return isOnDisk(secret, folder)
    }
    expect(await isThere()).toBe(true)
    for (const id of await find([{ words: [secret], isPrefix: false }])) await erase(id)
    const [, row = ''] =
      /^ *\| PostgreSQL \|(.*)$/m.exec(readDocument('server/deploy/OPERATING.md')) ?? []
    // Again while the statistics of the system's own tables are gathered, whose transaction keeps old rows.
    const statements = async () => {
      for (const [, text = ''] of row.matchAll(/-c '(.*?)'/g)) await statement(url, text)
      return isThere()
    }
    await expect.poll(statements, { timeout: 60_000 }).toBe(false)
  },
)

test.skipIf(ON_POSTGRES)(
  'what is erased is forgotten, too, after an update that cuts texts otherwise, or if its text was altered',
  async () => {
    const [kept, first, second] = [
      await say('kept'),
      await say('marigold one'),
      await say('cornflower two'),
    ]
    const sqlite = new DatabaseSync(join(dir, 'daysignal.sqlite'))
    sqlite.exec(`insert into message_words (message_words, rowid, words)
    values ('delete', 0, ':icu${process.versions.icu}')`)
    await erase(first)
    sqlite.exec(`update messages set body = 'altered altered altered' where id = ${second}`)
    sqlite.close()
    await erase(second)
    await database.overwriteDeleted?.()
    expect(['marigold', 'cornflower'].filter((word) => isOnDisk(word))).toEqual([])
    expect(await find([{ words: ['kept'], isPrefix: false }])).toEqual([kept])
  },
)

test('an import indexes what it writes: messages, questions with their titles, and kinds', async () => {
  const text = { body: 'Seen at dusk.', author_label: '', sources: [] }
  const question = { directory: 'lab', title: 'Which nebula?', ...text }
  await database.write((tx) => publishAt(tx, investigationCreation, question, WHEN))
  await say('A plain nebula.')
  const file = join(temporaryFolder(), 'board.jsonl')
  const other = temporaryFolder()
  const imported = await openDatabaseIn(other)
  const [from, to] = [
    { dataDir: dir, clock: system.clock },
    { dataDir: other, clock: system.clock },
  ]
  expect((await operator(from, ['export', file])).code).toBe(0)
  expect((await operator(to, ['import', file])).code).toBe(0)
  for (const { words, facets } of ['nebula', 'nebula dusk', 'nebula kind:question'].map(
    parseQuery,
  )) {
    const ask = (at: Database) =>
      findMessages(at.db, [...words, ...facets], { from: 1n, before: 9n, limit: 9 })
    expect((await ask(imported)).length).toBeGreaterThan(0)
    expect(await ask(imported)).toEqual(await ask(database))
  }
})
