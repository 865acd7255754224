// The archive over HTTP: pages and data of days, negotiation and caching (specification, Transmissions archive; API.md 9).
// Rules: API.md 9.1-9.4, 9.6, 9.17.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sha256Of } from '../../../archive/format/hash.ts'
import { manifestUrl } from '../../../archive/format/paths.ts'
import type { SealedDay } from './archive.ts'
import { DAYS, servedArchive } from './served-archive.ts'

const at = servedArchive()
const { get } = at

describe('shared paths', () => {
  test('the list of days embeds no media, and the page of a day loads no sound until the visitor plays it, and only links to its film and picture', async () => {
    const list = await get('/transmissions')
    expect(list.text).not.toMatch(/<(audio|video)|<img [^>]*transmission-media/)
    const { text } = await get('/transmissions/2026-11-19')
    expect(text).toMatch(/<audio controls preload="none"/)
    expect(text).not.toMatch(/<video|<img [^>]*transmission-media/)
  })

  test('the page of a day has a line to cite it by, with the hash of its manifest', async () => {
    const manifest = await get(manifestUrl('2026-11-19'))
    const sha256 = sha256Of(manifest.bytes)
    expect((await get('/transmissions/2026-11-19')).text).toMatch(
      new RegExp(`id="cite".*\n.*/transmissions/2026-11-19, SHA-256.*${sha256}`),
    )
  })

  test('the path of a day returns its page, or its snapshot if JSON is preferred', async () => {
    const page = await get('/transmissions/2026-11-18')
    expect(page.headers.get('content-type')).toMatch(/^text\/html/)
    for (const medium of Object.values((at.days.get('2026-11-18') as SealedDay).manifest.media))
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
    expect(text).toContain('not available: rendering it failed')
    expect(text).toMatch(/Reviews(?:<\/a>)?<\/th><td class="count">not available/)
  })
})

describe('days', () => {
  test('the snapshot and the manifest of a day are served byte for byte as archived', async () => {
    for (const day of DAYS)
      for (const name of [`${day}.json`, `${day}.manifest.json`]) {
        const { bytes, headers } = await get(`/transmissions/${name}`)
        expect(Buffer.from(bytes).equals(readFileSync(join(at.dir, day, name)))).toBe(true)
        expect(headers.get('content-type')).toMatch(/^application\/json/)
      }
  })

  test('the latest day is the newest one that is not in the future', async () => {
    const { text } = await get('/transmissions/latest.json')
    expect(text).toBe((await get('/transmissions/2026-11-19.json')).text)
    const page = await get('/transmissions/latest')
    expect(page.status).toBe(302)
    expect(page.headers.get('location')).toBe('/transmissions/2026-11-19')
    const head = await at.service.client.head('/transmissions/latest')
    expect(head.headers.get('content-length')).toBe('0')
    expect(page.headers.get('content-length')).toBe('0')
  })

  test('the image of the latest day has a mark for each of its tones', async () => {
    const { text, headers } = await get('/transmissions/latest.svg')
    expect(headers.get('content-type')).toBe('image/svg+xml')
    expect(headers.get('cache-control')).toBe('no-cache')
    expect(text.match(/h3/g)).toHaveLength(273)
  })

  test('the chord of a day may be embedded by any site, and a count that is not available is a slash', async () => {
    const { headers, text } = await get('/transmissions/2026-11-17.chord.svg')
    expect(headers.get('content-type')).toMatch(/^image\/svg\+xml/)
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    expect(text).toContain('stroke-dasharray="none"')
    const whole = (await get('/transmissions/2026-11-19.chord.svg')).text
    expect(whole.match(/<path d="M[^"]+" stroke="#/g)).toHaveLength(11)
    expect(whole).not.toContain('stroke-dasharray="none"')
  })
})
