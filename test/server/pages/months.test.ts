// The pages of months and years.
// Rules: API.md 9.16.
import { expect, test } from 'vitest'
import { clockAt, startTestService } from '../../support/service.ts'
import { makeArchive } from '../transmissions/archive.ts'

const service = await startTestService({}, clockAt('2026-12-01T12:00:00.000Z'))
await makeArchive(service.archiveDir, ['2026-09-30', '2026-11-18', '2026-11-19', '2026-11-30'], {
  '2026-11-18': { media: { mp4: null }, counters: { messages: '0' } },
})

const read = async (path: string) => (await service.client.get(path)).text

test('a month shows its days and links to the nearest months that have archived days', async () => {
  const page = await read('/transmissions/2026-11')
  expect(page.match(/class="cell" href="\/transmissions\/[0-9-]+"/g)).toHaveLength(3)
  expect(page).toContain('href="/transmissions/2026-09" rel="prev"')
  expect(page).not.toContain('rel="next"')
  expect(page).toContain('/transmissions/index.json?before=2026-12-01&amp;limit=3')
})

test('a year shows the chord and the headline of each of its days by month, and links to its months', async () => {
  const page = await read('/transmissions/2026')
  const days = [
    ...page.matchAll(/<li><span[^>]*>(\d\d) \w+<.*?class="chord.*?class="headline" [^>]*>[^<]+</g),
  ]
  expect(days.map(([, day]) => day)).toEqual(['30', '19', '18', '30'])
  expect([...page.matchAll(/<h2 [^>]*><a href="([^"]+)"/g)].map(([, url]) => url)).toEqual([
    '/transmissions/2026-11',
    '/transmissions/2026-09',
  ])
  expect(page).not.toMatch(/rel="(prev|next)"/)
})

test('in the picture of a year a month is named at the column of its first day, and a day without messages is framed', async () => {
  const page = await read('/transmissions/2026')
  // 2026 begins on a Thursday; 1 November is the Sunday of the 44th week, the 17th of the second half.
  expect(page).toContain(`<text x="${((100 * 160) / 270).toFixed(1)}%" y="1em">Nov</text>`)
  expect(page).toContain('stroke-width="1" d="M460 24m.5-3.5h7v7h-7z"')
})

test.each([
  ['the list of days', '/transmissions', ['2026', '2026-09', '2026-11']],
  ['a day', '/transmissions/2026-11-18', ['2026', '2026-11']],
])('%s links its months and its year', async (_, path, periods) => {
  const page = await read(path)
  for (const period of periods) expect(page).toContain(`href="/transmissions/${period}"`)
})

test('the films of a month are listed in order, without the day that has none', async () => {
  const page = await read('/transmissions/2026-11')
  const films = [...page.matchAll(/<li><a href="([^"]+\.mp4)">(\d\d)<\/a>/g)]
  expect(films.map(([, , day]) => day)).toEqual(['19', '30'])
  expect(page).toMatch(/<video controls playsinline preload="none"/)
})

test.each(['2026-10', '2026-13', '2027-01', '2027', '20', '02026'])(
  'there is no page of %s',
  async (month) => {
    expect(await service.client.get(`/transmissions/${month}`)).toMatchObject({ status: 404 })
  },
)

test('a month has no representation as JSON', async () => {
  const headers = { accept: 'application/json' }
  const reply = await service.client.get('/transmissions/2026-11', headers)
  expect(reply).toMatchObject({ status: 404, code: 'snapshot_not_found' })
})
