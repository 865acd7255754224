// Every page over HTTP: user text stays text, nothing is inline, the structure is sound, and every link works.
// Rules: API.md 2.7, 8.2-8.3, 11.1.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { errorPage } from '../../../server/pages/frame/error.ts'
import { Problem } from '../../../server/wire/problem.ts'
import { act } from '../../support/operator.ts'
import { clockAt, startTestService } from '../../support/service.ts'
import { anyText } from '../../support/texts.ts'
import { outline, type Parsed, parseHtml } from './html.ts'
import { startSite, TAME } from './site.ts'

/** Attempts to break out of text, attributes, elements and lines. */
const HOSTILE = {
  line: `"'><script>alert(1)</script>&lt;\u202e\u2066 &#0; <b onclick=x`,
  text: `\n</div></article></main><script src=//x>alert(1)</script>\n"' onload='alert(2)' style="x"\u202e]]>--><!-- ${'W'.repeat(250)}\r\n&amp; مرحبا 🦔\n`,
  url: `"'><script>alert(3)</script>&lt;#"onmouseover="alert(4)`,
}

const tame = await startSite(TAME)
const hostile = await startSite(HOSTILE)
const pages = new Map()
for (const path of tame.paths) {
  const { status, text } = await hostile.service.client.get(path)
  pages.set(path, {
    tame: parseHtml((await tame.service.client.get(path)).text),
    hostile: parseHtml(text),
    html: text,
    status,
  })
}

/** Runs a check on each page, and names the page in a failure. */
function onEachPage(check: (page: Parsed, path: string, html: string) => void): void {
  for (const [path, { hostile, html }] of pages)
    try {
      check(hostile, path, html)
    } catch (error) {
      throw new Error(`${path}: ${(error as Error).message}`, { cause: error })
    }
}

/** The outline without repeated messages, because fewer of them fit on a page when their texts are longer. */
const withoutRepeats = (page: Parsed): string =>
  outline(page)
    .join('\n')
    .replaceAll(/(article class id\n(?:(?!article).*\n)+?)\1+/g, '$1')

const all = ({ tags }: Parsed, ...names: string[]) =>
  tags.filter(({ name }) => names.includes(name))

