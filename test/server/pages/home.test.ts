// The front page: today so far, the newest day, open investigations.
// Rules: API.md 7.1, 9.2.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { manifestName } from '../../../archive/format/paths.ts'
import { IncrementalCounts } from '../../../server/board/incremental-counts.ts'
import { act } from '../../support/operator.ts'
import { overwriteFile } from '../../support/overwrite-file.ts'
import { clockAt, startTestService } from '../../support/service.ts'
import { makeArchive } from '../transmissions/archive.ts'

const clock = clockAt('2026-11-20T12:00:00.000Z')
const service = await startTestService({}, clock)
await makeArchive(service.archiveDir, ['2026-11-18', '2026-11-19'])
const board = service.publish
await board.directory('lab')

/** The front page, a second after it was read last: what it shows of the archive may be that old. */
async function home(): Promise<string> {
  clock.pass(1_000)
  return (await service.client.get('/')).text
}
const messagesToday = async () =>
  /Today so far.*?Messages <b class="figures">(\d+)<\/b>/s.exec(await home())?.[1]

test('the front page counts today at most once in ten seconds', async () => {
  await board.message('lab')
  expect(await messagesToday()).toBe('1')
  await board.message('lab')
  expect(await messagesToday()).toBe('1')
  clock.pass(10_000)
  expect(await messagesToday()).toBe('2')
})

test("today's counts start over at midnight UTC", async () => {
  await messagesToday()
  clock.passTo('2026-11-20T23:59:59.000Z')
  await messagesToday()
  clock.passTo('2026-11-21T00:00:00.000Z')
  expect(await home()).toContain('Nothing yet.')
})

test('the front page leads with the newest day, and has a player of it that preloads nothing', async () => {
  const text = await home()
  expect(text).toMatch(
    /id="newest" class="of-day"><a class="headline" href="\/transmissions\/2026-11-19"/,
  )
  expect(text).toMatch(/<audio controls preload="none"/)
  expect(text).not.toMatch(/<img [^>]*transmission-media/)
})

test('the front page shows the newest day that is not damaged, and the damage is logged', async () => {
  const path = join(service.archiveDir, '2026-11-19', manifestName('2026-11-19'))
  const bytes = readFileSync(path)
  overwriteFile(path, 'damaged')
  expect(await home()).toContain('class="headline" href="/transmissions/2026-11-18"')
  expect(service.complaints.join()).toContain('2026-11-19.manifest.json')
  overwriteFile(path, bytes)
  expect(await home()).toContain('class="headline" href="/transmissions/2026-11-19"')
})

test('an investigation without a review is on the front page as soon as it is published', async () => {
  await board.investigation('lab', { title: 'Who hears it?' })
  expect(await home()).toContain('Who hears it?')
})

test('the newest day is told by what its question got, then by what was answered or is long, and a question that leads it is shown once', async () => {
  clock.passTo('2026-11-22T09:00:00.000Z')
  const lines = ['Ice.', 'Fog over the meadow since seven.', 'Sun.', 'Two herons at the weir.']
  const ids = await Array.fromAsync(lines, (line) => board.message('lab', line))
  await board.message('lab', `Here, too.\n\n/messages/${ids[2]}`)
  const asked = { id: 0n }
  for (const title of ['Oldest?', 'Taken up?', 'Newer?', 'Newest?', 'Leading?']) {
    Object.assign(asked, await board.investigation('lab', { title }))
    if (title === 'Taken up?') await board.contribution(asked.id)
  }
  await board.contribution(asked.id, { body: 'Seen again.' })
  clock.passTo('2026-11-23T09:00:00.000Z')
  await board.contribution(asked.id, { body: 'And the next day.' })
  await makeArchive(service.archiveDir, ['2026-11-22'])
  const text = await home()
  const found = (part: RegExp, item: RegExp) =>
    [...(part.exec(text)?.[0] ?? '').matchAll(item)].map(([, words]) => words)
  expect(found(/id="newest".*?<\/ol>/s, /body excerpt"[^>]*>([^<\n]*)/g)).toEqual([
    lines[2],
    'a question',
    'Seen again.',
  ])
  expect(text).toMatch(/id="newest".*?Leading\?.*?Open the question/s)
  expect(found(/id="newest".*?<\/section>/s, /(Leading\?)/g)).toHaveLength(1)
  const waiting = found(/id="waiting".*?<\/ul>/s, /dir="auto">([^<]*)</g)
  expect(waiting).toEqual(['Taken up?', 'Newest?', 'Newer?'])
})

test('while activity is being counted, the front page and the list of investigations say so', async () => {
  const counting = vi.spyOn(IncrementalCounts.prototype, 'completeOrNull').mockResolvedValue(null)
  const page = async (path: string) => (await service.client.get(path)).text
  expect(await home()).toContain('still being counted')
  for (const query of ['', '?with=result', '?before=9'])
    expect(await page(`/investigations${query}`)).toMatch(/still being counted.*"[^"]*\?after=0"/)
  expect(await page('/investigations?after=0')).toContain('Who hears it?')
  counting.mockRestore()
  expect(await home()).not.toContain('still being counted')
})

test('the front page says if the archive is off, and offers no form while publishing is off', async () => {
  expect(await home()).toContain('<a class="act" href="/write">')
  await act(service, 'feature', 'transmissions', 'off')
  await act(service, 'mode', 'read-only')
  const text = await home()
  expect(text).toContain('The transmissions are switched off or cannot be read now.')
  expect(text).not.toContain('class="act"')
  // The image in the header then falls back to the tones that all days share.
  expect(await service.client.get('/transmissions/latest.svg')).toMatchObject({ status: 200 })
  await act(service, 'mode', 'open')
  await act(service, 'feature', 'transmissions', 'on')
})
