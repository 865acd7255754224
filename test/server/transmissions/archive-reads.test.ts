// The archive over HTTP: lists, days, negotiation, caching, and what is said when there is nothing or nothing to read
// (specification, Transmissions archive; API.md 9).
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { overwriteFile } from '../../support/overwrite-file.ts'
import { clockAt, startTestService, type TestService } from '../../support/service.ts'
import { makeArchive, type SealedDay } from './archive.ts'

const DAYS = ['2026-11-14', '2026-11-15', '2026-11-17', '2026-11-18', '2026-11-19']
const BIG = '18446744073709551615'

let service: TestService
let dir: string
let days: Map<string, SealedDay>

beforeAll(async () => {
  service = await startTestService({}, clockAt('2026-11-20T12:00:00Z'))
  dir = service.archiveDir
  days = await makeArchive(dir, [...DAYS, '2026-11-21'], {
    '2026-11-17': { counters: { messages: BIG, reviews: null }, media: { mp4: null } },
    '2026-11-18': {
      reasons: [
        {
          code: 'read_only',
          from: '2026-11-18T01:00:00.000Z',
          to: '2026-11-18T02:30:00.000Z',
        },
      ],
    },
  })
})
afterAll(() => service.stop())

const get = (path: string, headers?: Record<string, string>) => service.client.get(path, headers)
const daysOf = (json: unknown) => (json as { items: { day: string }[] }).items.map(({ day }) => day)

describe('transmission lists', () => {
  test('an item has exactly the documented properties, with counters as decimal strings', async () => {
    const { json } = await get('/transmissions/index.json?before=2026-11-18&limit=1')
    const { media } = (days.get('2026-11-17') as SealedDay).manifest
    const available = (kind: 'wav' | 'png') => {
      const medium = media[kind]
      return medium.available && { available: true, url: medium.url, sha256: medium.sha256 }
    }
    expect(json).toEqual({
      items: [
        {
          day: '2026-11-17',
          counters: {
            messages: BIG,
            message_bytes: '2',
            directories: '3',
            active_directories: '4',
            investigations: '5',
            observations: '6',
            attempts: '7',
            corrections: '8',
            results: '9',
            reuses: '10',
            sources: '11',
            reviews: null,
          },
          availability: expect.objectContaining({ messages: true, reviews: false }),
          coverage: 'complete',
          clock: 'ok',
          conclusion: 'inconclusive',
          media: {
            wav: available('wav'),
            mp4: { available: false, url: null, sha256: null },
            png: available('png'),
          },
          url: '/transmissions/2026-11-17.json',
          manifest_url: '/transmissions/2026-11-17.manifest.json',
        },
      ],
      next_before: '2026-11-17',
      has_more: true,
    })
  })

  test('the list starts with the newest day and omits a day in the future', async () => {
    const { json } = await get('/transmissions/index.json')
    expect(json).toMatchObject({ next_before: null, has_more: false })
    expect(daysOf(json)).toEqual([...DAYS].reverse())
  })

  test('following next_before returns every day once, and before is exclusive', async () => {
    const seen: string[] = []
    let query = '?limit=2'
    for (;;) {
      const { json } = await get(`/transmissions/index.json${query}`)
      seen.push(...daysOf(json))
      const { next_before, has_more } = json as { next_before: string | null; has_more: boolean }
      expect(has_more).toBe(next_before !== null)
      if (!has_more) break
      query = `?limit=2&before=${next_before}`
    }
    expect(seen).toEqual([...DAYS].reverse())
  })

  test('before accepts a day that is not archived, and the list before the first day is empty', async () => {
    expect(daysOf((await get('/transmissions/index.json?before=2026-11-16')).json)).toEqual([
      '2026-11-15',
      '2026-11-14',
    ])
    expect((await get('/transmissions/index.json?before=2026-11-14')).json).toEqual({
      items: [],
      next_before: null,
      has_more: false,
    })
  })

  test.each(['/transmissions', '/transmissions/index.json', '/transmissions/index.csv'])(
    '%s rejects every before that is not a real date, and every invalid limit',
    async (path) => {
      for (const before of [
        '',
        '2026-02-30',
        '2026-1-01',
        '20261101',
        'yesterday',
        '%202026-11-19',
      ])
        expect(await get(`${path}?before=${before}`)).toMatchObject({ status: 400 })
      for (const limit of ['0', '101', '01', '-1', '', '1e1'])
        expect(await get(`${path}?limit=${limit}`)).toMatchObject({ status: 400 })
      expect(await get(`${path}?before=2026-11-19&before=2026-11-19`)).toMatchObject({
        status: 400,
      })
    },
  )

  test('the error code names the parameter that is rejected', async () => {
    const { code, message } = await get('/transmissions/index.json?before=2026-02-30')
    expect(code).toBe('invalid_day')
    expect(message).toBe('before: must be a real date, written YYYY-MM-DD')
    expect((await get('/transmissions/index.csv?limit=0')).code).toBe('invalid_limit')
  })

  test('the CSV list has a header row, CRLF, and an empty field where a count is unavailable', async () => {
    const { text, headers } = await get('/transmissions/index.csv')
    expect(headers.get('content-type')).toMatch(/^text\/csv/)
    const lines = text.split('\r\n')
    expect(lines[0]).toBe(
      'day,messages,message_bytes,directories,active_directories,investigations,observations,attempts,corrections,results,reuses,sources,reviews,coverage,clock,conclusion,generated_at,wav_sha256,mp4_sha256,png_sha256',
    )
    expect(lines.slice(1, -1).map((line) => line.slice(0, 10))).toEqual([...DAYS].reverse())
    const wav = (days.get('2026-11-17') as SealedDay).manifest.media.wav as { sha256: string }
    expect(lines[3]).toContain(
      `2026-11-17,${BIG},2,3,4,5,6,7,8,9,10,11,,complete,ok,inconclusive,2026-11-18T00:05:00.000Z,${wav.sha256},,`,
    )
    expect(headers.get('link')).toBeNull()
  })

  test('the CSV list links its next page, and the links lead through all days', async () => {
    let path: string | undefined = '/transmissions/index.csv?limit=2'
    const seen: string[] = []
    while (path) {
      const { text, headers } = await get(path)
      seen.push(
        ...text
          .split('\r\n')
          .slice(1, -1)
          .map((line) => line.slice(0, 10)),
      )
      path = headers.get('link')?.match(/^<([^>]+)>; rel="next"$/)?.[1]
    }
    expect(seen).toEqual([...DAYS].reverse())
  })
})

