// Runs axe-core on every page in Chromium, in both colour schemes, at phone and desktop widths; on forms also in use.
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { violationsOn } from '../../support/axe.ts'
import { HAS_CHROMIUM } from '../../support/chromium.ts'
import { TAME } from './site.ts'
import { siteInChromium } from './site-in-chromium.ts'

describe.skipIf(!HAS_CHROMIUM)('the pages in axe-core', () => {
  const at = siteInChromium(TAME)

  for (const width of [390, 1440])
    for (const colorScheme of ['light', 'dark'] as const) {
      const inLooks = async (use: (page: Page) => Promise<void>) => {
        const context = await at.browser.newContext({
          viewport: { width, height: 900 },
          colorScheme,
        })
        await use(await context.newPage())
        await context.close()
      }

      test(`each page passes axe at ${width} pixels, ${colorScheme}`, { timeout: 240_000 }, () =>
        inLooks(async (page) => {
          for (const path of at.site.paths) {
            await page.goto(at.site.service.url + path)
            expect(await violationsOn(page), path).toEqual([])
          }
        }),
      )

      test(`a form in use passes axe at ${width} pixels, ${colorScheme}`, () =>
        inLooks(async (page) => {
          await page.goto(`${at.site.service.url}/investigations/1`)
          await page.check('[value=correction]')
          await page.click('text=Add a source')
          await page.fill('[name=body]', 'in use')
          await page.click('button[type=submit]')
          await page.waitForSelector('.errors:not([hidden])')
          expect(await violationsOn(page)).toEqual([])
          await page.click('text=Remove source 1')
          await page.click('text=Remove link 1')
          await page.check('[value=result]')
          await page.click('button[type=submit]')
          await page.waitForSelector('.published:not([hidden])')
          expect(await violationsOn(page)).toEqual([])
        }))
    }
})
