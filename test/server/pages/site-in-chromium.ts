// Starts a site and a Chromium for the tests of a file.
import type { Browser } from 'playwright-core'
import { beforeAll } from 'vitest'
import { launchChromium } from '../../support/chromium.ts'
import { type Site, startSite, type Words } from './site.ts'

export interface SiteInChromium {
  site: Site
  browser: Browser
}

/** Starts both in a beforeAll hook: the result is empty until the first test runs. @param words the user text of the site */
export function siteInChromium(words: Words): SiteInChromium {
  const at = {} as SiteInChromium
  beforeAll(async () => {
    at.site = await startSite(words)
    at.browser = await launchChromium()
  })
  return at
}
