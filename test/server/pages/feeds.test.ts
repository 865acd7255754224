// The Atom feeds, the guide and the API page for people, the icon and robots.txt (API.md 2.6, 2.8).
// Rules: API.md 2.8, 2.10.
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import type { MessageRecord } from '../../../server/board/api.ts'
import { raiseSequence } from '../../../server/database/records/sequences.ts'
import { ENDPOINTS } from '../../../server/openapi/document.ts'
import { atomFeed, messageFeed } from '../../../server/pages/feeds/feeds.ts'
import { firstWords } from '../../../server/pages/parts/user-text.ts'
import { pathTemplate } from '../../../server/wire/endpoint.ts'
import { act } from '../../support/operator.ts'
import { startTestService } from '../../support/service.ts'
import { startSite } from './site.ts'

const HOSTILE = {
  line: `"'><script>alert(1)</script>&lt;]]>`,
  text: 'one\r\ntwo <b> & ]]> "quoted" \u202e\u0301 🦔\n',
  url: 'frost',
}

const site = await startSite(HOSTILE)

const get = (path: string, headers?: Record<string, string>) =>
  site.service.client.get(path, headers)

/** Parses text as XML does: normalizes line ends first, then resolves entities. */
const parsed = (text: string): string =>
  text.replaceAll(/\r\n?/g, '\n').replaceAll(/&(lt|gt|quot|amp|#39|#13);/g, (_, name: string) => {
    const characters: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'" }
    return characters[name] ?? '\r'
  })

const elements = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}(?: [^>]*)?>([^<]*)</${name}>`, 'g'))].map(([, text = '']) =>
    parsed(text),
  )
const links = (xml: string, rel: string): string[] =>
  [...xml.matchAll(new RegExp(`<link rel="${rel}"[^>]* href="([^"]*)"/>`, 'g'))].map(
    ([, href = '']) => href,
  )

describe('the feeds of parts of the board', () => {
  test('a directory has a feed of exactly its messages, to which its page links', async () => {
    const { status, text } = await get('/feed.atom?directory=lab')
    expect([status, elements(text, 'title')[0]]).toEqual([200, 'Daysignal: lab'])
    const pages = links(text, 'alternate')
    expect(pages[0]).toBe(`${site.service.url}/d/lab`)
    const { json } = await get('/api/v1/messages?directory=lab&limit=100')
    const { messages } = json as { messages: { id: bigint }[] }
    const newest = messages.slice(-30).reverse()
    expect(pages.slice(1)).toEqual(newest.map(({ id }) => `${site.service.url}/messages/${id}`))
    expect((await get('/d/lab')).text).toContain('href="/feed.atom?directory=lab"')
  })

  test('a directory without messages has an empty feed, and a missing one has none', async () => {
    await site.service.client.post('/api/v1/directories', { path: 'quiet' })
    expect(links((await get('/feed.atom?directory=quiet')).text, 'alternate')).toHaveLength(1)
    expect((await get('/feed.atom?directory=nowhere')).status).toBe(404)
    expect((await get('/feed.atom?directory=%3C')).status).toBe(400)
  })

  test('an investigation has a feed of its question and entries, to which its page links', async () => {
    const { status, text } = await get('/investigations/1.atom')
    expect([status, elements(text, 'title')[0]]).toEqual([200, `Daysignal: ${HOSTILE.line}`])
    const { json } = await get('/investigations/1.json?limit=100')
    const detail = json as {
      investigation: { url: string }
      entries: { url: string }[]
    }
    const urls = [...detail.entries.map(({ url }) => url).reverse(), detail.investigation.url]
    expect(links(text, 'alternate').slice(1)).toEqual(urls.map((url) => site.service.url + url))
    expect((await get('/investigations/1')).text).toContain('href="/investigations/1.atom"')
    expect((await get('/investigations/99.atom')).status).toBe(404)
  })
})

describe('the feed of messages', () => {
  test('it lists the newest messages first, with their text verbatim', async () => {
    const { status, headers, text } = await get('/feed.atom')
    expect([status, headers.get('content-type')]).toEqual([
      200,
      'application/atom+xml; charset=utf-8',
    ])
    const bodies = elements(text, 'content')
    expect(bodies).toHaveLength(30)
    expect(bodies[0]).toBe(HOSTILE.text)
    const urls = links(text, 'alternate').slice(1)
    const newest = (await get('/api/v1/messages?limit=100')).json as { messages: { id: bigint }[] }
    expect(urls[0]).toBe(`${site.service.url}/messages/${newest.messages.at(-1)?.id}`)
    expect(elements(text, 'id')[1]).toBe(urls[0])
    expect(elements(text, 'name')[0]).toBe(HOSTILE.line)
    expect(elements(text, 'updated')[0]).toBe(elements(text, 'updated')[1])
  })

  test('an entry has an author, as Atom requires, even if its message names none', async () => {
    const { json } = await get('/messages/1.json')
    const nameless = { ...(json as MessageRecord), author_label: '' }
    expect(elements(messageFeed([nameless], new Map(), 'http://x'), 'name')).toEqual([
      'no name given',
    ])
  })

  test('an XML parser reads back any text in it unchanged', () => {
    const entry = { url: 'http://x/1', title: 't', at: '2026-11-20T00:00:00.000Z', enclosures: [] }
    const unit = fc.oneof(
      fc.constantFrom('\r', '\n', '&', '<', '>', '"', ']]>', '&#13;'),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(unit), (units) => {
        const text = units.join('')
        const feed = { title: '', subtitle: '', self: '', page: '' }
        const xml = atomFeed({
          ...feed,
          entries: [{ ...entry, author: text, content: { type: 'text', value: text } }],
        })
        expect(elements(xml, 'content')).toEqual([text])
        expect(elements(xml, 'name')).toEqual([text])
      }),
    )
  })
})

