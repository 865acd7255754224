// Finding messages by their words: the language of a query, its errors and its pages, on both engines.
// Rules: API.md 11.1-11.5.
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { raiseSequence } from '../../../server/database/records/sequences.ts'
import { searchPage } from '../../../server/pages/board/search.ts'
import { search } from '../../../server/search/queries.ts'
import { parseQuery } from '../../../server/search/rules.ts'
import { freePort } from '../../support/listen.ts'
import { operator } from '../../support/operator.ts'
import { idsOf } from '../../support/publish.ts'
import { clockAt, startTestService, type TestService } from '../../support/service.ts'

const clock = clockAt('2026-11-05T12:00:00.000Z')
let site: TestService
const address = (q: string, more = {}) => `/api/v1/search?${new URLSearchParams({ q, ...more })}`
const find = async (q: string) => idsOf(await site.client.get(address(q)))
const refusal = async (q: string) => {
  const { status, code, message } = await site.client.get(address(q))
  return { status, code, message }
}

beforeAll(async () => {
  site = await startTestService({}, clock)
  for (const path of ['river', 'river/bridge', 'sky']) await site.publish.directory(path)
  await site.client.post('/api/v1/messages', {
    directory: 'river',
    body: 'The river was high, very high.',
    author_label: 'Mill  Lane',
  })
  await site.client.post('/api/v1/messages', {
    directory: 'river/bridge',
    body: 'High water at the bridge: foo_bar a.b O’Brien’s ΣΙΣΥΦΟΣ',
    author_label: 'O’Brien',
  })
  clock.passTo('2026-11-06T23:59:59.999Z')
  await site.publish.message('sky', 'Über dem Fluß, 川の水位 <b>high</b> river:high')
  clock.passTo('2026-11-07T00:00:00.000Z')
  const { id } = await site.publish.investigation('sky', {
    title: 'Northern lights?',
    body: 'Or a lamp',
  })
  await site.publish.contribution(id, { kind: 'result', body: 'A lamp of Mill Lane.' })
})

