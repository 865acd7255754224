// /how-it-works in Chromium: noise is added, played and decoded in the page.
import { expect, test } from 'vitest'
import { HAS_CHROMIUM, launchChromium } from '../../support/chromium.ts'
import { clockAt, startTestService } from '../../support/service.ts'
import { makeArchive } from '../transmissions/archive.ts'

const DAY = '2026-11-19'

test.skipIf(!HAS_CHROMIUM)(
  'the day is read from its noise, and none is made up from too much of it',
  async () => {
    const service = await startTestService({}, clockAt('2026-11-20T09:00:00Z'))
    await makeArchive(service.archiveDir, [DAY])
    const browser = await launchChromium(['--autoplay-policy=no-user-gesture-required'])
    const page = await browser.newPage()
    await page.goto(`${service.url}/how-it-works`)
    await page.waitForSelector('#read:enabled')
    expect(await page.textContent('#ratio')).toBe('about 16 times as strong as the tones')
    await page.context().setOffline(true)
    await page.click('#play')
    expect(await page.textContent('#play')).toBe('Stop')
    await page.click('#play')
    expect(await page.textContent('#play')).toBe('Play')
    await page.click('#read')
    await page.waitForSelector('.transmission h3')
    expect(await page.textContent('#status')).toBe(`Read: ${DAY}.`)
    await page.fill('#amount', '24')
    expect(await page.getAttribute('#amount', 'aria-valuetext')).toMatch(/^about 251 times/)
    await page.click('#read')
    await page.waitForFunction(() =>
      /too much noise/.test(document.querySelector('#status')?.textContent ?? ''),
    )
    expect(await page.$('.transmission')).toBeNull()
  },
)
