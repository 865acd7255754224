// A site and a Chromium to look at it with, both for all tests of a file.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { launchChromium } from '../../support/chromium.ts'
import { type Site, startSite, type Words } from './site.ts'

export interface SiteInChromium {
  site: Site
  browser: Browser
}

/** Is there before the first test. @param words what people have written in it */
export function siteInChromium(words: Words): SiteInChromium {
  const at = {} as SiteInChromium
  beforeAll(async () => {
    at.site = await startSite(words)
    at.browser = await launchChromium()
  })
  afterAll(async () => {
    await at.browser?.close()
    await at.site?.service.stop()
  })
  return at
}
