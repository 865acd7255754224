// /how-it-works in Chromium: noise is added, played and decoded in the page; /follow copies addresses.
import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { HAS_CHROMIUM, launchChromium } from '../../support/chromium.ts'
import { publisherOf } from '../../support/publish.ts'
import { clockAt, startTestService, type TestService } from '../../support/service.ts'
import { makeArchive } from '../transmissions/archive.ts'

const DAY = '2026-11-19'

describe.skipIf(!HAS_CHROMIUM)('pages that explain', () => {
  let browser: Browser
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({}, clockAt('2026-11-20T09:00:00Z'))
    await makeArchive(service.archiveDir, [DAY])
    const { directory, message } = publisherOf(service.client)
    await directory('river')
    await message('river')
    browser = await launchChromium(['--autoplay-policy=no-user-gesture-required'])
  })

  test('the day is read from its noise, and none is made up from too much of it', async () => {
    const page = await browser.newPage()
    await page.goto(`${service.url}/how-it-works`)
    await page.waitForSelector('#read:enabled')
    expect(await page.textContent('#ratio')).toBe('16 times as strong as the tones')
    await page.context().setOffline(true)
    await page.click('#play')
    expect(await page.textContent('#play')).toBe('Stop')
    await page.click('#play')
    expect(await page.textContent('#play')).toBe('Play')
    await page.click('#read')
    await page.waitForSelector('.transmission h3')
    expect(await page.textContent('#status')).toBe(`Read: ${DAY}.`)
    await page.fill('#amount', '24')
    expect(await page.getAttribute('#amount', 'aria-valuetext')).toMatch(/^251 times/)
    await page.click('#read')
    await page.waitForFunction(() =>
      /too much noise/.test(document.querySelector('#status')?.textContent ?? ''),
    )
    expect(await page.$('.transmission')).toBeNull()
  })

  test('an address that is copied is the one that is shown', async () => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
    const page = await context.newPage()
    await page.goto(`${service.url}/follow?directory=river`)
    await page.click('button.copy >> nth=0')
    await page.waitForSelector('text=Copied')
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied).toBe(`${service.url}/feed.atom?directory=river`)
  })
})
