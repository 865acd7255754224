// The header of the pages: a day as it sounds where the page is about that day.
import { expect, test } from 'vitest'
import { clockAt, startTestService } from '../../support/service.ts'
import { makeArchive } from '../transmissions/archive.ts'

const clock = clockAt('2026-11-20T12:00:00.000Z')
const service = await startTestService({}, clock)

/** The words next to the strip in the header of a page, and where they lead; null without a strip. */
async function strip(path: string): Promise<string[] | null> {
  clock.pass(1_000)
  const { text } = await service.client.get(path)
  return /<a class="band" href="([^"]+)">.*?"caption">([^<]*)</.exec(text)?.slice(1) ?? null
}

test('while no day is archived, no header has a strip of tones', async () => {
  for (const path of ['/', '/transmissions', '/directories', '/guide'])
    expect(await strip(path), path).toBeNull()
})

test('the strip is that of the day that the page is about, and of the newest one on the front page', async () => {
  await makeArchive(service.archiveDir, ['2026-11-18', '2026-11-19'])
  expect(await strip('/')).toEqual(['/transmissions/2026-11-19', 'Yesterday, as it sounds'])
  expect(await strip('/transmissions/2026-11-18')).toEqual([
    '/transmissions/2026-11-18',
    '2026-11-18, as it sounds',
  ])
  for (const path of ['/directories', '/transmissions']) expect(await strip(path), path).toBeNull()
})

test('a newest day before yesterday is called by its date', async () => {
  clock.passTo('2026-11-21T12:00:00.000Z')
  expect(await strip('/')).toEqual(['/transmissions/2026-11-19', '2026-11-19, as it sounds'])
})