describe('the language of a query', () => {
  test.each([
    ['high', [3n, 2n, 1n], 'a word, whatever its case'],
    ['HIGH river', [3n, 1n], 'words in any order'],
    ['hig', [], 'not a part of a word'],
    ['"river was"', [1n], 'words in quotation marks side by side'],
    ['"was river"', [], 'and in their order'],
    ['riv*', [3n, 1n], 'a prefix'],
    ['"the r" riv*', [], 'a quoted part is whole'],
    ['水*', [3n], 'a prefix of one character in a script without spaces'],
    ['uber', [3n], 'a word without its marks'],
    ["o'brien's", [2n], 'either apostrophe'],
    ['σισυφοσ ΣΊΣ*', [2n], 'a sigma, whether it ends a word or only the beginning of one'],
    ['foo_bar', [2n], 'a word that is cut'],
    ['bar_foo', [], 'whose parts are side by side'],
    ['"river:high"', [3n], 'a colon in quotation marks'],
    ['lights lamp', [4n], 'the title and the text of a question as one'],
    ['"lights or"', [4n], 'side by side across them'],
    ['mill', [5n], 'no label'],
    ['in:river', [2n, 1n], 'a directory with what is below it'],
    ['in:river/bridge high', [2n], 'an operator with a word'],
    ['In:"river/bridge"', [2n], 'a value in quotation marks'],
    ['in:riv', [], 'a directory that nobody has'],
    ['by:"mill lane"', [1n], 'a label'],
    ['by:mill', [], 'a part of a label'],
    ["by:O'BRIEN", [2n], 'a label with either apostrophe'],
    ['kind:question', [4n], 'questions'],
    ['kind:result lamp', [5n], 'entries of a kind'],
    ['kind:message', [3n, 2n, 1n], 'messages outside of investigations'],
    ['from:2026-11-06', [5n, 4n, 3n], 'since a day'],
    ['to:2026-11-06', [3n, 2n, 1n], 'until a day'],
    ['from:2026-11-06 to:2026-11-06', [3n], 'of a day'],
    ['from:2026-11-07 to:2026-11-06', [], 'of no day'],
    ['from:2027-01-01', [], 'of no day yet'],
    ['high OR lamp', [], 'OR as a word'],
    ['-high', [3n, 2n, 1n], 'a sign as nothing'],
  ] as [q: string, ids: bigint[], what: string][])('%s finds %o: %s', async (q, ids) => {
    expect(await find(q)).toEqual(ids)
  })

  test.each([
    ['', 'must have a word or an operator, such as in:river'],
    ['?! 🦊', 'must have a word or an operator, such as in:river'],
    ['a'.repeat(201), 'must have at most 200 characters'],
    ['ri*', 'ri* must have at least 3 letters or digits before the *'],
    ['*', '* must have at least 3 letters or digits before the *'],
    ['ri*ver', 'ri*ver has a * that is not at its end'],
    [
      '"the river*"',
      '"the river*" has a * that is not at the end of a word outside of quotation marks',
    ],
    ['say "high', '"high has a quotation mark without its other half'],
    ['colour:blue', 'colour:blue is no operator; put words with a colon in quotation marks'],
    ['constructor:x', 'constructor:x is no operator; put words with a colon in quotation marks'],
    [':', ': is no operator; put words with a colon in quotation marks'],
    ['in:river in:sky', 'in:sky repeats in:'],
    ['in:River', 'in:River names no directory; a path is such as river/bridge'],
    ['by:""', 'by:"" names nobody; a name has 1 to 80 characters'],
    ['from:2026-02-30', 'from:2026-02-30 names no day; a day is such as 2026-11-01'],
    ['to:', 'to: names no day; a day is such as 2026-11-01'],
    [
      'kind:foo',
      'kind:foo names no kind; there are question, observation, attempt, correction, result, use and message',
    ],
  ])('%s answers 400: %s', async (q, rule) => {
    expect(await refusal(q)).toEqual({ status: 400, code: 'invalid_query', message: `q: ${rule}` })
  })

  test('200 characters beyond the basic plane are no longer than 200', async () => {
    expect((await refusal(`high ${'🦊'.repeat(195)}`)).status).toBe(200)
  })

  test.each([
    ['q is missing', '/api/v1/search', 'invalid_query'],
    ['q is given twice', '/api/v1/search?q=a&q=b', 'invalid_query'],
    ['before is no id', '/api/v1/search?q=a&before=0', 'invalid_cursor'],
    ['limit is too large', '/api/v1/search?q=a&limit=101', 'invalid_limit'],
  ])('%s: 400', async (_, path, code) => {
    expect((await site.client.get(path)).code).toBe(code)
  })
})

describe('hostile queries', () => {
  const PARTS = [
    ...['high', 'river', 'a', 'OR', 'NEAR', 'in:', 'words', '; drop table messages', 'ﷺ'],
    ...[...'\'"*:-_%/\\^&|!(){}[]<>,+=~#. \0'],
    ...['<->', '\ud800', '\u202e', '\u200b', '\u200d', '\ufeff', '\u0301'],
  ]
  const hostile = fc.array(fc.constantFrom(...PARTS), { maxLength: 60 })

  test('any query is answered with 200 or 400', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, async (parts) => {
        const q = parts.join('')
        const page = await site.client.get(`/search?${new URLSearchParams({ q })}`)
        expect([200, 400]).toContain((await site.client.get(address(q))).status)
        expect([200, 400]).toContain(page.status)
      }),
    )
  })

  test.each(['%', '%zz', '%ff%fe', '%00', `"${'x'.repeat(10_000)}`, '%F0%9F'])(
    'q=%.20s is answered with 200 or 400',
    async (q) => {
      const { status } = await site.client.get(`/api/v1/search?q=${q}`)
      expect([200, 400]).toContain(status)
    },
  )
})

