// The podcast of the days' films: the tags that directories require, and enclosures that can be fetched.
// Rules: API.md 2.8.
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { clockAt, startTestService } from '../../support/service.ts'
import { makeArchive } from '../transmissions/archive.ts'

const service = await startTestService(
  { BASE_URL: 'https://board.example.org' },
  clockAt('2026-11-20T12:00:00.000Z'),
)
await makeArchive(service.archiveDir, ['2026-11-17', '2026-11-18', '2026-11-19'], {
  '2026-11-17': { media: { png: null } },
  '2026-11-18': { media: { mp4: null } },
})
const reply = await service.client.get('/transmissions/podcast.xml')
expect(reply.headers.get('content-type')).toBe('application/rss+xml; charset=utf-8')
const feed: string = reply.text

const itemsOf = (text: string): string[] => text.match(/<item>.*?<\/item>/gs) ?? []
const textOf = (element: string, tag: string): string | undefined =>
  new RegExp(`<${tag}>([^<]+)</${tag}>`).exec(element)?.[1]

test('the channel has the tags that podcast directories require', () => {
  const head = feed.slice(0, feed.indexOf('<item>'))
  for (const tag of ['title', 'link', 'description', 'language', 'itunes:author'])
    expect(textOf(head, tag), tag).toBeTruthy()
  expect(textOf(head, 'itunes:explicit')).toBe('false')
  expect(head).toMatch(/<itunes:category text="[A-Z][a-z]+"\/>/)
  expect(head).toMatch(/<itunes:image href="https:\/\/board\.example\.org\/static\/[^"]+\.png"\/>/)
  expect(head).toContain('href="https://board.example.org/transmissions/podcast.xml"')
})

test('the cover is a square PNG of at least 1400 pixels', async () => {
  const [, path = ''] = /<itunes:image href="https:\/\/board\.example\.org([^"]+)"/.exec(feed) ?? []
  const cover = Buffer.from(await (await fetch(service.url + path)).arrayBuffer())
  const { format, width, height } = await sharp(cover).metadata()
  expect([format, width]).toEqual(['png', height])
  expect(width).toBeGreaterThanOrEqual(1400)
})

test('each day with a film is an episode with its sentence and its picture, if it has one, newest first', () => {
  const items = itemsOf(feed)
  expect(items.map((item) => textOf(item, 'title'))).toEqual([
    expect.stringMatching(/^19 November 2026: ./),
    expect.stringMatching(/^17 November 2026: ./),
  ])
  for (const item of items) {
    for (const tag of ['guid isPermaLink="true"', 'pubDate', 'description', 'itunes:duration'])
      expect(item, tag).toContain(`<${tag}>`)
    expect(textOf(item, 'description')).toBe(
      '1 message was counted, and the service was up all day.',
    )
  }
  expect(items.map((item) => textOf(item, 'pubDate'))).toEqual([
    'Fri, 20 Nov 2026 00:05:00 GMT',
    'Wed, 18 Nov 2026 00:05:00 GMT',
  ])
  const pictureOf = (item: string) => /<itunes:image href="([^"]+)"/.exec(item)?.[1]
  expect(items.map(pictureOf)).toEqual([expect.stringMatching(/^https:.*\.png$/), undefined])
})

test('an enclosure is the film, whose length and type HEAD confirms and of which ranges can be read', async () => {
  for (const item of itemsOf(feed)) {
    const [, path = '', length = '', type = ''] =
      /<enclosure url="https:\/\/board\.example\.org([^"]+)" length="(\d+)" type="([^"]+)"\/>/.exec(
        item,
      ) ?? []
    expect(path).toMatch(/\.mp4$/)
    const head = await fetch(service.url + path, { method: 'HEAD' })
    expect(head.headers.get('content-length')).toBe(length)
    expect(head.headers.get('content-type')).toBe(type)
    expect(head.headers.get('accept-ranges')).toBe('bytes')
    const part = await fetch(service.url + path, { headers: { range: 'bytes=0-3' } })
    expect(part.status).toBe(206)
  }
})
