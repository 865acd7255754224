// The page of a day in Chromium: the strip as a slider, the film, layout shifts, and the page without scripts.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HAS_CHROMIUM, launchChromium } from '../../support/chromium.ts'
import { clockAt, startTestService, type TestService } from '../../support/service.ts'
import { makeArchive } from '../transmissions/archive.ts'

const PAGE = '/transmissions/2026-11-19'

describe.skipIf(!HAS_CHROMIUM)('a day in Chromium', () => {
  let service: TestService
  let browser: Browser
  beforeAll(async () => {
    service = await startTestService({}, clockAt('2026-11-20T12:00:00.000Z'))
    await makeArchive(service.archiveDir, ['2026-11-18', '2026-11-19'])
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })

  test('the keyboard moves along the tones, and each position names its slot and frequency', async () => {
    const page = await browser.newPage()
    const media: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/transmission-media/')) media.push(request.url())
    })
    await page.goto(service.url + PAGE)
    const range = page.getByRole('slider', { name: 'Position' })
    await range.waitFor()
    expect(await range.getAttribute('aria-valuetext')).toMatch(/^slot 1 of 273, \d+ Hz$/)
    expect(media).toEqual([])
    expect(await page.getByRole('button', { name: 'Play the transmission' }).count()).toBe(1)
    await range.press('ArrowRight')
    expect(await range.inputValue()).toBe('1')
    await page.close()
  })

  test('the film loads its poster when it is opened', async () => {
    const page = await browser.newPage()
    await page.goto(service.url + PAGE)
    const film = page.locator('.film video')
    expect(await film.getAttribute('poster')).toBeNull()
    await page.click('.film summary')
    await page.waitForSelector('.film video[poster^="/transmission-media/"]')
    await page.close()
  })

  test('nothing on the page moves while it loads', async () => {
    const page = await browser.newPage()
    await page.goto(service.url + PAGE)
    await page.getByRole('slider').waitFor()
    const shift = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          let sum = 0
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries())
              sum += (entry as unknown as { value: number }).value
          }).observe({ type: 'layout-shift', buffered: true })
          requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)))
        }),
    )
    expect(shift).toBe(0)
    await page.close()
  })

  test("without a script the sound has the browser's own controls", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(service.url + PAGE)
    expect(await page.locator('audio[controls][preload=none]').isVisible()).toBe(true)
    await context.close()
  })
})