describe('pages of results', () => {
  test.each([
    { ids: 1n, messages: 1_000 },
    { ids: 2n, messages: 1_000 },
    { ids: 100n, messages: 1 },
  ])('a bound of $ids ids and $messages messages repeats and leaves out none', async (bound) => {
    const found = await site.inDatabase(async ({ db }) => {
      const ids: bigint[] = []
      let before: bigint | undefined
      while (before !== 0n) {
        const query = parseQuery('lamp')
        const { rows, next, searchedTo } = await search(db, { query, before, limit: 1 }, bound)
        ids.push(...rows.map(({ id }) => id))
        // A page that is not full says how far it has looked.
        if (rows.length === 0) expect(searchedTo === null).toBe(next === 0n)
        expect(next < (before ?? 100n)).toBe(true)
        before = next
      }
      return ids
    })
    expect(found).toEqual([5n, 4n])
  })

  test('a page that stopped at its bound says how far it has looked, and goes on from there', () => {
    const found = { rows: [], next: 5n, searchedTo: 1_746_230_400_000n, isFirst: true }
    const page = searchPage({
      ...{ text: 'lamp', examples: undefined, fault: undefined, isClosed: false, weekFrom: '' },
      found: { ...found, answers: new Map(), query: parseQuery('lamp'), directories: [], near: [] },
    })
    expect(page).toContain(
      'Searched back to <time datetime="2025-05-03">Saturday, 3 May 2025</time>.',
    )
    expect(page).toContain(
      '<a href="/search?q=lamp&amp;before=5" rel="next">Search further back</a>',
    )
    expect(page).toContain('Nothing was found here.')
  })
})