describe('shared paths', () => {
  test('/transmissions is HTML unless JSON is preferred, and sends Vary: Accept', async () => {
    const page = await get('/transmissions')
    expect(page.headers.get('content-type')).toMatch(/^text\/html/)
    expect(page.headers.get('vary')).toMatch(/(^|, )Accept$/)
    for (const day of DAYS) expect(page.text).toContain(`href="/transmissions/${day}"`)
    const data = await get('/transmissions?limit=2', { accept: 'application/json' })
    expect(data.json).toEqual((await get('/transmissions/index.json?limit=2')).json)
    expect(data.headers.get('vary')).toMatch(/(^|, )Accept$/)
  })

  test('the list of days has no medium, and the page of a day loads none before it is asked for', async () => {
    const list = await get('/transmissions')
    expect(list.text).not.toMatch(/<(audio|video)|<img [^>]*transmission-media/)
    const { text } = await get('/transmissions/2026-11-19')
    expect(text).toMatch(/<audio controls preload="none"/)
    expect(text).toMatch(/<video [^>]*preload="none"/)
    expect(text).not.toMatch(/<img [^>]*transmission-media| poster=/)
  })

  test('the HTML list leads page by page through all days', async () => {
    let path: string | undefined = '/transmissions?limit=2'
    const seen: string[] = []
    while (path) {
      const { text } = await get(path)
      seen.push(
        ...Array.from(
          text.matchAll(/<th scope="row"><a href="\/transmissions\/(\d{4}-\d\d-\d\d)"/g),
          (m) => m[1] as string,
        ),
      )
      path = text.match(/<a href="([^"]+)" rel="next">/)?.[1]?.replaceAll('&amp;', '&')
    }
    expect(seen).toEqual([...DAYS].reverse())
  })

  test('the path of a day returns its page, or its snapshot if JSON is preferred', async () => {
    const page = await get('/transmissions/2026-11-18')
    expect(page.headers.get('content-type')).toMatch(/^text\/html/)
    for (const medium of Object.values((days.get('2026-11-18') as SealedDay).manifest.media))
      expect(page.text).toContain((medium as { url: string }).url)
    expect(page.text).toContain('The service was read-only')
    expect(page.text).toMatch(/href="\/transmissions\/2026-11-17" rel="prev"/)
    expect(page.text).toMatch(/href="\/transmissions\/2026-11-19" rel="next"/)
    const data = await get('/transmissions/2026-11-18', { accept: 'application/json' })
    expect(data.text).toBe((await get('/transmissions/2026-11-18.json')).text)
  })

  test('the page of a day states which counter and which medium are missing', async () => {
    const { text } = await get('/transmissions/2026-11-17')
    expect(text).toContain('18,446,744,073,709,551,615')
    expect(text).toContain('not available: it could not be made')
    expect(text).toMatch(/Reviews<\/th><td class="count">not available/)
  })
})

