// The chord of a day for other sites.
// Rules: API.md 9.17.
import { expect, test } from 'vitest'
import { clockAt, startTestService } from '../../support/service.ts'
import { makeArchive } from './archive.ts'

const service = await startTestService({}, clockAt('2026-11-20T12:00:00.000Z'))
await makeArchive(service.archiveDir, ['2026-11-18', '2026-11-19'], {
  '2026-11-18': { counters: { reviews: null } },
})

test('the chord of a day may be embedded by any site', async () => {
  const path = '/transmissions/2026-11-19.chord.svg'
  const { status, headers, text } = await service.client.get(path)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toMatch(/^image\/svg\+xml/)
  expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin')
  expect(headers.get('access-control-allow-origin')).toBe('*')
  expect(text.match(/<path d="M[^"]+" stroke="#/g)).toHaveLength(11)
})

test('a counter that is not available is a slash', async () => {
  const { text } = await service.client.get('/transmissions/2026-11-18.chord.svg')
  expect(text).toContain('stroke-dasharray="none"')
})
