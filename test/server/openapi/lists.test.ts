// Every list, as JSON, CSV and HTML: its pages have each record once, in order, however many fit on a page.
// Rules: API.md 1.1, 3.3, 4.3, 7.1, 8.4, 9.2-9.3.
import { expect, test } from 'vitest'
import type { Reply } from '../../support/client.ts'
import { act } from '../../support/operator.ts'
import { clockAt, startTestService } from '../../support/service.ts'
import { makeArchive } from '../transmissions/archive.ts'

const DAYS = ['2026-11-14', '2026-11-15', '2026-11-17', '2026-11-18', '2026-11-19']
/** In the order of their bytes. */
const NAMES = ['-', '0', 'a', 'a-b', 'a.b', 'a0']
const CHILDREN = NAMES.map((name) => `p/${name}`)

const service = await startTestService({}, clockAt('2026-11-20T12:00:00.000Z'))
const board = service.publish
await board.directory('p')
// The page is shown before its children exist.
await service.client.get('/d/p')
for (const name of [...CHILDREN.toReversed(), 'lab']) await board.directory(name)
const questions: bigint[] = []
const entries: bigint[] = []
for (let i = 0; i < 5; i++) questions.push((await board.investigation('lab')).root)
for (let i = 0; i < 5; i++) {
  entries.push(await board.contribution(1n))
  await board.message('p')
}
for (let i = 0; i < 5; i++) await act(service, 'review', '1', '--outcome', 'withdrawn')
await makeArchive(service.archiveDir, [...DAYS, '2026-11-21'])

const to = (last: number) => Array.from({ length: last }, (_, i) => i + 1)
/** Without that of the future. */
const NEWEST_FIRST = DAYS.toReversed()
const [JSON_TYPE, HTML] = ['application/json', 'text/html']

/** The ids, paths or days on a page. @param shown finds them in a page of text */
function recordsOn({ json, text }: Reply, shown?: RegExp): string[] {
  if (shown) return [...text.matchAll(shown)].map(([, record = '']) => record)
  const lists = Object.values(json as object).filter((value) => Array.isArray(value))
  const [records = []] = lists as Record<string, unknown>[][]
  return records.map(({ id, message_id, path, day }) => String(id ?? message_id ?? path ?? day))
}

/** The cursor of the next page, by its name in the query; undefined on the last page. */
function nextOf({ json, text, headers }: Reply): [name: string, value: string] | undefined {
  const page = (json ?? {}) as Record<string, unknown>
  for (const [field, name] of Object.entries({
    next_cursor: 'after',
    next_after: 'after',
    next_before: 'before',
  }))
    if (field in page) return page.has_more === false ? undefined : [name, String(page[field])]
  const link =
    /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '') ??
    /href="([^"]+)" rel="next"/.exec(text)
  if (!link) return undefined
  const { searchParams } = new URL(link[1]?.replaceAll('&amp;', '&') ?? '', service.url)
  searchParams.delete('limit')
  return [...searchParams][0]
}

test.each<[path: string, accept: string, records: unknown[], shown?: RegExp]>([
  ['/api/v1/messages', JSON_TYPE, to(15)],
  ['/api/v1/messages?directory=lab', JSON_TYPE, [...questions, ...entries]],
  ['/api/v1/directories', JSON_TYPE, ['lab', 'p', ...CHILDREN]],
  ['/directories', JSON_TYPE, ['lab', 'p', ...CHILDREN]],
  ['/d/p', JSON_TYPE, CHILDREN],
  ['/d/p', HTML, CHILDREN, /class="path" href="\/d\/(p\/[^"]+)"/g],
  ['/api/v1/investigations', JSON_TYPE, to(5)],
  ['/investigations', JSON_TYPE, to(5)],
  ['/investigations?after=0', HTML, to(5), /<h3><a href="\/investigations\/(\d+)"/g],
  ['/api/v1/investigations/1', JSON_TYPE, entries],
  ['/investigations/1', JSON_TYPE, entries],
  ['/investigations/1.json', JSON_TYPE, entries],
  ['/api/v1/moderation', JSON_TYPE, to(5)],
  ['/moderation', HTML, to(5).toReversed(), /<tbody id="action-(\d+)"/g],
  ['/continuity', HTML, to(5).toReversed(), /<article class="judgement[^"]*" id="review-(\d+)"/g],
  ['/continuity?after=0', HTML, to(5), /<article class="judgement[^"]*" id="review-(\d+)"/g],
  ['/transmissions/index.json', JSON_TYPE, NEWEST_FIRST],
  ['/transmissions', JSON_TYPE, NEWEST_FIRST],
  ['/transmissions', HTML, NEWEST_FIRST, /<a class="headline" href="\/transmissions\/([\d-]+)"/g],
  ['/transmissions/index.csv', HTML, NEWEST_FIRST, /^(\d{4}-\d\d-\d\d),/gm],
])('the pages of %s for %s have each record once', async (path, accept, records, shown) => {
  for (const limit of [1, 2, 3, records.length, 100]) {
    const url = new URL(path, service.url)
    url.searchParams.set('limit', String(limit))
    const seen: string[][] = []
    let hasMore = true
    while (hasMore) {
      expect(seen.length).toBeLessThanOrEqual(records.length)
      const reply = await service.client.get(url.pathname + url.search, { accept })
      expect(reply.status).toBe(200)
      const page = recordsOn(reply, shown)
      const next = nextOf(reply)
      if (page.length > 0) seen.push(page)
      else {
        // Only a cursor that does not say whether there is more leads to an empty page, which repeats it.
        expect(reply.json).toHaveProperty('next_cursor')
        expect(next?.[1]).toBe(url.searchParams.get('after'))
      }
      hasMore = next !== undefined && page.length > 0
      if (next) url.searchParams.set(...next)
    }
    expect(seen.flat()).toEqual(records.map(String))
    expect(seen.map(({ length }) => length)).toEqual(
      seen.map((_, i) => Math.min(limit, records.length - i * limit)),
    )
  }
})