describe('days', () => {
  test('the snapshot and the manifest of a day are the archive’s own bytes', async () => {
    for (const day of DAYS)
      for (const name of [`${day}.json`, `${day}.manifest.json`]) {
        const { bytes, headers } = await get(`/transmissions/${name}`)
        expect(Buffer.from(bytes).equals(readFileSync(join(dir, day, name)))).toBe(true)
        expect(headers.get('content-type')).toMatch(/^application\/json/)
      }
  })

  test('the latest day is the newest that is not in the future', async () => {
    const { text } = await get('/transmissions/latest.json')
    expect(text).toBe((await get('/transmissions/2026-11-19.json')).text)
    const page = await get('/transmissions/latest')
    expect(page.status).toBe(302)
    expect(page.headers.get('location')).toBe('/transmissions/2026-11-19')
    const head = await service.client.head('/transmissions/latest')
    expect(head.headers.get('content-length')).toBe('0')
    expect(page.headers.get('content-length')).toBe('0')
  })

  test('the picture of the latest day has a mark for each of its tones', async () => {
    const { text, headers } = await get('/transmissions/latest.svg')
    expect(headers.get('content-type')).toBe('image/svg+xml')
    expect(headers.get('cache-control')).toBe('no-cache')
    expect(text.match(/h3/g)).toHaveLength(273)
  })

  test.each([
    '2026-11-16',
    '2026-02-30',
    '2026-11-21',
    '2026-12-01',
    '20261119',
    'today',
    '..',
    '%00',
  ])('the day %s, which is not archived, returns 404 in each form', async (day) => {
    for (const path of [`${day}.json`, `${day}.manifest.json`])
      expect(await get(`/transmissions/${path}`)).toMatchObject({
        status: 404,
        code: 'snapshot_not_found',
      })
  })

  test('the page of a day that is not archived is a 404 page', async () => {
    const { status, headers } = await get('/transmissions/2026-11-16')
    expect(status).toBe(404)
    expect(headers.get('content-type')).toMatch(/^text\/html/)
    expect((await get('/transmissions/2026-11-16', { accept: 'application/json' })).code).toBe(
      'snapshot_not_found',
    )
  })
})

describe('caching', () => {
  test.each([
    ['/transmissions', 'no-cache'],
    ['/transmissions/index.json', 'no-cache'],
    ['/transmissions/index.csv', 'no-cache'],
    ['/transmissions/latest.json', 'no-cache'],
    ['/transmissions/2026-11-18', 'no-cache'],
    ['/transmissions/2026-11-18.json', 'no-cache'],
    ['/transmissions/2026-11-18.manifest.json', 'no-cache'],
  ])(
    '%s sends %s, answers its strong ETag with 304, and HEAD without a body',
    async (path, rule) => {
      const { status, headers } = await get(path)
      const etag = headers.get('etag') as string
      expect({ status, rule: headers.get('cache-control') }).toEqual({ status: 200, rule })
      expect(etag).toMatch(/^"[^"]+"$/)
      expect(await get(path, { 'if-none-match': etag })).toMatchObject({ status: 304, text: '' })
      expect(await get(path, { 'if-none-match': '"other"' })).toMatchObject({ status: 200 })
      const head = await service.client.head(path)
      expect(head).toMatchObject({ status: 200, text: '' })
      expect(head.headers.get('etag')).toBe(etag)
      expect(head.headers.get('content-length')).toBe(headers.get('content-length'))
    },
  )

  test('another method fails with 405 and the allowed methods', async () => {
    for (const path of ['/transmissions', '/transmissions/2026-11-18.json']) {
      const { status, headers } = await service.client.send('DELETE', path)
      expect({ status, allow: headers.get('allow') }).toEqual({ status: 405, allow: 'GET, HEAD' })
    }
  })
})

