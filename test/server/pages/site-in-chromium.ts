// Starts a site and a Chromium for the tests of a file.
import type { Browser, BrowserContext, Page } from 'playwright-core'
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

/** Opens a page and collects its errors, dialogs and requests to other origins. @param url of the service */
export async function watched(context: BrowserContext, url: string): Promise<[Page, string[]]> {
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('dialog', (dialog) => void complaints.push(dialog.message()))
  page.on('request', (request) => {
    if (!request.url().startsWith(url)) complaints.push(request.url())
  })
  return [page, complaints]
}
