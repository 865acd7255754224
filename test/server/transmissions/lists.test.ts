// The lists of archived days over HTTP, as JSON and CSV (API.md 9).
// Rules: API.md 9.2-9.3.
import { describe, expect, test } from 'vitest'
import { folderPlace } from '../../../archive/place/folder.ts'
import { ArchiveReader } from '../../../archive/reading/reader.ts'
import { neighbours } from '../../../server/transmissions/lookup.ts'
import { clockAt, startTestService } from '../../support/service.ts'
import { makeArchive, type SealedDay } from './archive.ts'
import { BIG, DAYS, daysOf, servedArchive } from './served-archive.ts'

const at = servedArchive()
const { get } = at

describe('transmission lists', () => {
  test('an item has its counters as decimal strings, and what is not available as null', async () => {
    const { json } = await get('/transmissions/index.json?before=2026-11-18&limit=1')
    const { media } = (at.days.get('2026-11-17') as SealedDay).manifest
    const available = (kind: 'wav' | 'png') => {
      const medium = media[kind]
      return medium.available && { available: true, url: medium.url, sha256: medium.sha256 }
    }
    const mp4 = { available: false, url: null, sha256: null }
    expect(json).toMatchObject({
      items: [
        {
          day: '2026-11-17',
          counters: { messages: '1', message_bytes: BIG, sources: '11', reviews: null },
          availability: { messages: true, reviews: false },
          ...{ coverage: 'complete', clock: 'ok', conclusion: 'inconclusive' },
          media: { wav: available('wav'), mp4, png: available('png') },
          url: '/transmissions/2026-11-17.json',
          manifest_url: '/transmissions/2026-11-17.manifest.json',
        },
      ],
      next_before: '2026-11-17',
      has_more: true,
    })
  })

  test('before accepts a day that is not archived, and the list before the first day is empty', async () => {
    const { json } = await get('/transmissions/index.json?before=2026-11-16&limit=2')
    expect(daysOf(json)).toEqual(['2026-11-15', '2026-11-14'])
    expect(json).toMatchObject({ next_before: null, has_more: false })
    expect((await get('/transmissions/index.json?before=2026-11-14')).json).toEqual({
      items: [],
      next_before: null,
      has_more: false,
    })
  })

  test('the CSV list has a header row, CRLF, and an empty field where a count is unavailable', async () => {
    const { text, headers } = await get('/transmissions/index.csv')
    expect(headers.get('content-type')).toMatch(/^text\/csv/)
    const lines = text.split('\r\n')
    expect(lines[0]).toBe(
      'day,messages,message_bytes,directories,active_directories,investigations,observations,attempts,corrections,results,reuses,sources,reviews,coverage,clock,conclusion,generated_at,wav_sha256,mp4_sha256,png_sha256',
    )
    expect(lines.slice(1, -1).map((line) => line.slice(0, 10))).toEqual([...DAYS].reverse())
    const wav = (at.days.get('2026-11-17') as SealedDay).manifest.media.wav as { sha256: string }
    expect(lines[3]).toContain(
      `2026-11-17,1,${BIG},3,4,5,6,7,8,9,10,11,,complete,ok,inconclusive,2026-11-18T00:05:00.000Z,${wav.sha256},,`,
    )
    expect(headers.get('link')).toBeNull()
  })
})

test('a day that the cached list of an object store still lacks comes after the newest listed day', async () => {
  const listed = DAYS.slice(0, -1)
  const archive = Object.assign(new ArchiveReader(folderPlace(at.dir)), {
    days: async () => listed,
  })
  const clock = clockAt('2026-11-20T12:00:00Z')
  expect(await neighbours({ archive, clock }, '2026-11-19')).toEqual({
    earlier: listed,
    older: '2026-11-18',
    newer: null,
  })
})

test('an empty archive has empty lists and no latest day', async () => {
  const empty = await startTestService()
  await makeArchive(empty.archiveDir, [])
  const list = { items: [], next_before: null, has_more: false }
  expect((await empty.client.get('/transmissions/index.json')).json).toEqual(list)
  expect((await empty.client.get('/transmissions/index.csv')).text.split('\r\n')).toHaveLength(2)
  const page = (await empty.client.get('/transmissions')).text
  expect(page).toContain('No day is archived yet. Each day is counted, sealed')
  const home = (await empty.client.get('/')).text
  expect(home).toContain('Create the first directory')
  const write = (await empty.client.get('/write')).text
  expect(write).toContain('data-kind="directory"')
  expect(page).not.toContain('Newest day')
  expect(await empty.client.get('/transmissions/latest.json')).toMatchObject({
    status: 404,
    code: 'snapshot_not_found',
  })
  const leadsTo = (await empty.client.get('/transmissions/latest')).headers.get('location')
  expect(leadsTo).toBe('/transmissions')
  const { text } = await empty.client.get('/transmissions/latest.svg')
  expect(text.match(/h3/g)).toHaveLength(17)
})