describe('unreadable archives', () => {
  const READS = [
    '/transmissions',
    '/transmissions/index.json',
    '/transmissions/index.csv',
    '/transmissions/latest.json',
    '/transmissions/latest',
    '/transmissions/2026-11-18.json',
    '/transmissions/2026-11-18.manifest.json',
    '/transmissions/2026-11-18',
    `/transmission-media/2026-11-18/${'0'.repeat(64)}.wav`,
  ]
  const expectUnavailable = async (paths = READS) => {
    for (const path of paths) {
      const reply = await get(path, { accept: 'application/json' })
      expect(reply).toMatchObject({ status: 503, code: 'archive_unavailable' })
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(reply.headers.get('cache-control')).toBe('no-store')
      expect(reply.text).not.toContain(dir)
    }
  }

  test('every archive path answers 503 while the folder is missing, and recovers when it returns', async () => {
    renameSync(dir, `${dir}.away`)
    try {
      await expectUnavailable()
      expect((await get('/transmissions')).headers.get('content-type')).toMatch(/^text\/html/)
      // The header of each page shows it: the tones that all days share.
      expect((await get('/transmissions/latest.svg')).text.match(/h3/g)).toHaveLength(17)
    } finally {
      renameSync(`${dir}.away`, dir)
    }
    expect(await get('/transmissions/latest.json')).toMatchObject({ status: 200 })
  })

  test('every archive path answers 503 while a file replaces the folder', async () => {
    renameSync(dir, `${dir}.away`)
    writeFileSync(dir, '')
    try {
      await expectUnavailable()
    } finally {
      renameSync(`${dir}.away`, `${dir}.back`)
      renameSync(dir, `${dir}.file`)
      renameSync(`${dir}.back`, dir)
    }
  })

  test('archive paths answer 503 while the feature is off, and the style sheet is still served', async () => {
    await service.restart({ DISABLED_FEATURES: 'transmissions' })
    try {
      await expectUnavailable()
      expect(await get('/static/days.css')).toMatchObject({ status: 200 })
    } finally {
      await service.restart()
    }
  })
})

describe('damaged days', () => {
  const damaged = async (name: string, work: () => Promise<void>) => {
    const path = join(dir, '2026-11-18', name)
    const bytes = readFileSync(path)
    overwriteFile(path, Buffer.concat([bytes, Buffer.from(' ')]))
    try {
      await work()
    } finally {
      writeFileSync(path, bytes)
      chmodSync(path, 0o444)
    }
  }

  test('a damaged manifest returns 503, is logged, and the lists omit its day', async () => {
    await damaged('2026-11-18.manifest.json', async () => {
      const { json } = await get('/transmissions/index.json')
      expect(daysOf(json)).toEqual(DAYS.filter((day) => day !== '2026-11-18').reverse())
      expect(await get('/transmissions/2026-11-18.manifest.json')).toMatchObject({
        status: 503,
        code: 'archive_unavailable',
      })
      expect(service.complaints.join()).toContain('invalid_manifest')
    })
    expect(daysOf((await get('/transmissions/index.json')).json)).toEqual([...DAYS].reverse())
  })

  test('a damaged snapshot returns 503 and not bytes that nobody sealed', async () => {
    await damaged('2026-11-18.json', async () => {
      expect(await get('/transmissions/2026-11-18.json')).toMatchObject({ status: 503 })
      expect(await get('/transmissions/2026-11-18.manifest.json')).toMatchObject({ status: 200 })
    })
  })
})

test('an empty archive has empty lists and no latest day', async () => {
  const empty = await startTestService()
  try {
    await makeArchive(empty.archiveDir, [])
    const list = { items: [], next_before: null, has_more: false }
    expect((await empty.client.get('/transmissions/index.json')).json).toEqual(list)
    expect((await empty.client.get('/transmissions/index.csv')).text.split('\r\n')).toHaveLength(2)
    const page = (await empty.client.get('/transmissions')).text
    expect(page).toContain('No day has been archived')
    expect(page).not.toContain('Newest day')
    expect(await empty.client.get('/transmissions/latest.json')).toMatchObject({
      status: 404,
      code: 'snapshot_not_found',
    })
    const leadsTo = (await empty.client.get('/transmissions/latest')).headers.get('location')
    expect(leadsTo).toBe('/transmissions')
    const { text } = await empty.client.get('/transmissions/latest.svg')
    expect(text.match(/h3/g)).toHaveLength(17)
  } finally {
    await empty.stop()
  }
})
