// /how-it-works and /follow, as they come from the server.
// Rules: API.md 2.8.
import { expect, test } from 'vitest'
import { clockAt, startTestService, type TestService } from '../../support/service.ts'
import { makeArchive } from '../transmissions/archive.ts'

const get = async (service: TestService, path: string): Promise<string> =>
  (await service.client.get(path, { accept: 'text/html' })).text

test('how it works is told with an example while nothing is archived, and then with the newest day and a message of it', async () => {
  const clock = clockAt('2026-11-19T09:00:00Z')
  const service = await startTestService({}, clock)
  const example = await get(service, '/how-it-works')
  expect(example).toContain('The pictures show an example.')
  const tones = /data-tones="(?:\d+ ){272}\d+"/
  expect(example).toMatch(tones)
  const { directory, message } = service.publish
  await directory('river')
  const id = await message('river', 'Ice <b>on the bank')
  clock.passTo('2026-11-20T09:00:00Z')
  await makeArchive(service.archiveDir, ['2026-11-19'])
  await message('river', 'A message of the next day.')
  await service.restart()
  const shown = await get(service, '/how-it-works')
  expect(shown).toContain('<a href="/transmissions/2026-11-19">19 November 2026</a>')
  expect(shown).toContain(`<a href="/messages/${id}">Ice &lt;b&gt;on the bank</a>`)
  expect(tones.exec(shown)?.[0]).not.toBe(tones.exec(example)?.[0])
})

test('follow shows the feed of a directory or an investigation first, and ignores one that does not exist', async () => {
  const service = await startTestService()
  const { directory, investigation } = service.publish
  await directory('river')
  const { id } = await investigation('river', { title: 'Why?' })
  const addresses = async (query: string) =>
    [...(await get(service, `/follow${query}`)).matchAll(/<code>([^<]*)</g)].map(([, url = '']) =>
      url.replace(service.url, ''),
    )
  const always = ['/transmissions/podcast.xml', '/transmissions/feed.atom', '/feed.atom']
  expect(await addresses('')).toEqual(always)
  expect(await addresses('?directory=river')).toEqual(['/feed.atom?directory=river', ...always])
  expect(await addresses(`?investigation=${id}`)).toEqual([`/investigations/${id}.atom`, ...always])
  for (const none of ['directory=sky', 'directory=%3Cb%3E', 'investigation=99', 'investigation=x'])
    expect(await addresses(`?${none}`)).toEqual(always)
})