describe('user text', () => {
  test('user text changes no tag and no attribute of any page', () => {
    for (const [path, page] of pages)
      expect(withoutRepeats(page.hostile), path).toBe(withoutRepeats(page.tame))
  })

  test('user text is shown verbatim', () => {
    const where = ['/', '/d/lab', '/messages/1', '/investigations/1', '/continuity']
    const text = HOSTILE.text.slice(0, 60)
    for (const path of where) expect(pages.get(path)?.hostile.text, path).toContain(text)
    for (const path of ['/d/lab', '/investigations'])
      expect(pages.get(path)?.hostile.text, path).toContain(HOSTILE.line)
  })

  test('user text is in elements with their own direction', () => {
    onEachPage((_, __, html) => {
      const escaped = '&quot;&#39;&gt;&lt;script&gt;alert(1)'
      for (const [before] of html.matchAll(new RegExp(`<[^<]*>(?=${escaped})`, 'g')))
        expect(before).toMatch(/^<bdi|dir="auto"|^<title/)
    })
  })

  test('any body stays text on the page of a message', async () => {
    // A second that ends between receiving and publishing would add a fact.
    const { client, publish } = await startTestService({}, clockAt('2026-11-20T12:00:00.000Z'))
    await publish.directory('lab')
    const pageOf = async (body: string, author_label: string) => {
      const { json } = await client.post('/api/v1/messages', {
        directory: 'lab',
        body,
        author_label,
      })
      return parseHtml((await client.get((json as { url: string }).url)).text)
    }
    await pageOf('x', 'x')
    const expected = outline(await pageOf('x', 'x'))
    const isAccepted = (text: string) =>
      /\P{White_Space}/u.test(text) && !/(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/u.test(text)
    const [bodies, labels] = [anyText(), fc.string()].map((texts) => texts.filter(isAccepted))
    await fc.assert(
      fc.asyncProperty(bodies!, labels!, async (body, label) => {
        const page = await pageOf(body, label)
        expect(outline(page)).toEqual(expected)
        expect(page.text).toContain(body)
      }),
    )
  })

  test('any input stays text on an error page', () => {
    const page = (message: string) =>
      errorPage(new Problem('not_found', message), { isClosed: false })
    const expected = outline(parseHtml(page('x')))
    fc.assert(
      fc.property(anyText(), (message) => {
        expect(outline(parseHtml(page(message)))).toEqual(expected)
      }),
    )
  })
})

describe('page structure', () => {
  test('each page complies with its policy', () => {
    onEachPage(({ tags }) => {
      for (const { name, attributes } of tags) {
        expect(name).not.toBe('style')
        if (name === 'script') expect(attributes.get('src')).toMatch(/^\/static\//)
        for (const key of attributes.keys()) expect(key).not.toMatch(/^on|^style$/)
        for (const key of ['src', 'poster'])
          if (attributes.has(key)) expect(attributes.get(key)).toMatch(/^\/(?!\/)/)
        // The canonical address is the only absolute one of this board.
        if (attributes.get('rel') !== 'canonical')
          expect(attributes.get('href') ?? '/').toMatch(/^(?:\/(?!\/)|#|https:\/\/example\.org\/)/)
      }
    })
  })

  test('each page has a language, a title, one heading, a link that skips to the content and the field of the search', () => {
    onEachPage((page) => {
      expect(all(page, 'html')[0]?.attributes.get('lang')).toBe('en')
      expect(all(page, 'title')).toHaveLength(1)
      expect(all(page, 'h1')).toHaveLength(1)
      expect(all(page, 'main')[0]?.attributes.get('id')).toBe('main')
      expect(all(page, 'a')[0]?.attributes.get('href')).toBe('#main')
      expect(all(page, 'header', 'main', 'footer')).toHaveLength(3)
      expect(all(page, 'form')[0]?.attributes.get('action')).toBe('/search')
      expect(all(page, 'meta').map(({ attributes }) => attributes.get('name'))).toContain(
        'viewport',
      )
    })
  })

  test('each page has a description and what link previews need', () => {
    onEachPage((page, path) => {
      // An error is not shared.
      if (pages.get(path)?.status !== 200) return
      const meta = (name: string) =>
        all(page, 'meta')
          .find(({ attributes }) => [...attributes.values()].includes(name))
          ?.attributes.get('content')
      for (const name of ['description', 'og:description', 'og:title'])
        expect(meta(name), name).toMatch(/\S{3}/)
      expect(meta('twitter:card')).toBe(meta('og:image') ? 'summary_large_image' : 'summary')
    })
  })

  test('each page labels its images, players, navigations and table headers', () => {
    onEachPage((page) => {
      for (const { attributes } of all(page, 'img')) expect(attributes.has('alt')).toBe(true)
      for (const { attributes } of all(page, 'audio', 'video', 'nav'))
        expect(attributes.get('aria-label')).toMatch(/\w/)
      for (const { attributes } of all(page, 'th')) expect(attributes.has('scope')).toBe(true)
    })
  })

  test('each page uses an id once', () => {
    onEachPage(({ tags }) => {
      const ids = tags.map(({ attributes }) => attributes.get('id')).filter((id) => id)
      expect(new Set(ids).size).toBe(ids.length)
    })
  })

  test('each page marks a link to a source as user-generated', () => {
    onEachPage((page) => {
      for (const { attributes } of all(page, 'a'))
        if (attributes.get('href')?.startsWith('https://'))
          expect(attributes.get('rel')).toMatch(/nofollow.*ugc.*noopener/)
    })
  })
})

/** The pages whose header links to the form, and those whose header says that writing is closed. */
async function headers() {
  const linking: string[] = []
  const closed: string[] = []
  for (const path of tame.paths) {
    const { text } = await tame.service.client.get(path)
    const [header = ''] = /<header>.*?<\/header>/s.exec(text) ?? []
    if (header.includes('href="/write"')) linking.push(path)
    if (header.includes('<span class="closed">Writing is closed</span>')) closed.push(path)
  }
  return { linking, closed }
}

test('every page links to the form while messages are accepted, and says at once when writing is closed', async () => {
  const open = { linking: tame.paths, closed: [] }
  const closed = { linking: [], closed: tame.paths }
  expect(await headers()).toEqual(open)
  await act(tame.service, 'feature', 'messages', 'off')
  expect(await headers()).toEqual(closed)
  await act(tame.service, 'feature', 'messages', 'on')
  expect(await headers()).toEqual(open)
  await act(tame.service, 'mode', 'read-only')
  expect(await headers()).toEqual(closed)
  await act(tame.service, 'mode', 'open')
})

test('a list links to its next page, and the last page does not; a message links to its neighbours', () => {
  const linked = (path: string, rel: string) =>
    all(pages.get(path)?.tame as Parsed, 'a')
      .filter(({ attributes }) => attributes.get('rel') === rel)
      .map(({ attributes }) => attributes.get('href'))
  const next = (path: string) => linked(path, 'next')
  expect([linked('/messages/3', 'prev'), next('/messages/3')]).toEqual([
    ['/messages/2'],
    ['/messages/4'],
  ])
  expect(pages.get('/d/lab')?.html).toContain('href="/d/lab?messages_after=0"')
  expect(next('/d/lab')).toEqual(['/d/lab?messages_before=29'])
  expect(next('/investigations/1?limit=1')).toEqual(['/investigations/1?after=55'])
  expect(next('/transmissions?before=2026-11-18&limit=1')).toEqual([
    '/transmissions?before=2026-11-17&limit=1',
  ])
  expect(next('/directories')).toEqual([])
  expect(next('/investigations')).toEqual([])
  expect(next('/continuity')).toEqual([])
})

test('every link of every page works, and every fragment exists', {
  timeout: 120_000,
}, async () => {
  const { service } = tame
  const waiting = ['/', ...tame.paths]
  const seen = new Map<string, Parsed | null>()
  const broken: string[] = []
  const fragments: [from: string, path: string, id: string][] = []
  for (let from = waiting.pop(); from !== undefined; from = waiting.pop()) {
    if (seen.has(from)) continue
    const reply = await service.client.get(from)
    const target = reply.status === 302 && reply.headers.get('location')
    if (target) waiting.push(target)
    else if (reply.status !== 200 && !tame.paths.includes(from))
      broken.push(`${reply.status} ${from}`)
    const isPage = reply.headers.get('content-type')?.startsWith('text/html')
    seen.set(from, isPage ? parseHtml(reply.text) : null)
    for (const { attributes } of seen.get(from)?.tags ?? [])
      for (const key of ['href', 'src', 'poster']) {
        const value = attributes.get(key)
        if (value === undefined || value.startsWith('https:')) continue
        const { pathname, search, hash } = new URL(value, service.url + from)
        waiting.push(pathname + search)
        if (hash) fragments.push([from, pathname + search, decodeURIComponent(hash.slice(1))])
      }
  }
  expect(broken).toEqual([])
  const missing = fragments.filter(
    ([, path, id]) => !seen.get(path)?.tags.some(({ attributes }) => attributes.get('id') === id),
  )
  expect(missing).toEqual([])
  expect(seen.size).toBeGreaterThan(60)
})