describe('pages', () => {
  test('a result shows its directory, its day and its words, which are marked, and markup stays text', async () => {
    const { text } = await site.client.get('/search?q=high+in:sky')
    expect(text).toContain('川の水位 &lt;b&gt;<mark>high</mark>&lt;/b&gt; river:<mark>high</mark>')
    expect(text).toContain('<time datetime="2026-11-06T23:59:59.999Z">6 Nov 2026 23:59</time>')
    expect(text).toContain('<a href="/d/sky">sky</a>')
    expect(text).toMatch(/href="\/search\?q=high\+in%3Asky\+from%3A2026-1\d-\d\d">last 7 days</)
  })

  test('a question shows its title, and a phrase is marked only where its words are side by side', async () => {
    const { text } = await site.client.get(`/search?${new URLSearchParams({ q: '"a lamp"' })}`)
    expect(text).toContain('Or <mark>a</mark> <mark>lamp</mark>')
    expect(text).toContain('<mark>A</mark> <mark>lamp</mark> of Mill Lane.')
    expect(text).toContain('">Northern lights?</a></h2>')
  })

  test('a long text shows the part around its first word', async () => {
    const before = Array.from({ length: 500 }, (_, i) => `w${i}`).join(' ')
    await site.publish.message('sky', `${before} kingfisher ${before}`)
    const { text } = await site.client.get('/search?q=kingfisher')
    expect(text).toMatch(
      /<p class="excerpt" dir="auto">… w492 .* w499 <mark>kingfisher<\/mark> w0 .* …<\/p>/,
    )
  })

  const examplesOf = async ({ client }: TestService) => {
    const { text } = await client.get('/search')
    const urls = [...text.matchAll(/<dt><a href="(.*?)">/g)]
    expect(urls).toHaveLength(4)
    return Promise.all(urls.map(([, url = '']) => client.get(url.replaceAll('&amp;', '&'))))
  }

  test('without a query the page says how to ask, with four examples that find something', async () => {
    for (const { status, text } of await examplesOf(site)) {
      expect(status).toBe(200)
      expect(text).toContain('<article class="message found">')
    }
  })

  test('the examples of an empty board are valid, and find nothing; a directory too long for a query is none', async () => {
    const empty = await startTestService()
    for (const { status, text } of await examplesOf(empty)) {
      expect(status).toBe(200)
      expect(text).toContain('No message was found.')
    }
    const path = Array.from({ length: 4 }, () => 'a'.repeat(60))
    for (const i of path.keys()) await empty.publish.directory(path.slice(0, i + 1).join('/'))
    await empty.publish.message(path.join('/'))
    for (const { status } of await examplesOf(empty)) expect(status).toBe(200)
  })

  test('the examples have no word and no name of a message', async () => {
    const { text } = await site.client.get('/search')
    const queries = [...text.matchAll(/<dt><a [^>]*><code>(.*?)<\/code>/g)].map(
      ([, query]) => query,
    )
    expect(queries).toEqual(['sky', 'sky*', 'in:sky', 'sky from:2026-11-07'])
  })

  test('above the messages are their number and the directories with the words in their paths', async () => {
    await site.publish.directory('sky/northern-lights')
    const { text } = await site.client.get('/search?q=northern+light*')
    expect(text).toContain('<a href="/d/sky/northern-lights">northern-lights</a></span> 0 messages')
    expect(text).toMatch(/<p class="lead">\d+ messages?<\/p>/)
    for (const part of ['north', 'orthern', 'thern*'])
      expect((await site.client.get(`/search?q=${part}`)).text).not.toContain('northern-lights')
    expect((await site.client.get('/search?q=lamp&limit=1')).text).toContain(
      'The newest 1 message<',
    )
  })

  test('kind:use is kind:reuse', async () => {
    const [use, reuse] = await Promise.all(
      ['use', 'reuse'].map((kind) => site.client.get(`/api/v1/search?q=kind:${kind}`)),
    )
    expect(use).toMatchObject({ status: 200, json: reuse?.json })
  })

  test('an invalid query is on the page again, with the sentence that names its part', async () => {
    const { status, text } = await site.client.get('/search?q=colour:%22blue%22')
    expect(status).toBe(400)
    expect(text).toContain('value="colour:&quot;blue&quot;"')
    expect(text).toContain('colour:&quot;blue&quot; is no operator')
    // A part that reverses what follows would make the sentence unreadable.
    expect((await site.client.get('/search?q=%E2%80%AEcolour:blue')).text).toContain(
      '<bdi>colour:blue is no operator; put words',
    )
  })

  test('errors offer the search', async () => {
    for (const path of ['/nothing', '/messages/99', '/d/none'])
      expect((await site.client.get(path)).text).toContain(
        '<form class="search" role="search" aria-label="Words to find"',
      )
  })

  test('results are in no index of others, and cached as the list of messages', async () => {
    for (const path of ['/search?q=high', '/api/v1/search?q=high']) {
      const { headers } = await site.client.get(path)
      const fields = ['x-robots-tag', 'cache-control', 'access-control-allow-origin']
      expect(fields.map((name) => headers.get(name))).toEqual(['noindex', 'no-cache', '*'])
      expect(
        (await site.client.get(path, { 'if-none-match': `${headers.get('etag')}` })).status,
      ).toBe(304)
    }
    const { json } = await site.client.get('/search?q=high', { accept: 'application/json' })
    expect(json).toEqual((await site.client.get('/api/v1/search?q=high')).json)
  })

  test('a date leads to the page of a directory that begins with the messages of that day, and back to the newest', async () => {
    const on = async (day: string) => {
      const { text } = await site.client.get(`/d/sky?on=${day}`)
      expect(text).toContain('<a href="/d/sky">Newest first</a>')
      return [...text.matchAll(/id="message-(\d+)"/g)].map(([, id]) => Number(id))
    }
    expect(await on('2026-11-06')).toEqual([3])
    expect(await on('2026-11-07')).toEqual([6, 5, 4, 3])
    expect(await on('2026-11-05')).toEqual([])
    expect((await site.client.get('/d/sky?on=2026-13-01')).status).toBe(400)
    expect((await site.client.get('/d/sky?on=2026-11-06&messages_before=3')).status).toBe(400)
    expect((await site.client.get('/d/sky')).text).toContain(
      '<input id="on" type="date" name="on" required min="2026-11-05" max="2026-11-07">',
    )
  })
})