describe('the feed of days', () => {
  test('it lists the days, newest first, with their available media', async () => {
    const { text } = await get('/transmissions/feed.atom')
    const days = elements(text, 'title').slice(1)
    expect(days.map((title) => title.split(': ')[0])).toEqual([
      '19 November 2026',
      '18 November 2026',
      '17 November 2026',
      '16 November 2026',
    ])
    expect(days[0]).toMatch(/ counted, and the service was up all day\.$/)
    const enclosures = links(text, 'enclosure')
    expect(enclosures).toHaveLength(10)
    expect(enclosures.filter((url) => url.includes('/2026-11-18/'))).toHaveLength(1)
    const head = await site.service.client.head(new URL(enclosures[0] as string).pathname)
    expect(text).toContain(
      `type="${head.headers.get('content-type')}" length="${head.headers.get('content-length')}"`,
    )
  })

  test('an entry shows the picture and the numbers of its day', async () => {
    const { text } = await get('/transmissions/feed.atom')
    expect(text).toContain('<content type="html">')
    const [content = ''] = elements(text, 'content')
    const [, picture = ''] = /<img src="([^"]+\.png)" /.exec(content) ?? []
    expect(links(text, 'enclosure')).toContain(picture)
    expect(content).toMatch(/<li>Messages: \d+<\/li>/)
  })
})

const propertyIn = (text: string) => (name: string) =>
  text.match(new RegExp(`<meta (?:name="\\w+" )?property="og:${name}" content="([^"]*)">`))?.[1]

test('the page of a day gives link previews its absolute URL, a description, its picture and its film; the front page, its own URL and the newest picture', async () => {
  const { url } = site.service
  const { text } = await get('/transmissions/2026-11-19')
  const property = propertyIn(text)
  expect(property('url')).toBe(`${url}/transmissions/2026-11-19`)
  expect(property('title')).toMatch(/^2026-11-19: ./)
  expect(property('description')).toMatch(/counted, and the service was up all day\.$/)
  const front = propertyIn((await get('/')).text)
  expect([front('url'), front('type'), front('title')]).toEqual([`${url}/`, 'website', 'Daysignal'])
  expect(front('image')).toBe(property('image'))
  const image = new URL(property('image') as string)
  expect(image.href).toBe(url + image.pathname)
  expect((await site.service.client.head(image.pathname)).headers.get('content-type')).toBe(
    'image/png',
  )
  expect([property('image:width'), property('image:height')]).toEqual(['64', '36'])
  const video = new URL(property('video') as string)
  expect(video.href).toBe(url + video.pathname)
  const { headers } = await site.service.client.head(video.pathname)
  expect(headers.get('content-type')).toBe(property('video:type'))
  expect(Number(property('video:width'))).toBeGreaterThan(0)
})

test('the title of a message is its first words, and its number where it has none', () => {
  expect(firstWords('Ice on\n\n the  bank.', 60)).toBe('Ice on the bank.')
  expect(firstWords(`one ${'word '.repeat(100)}`, 60)).toBe(
    'one word word word word word word word word word word word …',
  )
  expect(firstWords('x'.repeat(61), 60)).toBe(`${'x'.repeat(60)} …`)
  expect(firstWords('\u2003\n '.repeat(1000), 60)).toBe('')
})

test.each([
  ['/messages/1', '/messages/1.json'],
  ['/investigations/1?limit=1', '/investigations/1.json'],
  ['/transmissions/2026-11-19', '/transmissions/2026-11-19.json'],
  ['/directories'],
  ['/investigations'],
  ['/transmissions'],
  ['/follow'],
  ['/how-it-works'],
])(
  'the page at %s names its canonical URL, and its JSON alternate if it has one',
  async (path, json?: string) => {
    const { text } = await get(path)
    expect(text).toContain(`<link rel="canonical" href="${site.service.url}${path.split('?')[0]}">`)
    if (json === undefined) return
    expect(text).toContain(`<link rel="alternate" type="application/json" href="${json}">`)
    expect((await get(json)).status).toBe(200)
  },
)

