// A single pass over four pages in Chromium: each loads without errors, axe-core finds nothing, and the decoder page
// decodes a day. The *.browser.test.ts files cover the rest.
import { expect, test } from 'vitest'
import { dayUrl } from '../../../archive/format/paths.ts'
import { fieldsOf } from '../../../archive/format/snapshot.ts'
import { encodeTransmission, writeWav } from '../../../protocol/index.ts'
import { makeSnapshot } from '../../archive/days.ts'
import { violationsOn } from '../../support/axe.ts'
import { HAS_CHROMIUM, launchChromium } from '../../support/chromium.ts'
import { startSite, TAME } from './site.ts'

test.skipIf(!HAS_CHROMIUM)(
  'the pages load in Chromium without errors, the decoder page decodes a day, and axe-core finds nothing',
  { timeout: 180_000 },
  async () => {
    const site = await startSite(TAME)
    const browser = await launchChromium()
    const page = await browser.newPage({ viewport: { width: 360, height: 700 } })
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    for (const path of ['/', '/d/lab', '/investigations/1', '/transmissions/decode']) {
      await page.goto(site.service.url + path)
      const overflow = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement
        return scrollWidth - clientWidth
      })
      expect({ path, overflow }).toEqual({ path, overflow: 0 })
      expect(await violationsOn(page), path).toEqual([])
    }
    await page.waitForSelector('#file:enabled')
    const recording = writeWav(encodeTransmission(fieldsOf(makeSnapshot('2026-11-19'))))
    const buffer = Buffer.from(recording)
    await page.setInputFiles('#file', { name: 'day.wav', mimeType: 'audio/wav', buffer })
    const link = await page.waitForSelector('#results article > p > a')
    expect(await page.textContent('#results h3')).toBe('2026-11-19')
    expect(await link.evaluate((a) => (a as HTMLAnchorElement).pathname)).toBe(dayUrl('2026-11-19'))
    expect(complaints).toEqual([])
  },
)
