// The page of a message: its day among its facts.
import { expect, test } from 'vitest'
import { clockAt, startTestService } from '../../support/service.ts'

const clock = clockAt('2026-11-20T23:58:00.000Z')
const service = await startTestService({}, clock)
const board = service.publish
await board.directory('lab')
const id = await board.message('lab')

/** The day as its facts name it, without tags. */
async function day(): Promise<string | undefined> {
  const { text } = await service.client.get(`/messages/${id}`)
  return /<dt>Day<\/dt><dd>(.*?)<\/dd>/.exec(text)?.[1]?.replaceAll(/<\/?a[^>]*>/g, '')
}

test('the page of a message names its day, and while it lasts when it becomes sound', async () => {
  expect(await day()).toBe('20 Nov, becomes sound after midnight UTC')
  clock.passTo('2026-11-21T00:00:00.000Z')
  expect(await day()).toBe('20 Nov')
})