describe('what is close to a query that finds few', () => {
  let board: TestService
  beforeAll(async () => {
    board = await startTestService()
    const { directory, message } = board.publish
    for (const path of ['sky', 'sky/aurora', 'ink']) await directory(path)
    await message('sky/aurora', 'A green light')
    await message('sky', 'The first robin sang')
    await message('sky', 'Robins by the lamp')
    for (const word of ['one', 'two', 'three', 'four']) await message('ink', `Ink ${word}`)
    const signed = { directory: 'sky', body: 'Clear.', author_label: 'Mill Lane' }
    await board.client.post('/api/v1/messages', signed)
  })

  test.each([
    ['aurora', '</span>: 1 message</h2>', ['1'], 'messages of the directory that it names'],
    ['aurora week', 'No message has all of these words.', ['1'], 'those that one word names'],
    ['robin', '<h2>Words that begin with “robin”', ['3'], 'words that begin alike'],
    ['robins', '<h2>Words that begin with “robin”', ['2'], 'words with fewer letters'],
    ['robin in:sky/aurora', 'No message was found.', [], 'nothing beyond its operators'],
    ['ink', '<p class="lead">4 messages', ['7', '6', '5', '4'], 'nothing, where it finds four'],
    ['mill lane', '<h2>Under the name <bdi>“mill lane”', ['8'], 'messages of that author'],
  ])('%s is followed after %s by %j: %s', async (q, heading, ids) => {
    const { text } = await board.client.get(`/search?${new URLSearchParams({ q })}`)
    const [, below] = text.split(heading)
    const shown = below?.matchAll(
      /class="message found">\n<p class="meta"><a href="\/messages\/(\d+)"/g,
    )
    expect([...(shown ?? [])].map(([, id]) => id)).toEqual(ids)
    expect(below).toBeDefined()
  })

  test('a directory leads to all of its messages if there are more than are shown', async () => {
    const { directory, message } = board.publish
    await directory('weir')
    const all = async () => /All \d+/.exec((await board.client.get('/search?q=weir')).text)?.[0]
    for (let i = 0; i < 5; i++) await message('weir')
    expect(await all()).toBeUndefined()
    await message('weir')
    expect(await all()).toBe('All 6')
  })

  test.each([
    ['a word of two letters and a mark', 'ne\u0301'],
    ['a word that ends with two letters in another script', '東京tv'],
    ['a word in a path too long for a query', 'nest'],
  ])('%s is no invalid query', async (_, q) => {
    const path = [...Array.from({ length: 4 }, () => 'b'.repeat(60)), 'nest']
    const { directory, message } = board.publish
    for (const i of path.keys())
      await directory(path.slice(0, i + 1).join('/')).catch(() => undefined)
    await message(path.join('/'), 'deep')
    const { status, text } = await board.client.get(`/search?${new URLSearchParams({ q })}`)
    expect(status).toBe(200)
    expect(text).not.toContain('role="alert"')
  })

  test('on a large board, the beginnings of one word are looked for, and not those of several', async () => {
    const alike = async (q: string) => {
      const { text } = await board.client.get(`/search?${new URLSearchParams({ q })}`)
      return text.includes('<h2>Words that begin')
    }
    expect(await alike('robins lamps')).toBe(true)
    await board.inDatabase(({ write }) => write((tx) => raiseSequence(tx, 'message', 100_001n)))
    expect(await alike('robins lamps')).toBe(false)
    expect(await alike('lamps')).toBe(true)
  })
})

describe('moderation', () => {
  test('what is hidden, or below a hidden directory, is not found until it is shown', async () => {
    const moderated = async (act: string, ...target: string[]) => {
      expect((await operator(site, [act, ...target, '--reason', 'r'])).code).toBe(0)
      return find('high')
    }
    expect(await moderated('hide', 'message', '3')).toEqual([2n, 1n])
    expect(await moderated('hide', 'directory', 'river')).toEqual([])
    expect(await find('in:river')).toEqual([])
    expect(await moderated('show', 'directory', 'river')).toEqual([2n, 1n])
    expect(await moderated('show', 'message', '3')).toEqual([3n, 2n, 1n])
  })

  test('in read-only mode the search works, and no log and no metric has a query', async () => {
    const port = await freePort()
    await site.restart({ READ_ONLY: '1', METRICS_PORT: String(port) })
    expect(await find('high')).toEqual([3n, 2n, 1n])
    for (const q of ['plover', 'colour:plover', '"plover', `plover ${'x'.repeat(300)}`]) {
      await site.client.get(address(q))
      await site.client.get(`/search?${new URLSearchParams({ q })}`)
    }
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    expect(metrics).toContain('route="/api/v1/search",method="GET",status="400"')
    expect([metrics, ...site.complaints].filter((text) => text.includes('plover'))).toEqual([])
  })
})

test('around a repair of the clock, where times do not ascend, days hold for each message', async () => {
  const publish_at = BigInt(Date.parse('2026-11-07T00:00:00.000Z'))
  await site.inDatabase((database) =>
    database.write((tx) =>
      tx.updateTable('messages').set({ publish_at }).where('id', '=', 2n).execute(),
    ),
  )
  expect(await find('to:2026-11-06')).toEqual([3n, 1n])
})
