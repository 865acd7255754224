// Responses while the archive, or one of its days, cannot be read.
// Rules: API.md 9.4.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { styleSheetUrl } from '../../../server/pages/frame/stylesheet.ts'
import { whileAway, whileOverwritten } from '../../support/overwrite-file.ts'
import { addressOf, READS } from '../openapi/addresses.ts'
import { DAYS, daysOf, servedArchive } from './served-archive.ts'

const at = servedArchive()
const { get } = at

describe('unreadable archives', () => {
  const PARAMETERS = { id: '1', day: '2026-11-18', filename: `${'0'.repeat(64)}.wav` }
  const OF_ARCHIVE = READS.filter(({ errors }) => errors.includes('archive_unavailable')).map(
    (endpoint) => addressOf(endpoint, PARAMETERS),
  )
  const expectUnavailable = async () => {
    expect(OF_ARCHIVE.length).toBeGreaterThan(20)
    for (const path of OF_ARCHIVE) {
      const reply = await get(path, { accept: 'application/json' })
      expect([path, reply.status]).toEqual([path, 503])
      expect(reply.text).toContain('archive_unavailable')
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(reply.headers.get('cache-control')).toBe('no-store')
      expect(reply.text).not.toContain(at.dir)
    }
  }

  test('every archive path returns 503 while the folder is missing, and recovers when it is back', async () => {
    await whileAway(at.dir, async () => {
      await expectUnavailable()
      // Every page shows this image in its header: it falls back to the tones that all days share.
      expect((await get('/transmissions/latest.svg')).text.match(/h3/g)).toHaveLength(17)
    })
    expect(await get('/transmissions/latest.json')).toMatchObject({ status: 200 })
  })

  test('every archive path returns 503 while a file is in place of the folder', async () => {
    await whileAway(at.dir, async () => {
      writeFileSync(at.dir, '')
      await expectUnavailable()
      rmSync(at.dir)
    })
  })

  test('archive paths return 503 while the feature is off, and the style sheet is still served', async () => {
    await at.service.restart({ DISABLED_FEATURES: 'transmissions' })
    try {
      await expectUnavailable()
      expect(await get(styleSheetUrl('days'))).toMatchObject({ status: 200 })
    } finally {
      await at.service.restart()
    }
  })
})

describe('damaged days', () => {
  const damaged = (name: string, work: () => Promise<void>) => {
    const path = join(at.dir, '2026-11-18', name)
    return whileOverwritten(path, `${readFileSync(path)} `, work)
  }

  test('a damaged manifest returns 503 and is logged, and the lists omit its day', async () => {
    await damaged('2026-11-18.manifest.json', async () => {
      const { json } = await get('/transmissions/index.json')
      expect(daysOf(json)).toEqual(DAYS.filter((day) => day !== '2026-11-18').reverse())
      expect(await get('/transmissions/2026-11-18.manifest.json')).toMatchObject({
        status: 503,
        code: 'archive_unavailable',
      })
      expect(at.service.complaints.join()).toContain('invalid_manifest')
    })
    expect(daysOf((await get('/transmissions/index.json')).json)).toEqual([...DAYS].reverse())
  })

  test('a damaged snapshot returns 503 rather than bytes that were never sealed', async () => {
    await damaged('2026-11-18.json', async () => {
      expect(await get('/transmissions/2026-11-18.json')).toMatchObject({ status: 503 })
      expect(await get('/transmissions/2026-11-18.manifest.json')).toMatchObject({ status: 200 })
    })
  })
})