test('the guide page begins for people, then shows the text of llms.txt with contents and headings', async () => {
  const { text } = await get('/guide')
  expect(text).toContain(`curl -s ${site.service.url}/api/v1/directories `)
  expect(text).toContain('<h2 id="idempotency-keys">Idempotency keys</h2>\n<p>Send ')
  expect(text).toContain('<h2 id="limits">Limits</h2>\n<p>Limits count publications')
  const ids = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, id]) => id)
  const [first, , , programs, ...others] = ids(/<h2 id="([^"]+)"/g)
  expect([first, programs, others.at(-1)]).toEqual(['read', 'for-programs', 'more-pages'])
  expect(ids(/<a href="#([^"]+)"/g).filter((id) => id !== 'main')).toEqual(others)
})

test('the API page has every operation of openapi.json', async () => {
  const { text } = await get('/api')
  for (const { method, path } of ENDPOINTS)
    expect(text).toContain(`<summary><code>${method} ${pathTemplate(path)}</code>`)
})

test('the API page names the fields of each body and their bounds', async () => {
  const { text } = await get('/api')
  const [, contribution = ''] = text.split('id="createContribution">')
  for (const field of ['kind', 'sources[].url', 'links[].relation'])
    expect(contribution.split('Answers')[0]).toContain(`<dt><code>${field}</code>`)
  expect(text).toContain('Records on a page. 1 to 100, 50 by default.')
})

test('the sitemap lists what can be read, in parts by id, and without what is hidden', async () => {
  const service = await startTestService({ BASE_URL: 'https://board.example' })
  const board = service.publish
  await board.directory('lab')
  await board.directory('gone')
  // More than are read at once.
  const many = Array.from({ length: 1_001 }, (_, i) => ({ id: BigInt(i + 10), path: `d${i}` }))
  const rest = { parent_id: null, author_label: '', created_at: 0n, hidden: 0, visible: 1 } as const
  const hidden = await board.message('lab')
  const { id, root } = await board.investigation('lab')
  await service.inDatabase((database) =>
    database.write(async (tx) => {
      await raiseSequence(tx, 'message', 99_999n)
      const rows = many.map((one) => ({ ...one, ...rest }))
      await tx.insertInto('directories').values(rows).execute()
    }),
  )
  const late = await board.message('lab')
  await act(service, 'hide', 'message', hidden)
  await act(service, 'hide', 'directory', 'gone')
  const listed = async (address: string) => {
    const { text } = await service.client.get(address)
    return [...text.matchAll(/<loc>https:\/\/board\.example(.*?)<\/loc>/g)].map(([, path = '']) =>
      path.replaceAll('&amp;', '&'),
    )
  }
  const parts = await listed('/sitemap.xml')
  // Without a day there is no part of days: one without an address is invalid.
  expect(parts).toEqual([
    '/sitemap.xml?of=messages&after=0',
    '/sitemap.xml?of=messages&after=50000',
    '/sitemap.xml?of=directories&after=0',
    '/sitemap.xml?of=investigations&after=0',
  ])
  expect(await Promise.all(parts.map(listed))).toEqual([
    [`/messages/${root}`],
    [`/messages/${late}`],
    ['/d/lab', ...many.map(({ path }) => `/d/${path}`)],
    [`/investigations/${id}`],
  ])
  expect((await service.client.get('/sitemap.xml?of=secrets')).code).toBe('invalid_request')
  const robots = await fetch(`${service.url}/robots.txt`)
  expect(await robots.text()).toContain('Sitemap: https://board.example/sitemap.xml\n')
})

test('robots may read the pages but not the API', async () => {
  const answer = await fetch(`${site.service.url}/robots.txt`)
  const { headers } = answer
  expect(await answer.text()).toBe('User-agent: *\nDisallow: /api/v1/\nDisallow: /search\n')
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
})

test('favicon.ico contains renderings of icon.svg', async () => {
  const answer = await fetch(`${site.service.url}/favicon.ico`)
  const { headers } = answer
  expect(headers.get('content-type')).toBe('image/vnd.microsoft.icon')
  const ico = Buffer.from(await answer.arrayBuffer())
  const svg = readFileSync(new URL('../../../server/pages/static/icon.svg', import.meta.url))
  const sizes = Array.from({ length: ico.readUInt16LE(4) }, (_, i) => 6 + 16 * i)
  expect(sizes.map((at) => ico[at])).toEqual([16, 32, 48])
  for (const at of sizes) {
    const [bytesOfPng, offset] = [ico.readUInt32LE(at + 8), ico.readUInt32LE(at + 12)]
    const png = sharp(ico.subarray(offset, offset + bytesOfPng))
      .ensureAlpha()
      .raw()
    const drawn = sharp(svg, { density: 288 }).resize(ico[at]).ensureAlpha().raw()
    const [a, b] = [await png.toBuffer(), await drawn.toBuffer()]
    const difference = a.reduce((sum, value, i) => sum + Math.abs(value - (b[i] as number)), 0)
    expect(difference / a.length).toBeLessThan(12)
  }
})
