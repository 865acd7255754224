// Chromium for the tests of a file: a visitor with a new browser context for each test on one service, and a site whose pages
// are watched.
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { launchChromium } from '../../support/chromium.ts'
import { startTestService, type TestService } from '../../support/service.ts'
import { DEADLINE_MS } from '../../support/time.ts'
import { type Site, startSite, type Words } from './site.ts'

export class Visitor {
  service!: TestService
  browser!: Browser
  context!: BrowserContext
  page!: Page
  /** What scripts of the pages have thrown. */
  errors: string[] = []

  /** Opens another tab. */
  open = async (path: string) => {
    const tab = await this.context.newPage()
    tab.on('pageerror', (error) => this.errors.push(String(error)))
    await tab.goto(this.service.url + path)
    return tab
  }

  go = (path: string) => this.page.goto(this.service.url + path)

  publish = (tab = this.page) => tab.click('button[type=submit]')

  body = (tab = this.page) => tab.locator('[name=body]')

  /** Waits for the publication and returns what the page shows about the record. */
  published = async (tab = this.page) => {
    await tab.waitForSelector('.published:not([hidden])')
    return tab.locator('.published').innerText()
  }

  /** Sends the form, which shows faults instead, and returns their sentences. */
  refused = async () => {
    await this.publish()
    await this.page.waitForSelector('.errors:not([hidden])')
    return this.page.locator('.errors li').allInnerTexts()
  }

  /** Begins a text in the form of /d/lab. */
  draft = async (text: string) => {
    await this.go('/d/lab')
    await this.body().fill(text)
  }

  /** Publishes the text in the form, which becomes one message. */
  publishOnce = async (text: string) => {
    await this.publish()
    await this.published()
    expect(await this.countOf(text)).toBe(1)
  }

  /** Waits until the state of the form contains these words. */
  stateOf = (words: string) =>
    this.page.waitForFunction(
      (text) => document.querySelector('.state')?.textContent?.includes(text),
      words,
    )

  /** The class of the element that has the focus. */
  focused = () => this.page.evaluate(() => document.activeElement?.className)

  /** The keys of the drafts in localStorage. */
  stored = () =>
    this.page.evaluate(() =>
      Object.keys(localStorage).filter((key) => key.startsWith('daysignal draft')),
    )

  /** Counts the messages with this body. */
  countOf = async (text: string) => {
    const { json } = await this.service.client.get('/api/v1/messages?limit=100')
    const { messages } = json as { messages: { body: string }[] }
    return messages.filter((message) => message.body === text).length
  }
}

/** Starts a service with /d/lab and investigation 1. */
async function startBoard(): Promise<TestService> {
  const service = await startTestService()
  await service.publish.directory('lab')
  await service.publish.investigation('lab')
  return service
}

/** Sets up a visitor in beforeEach. A test fails if a script of a page has thrown. */
export function visitor(start = startBoard): Visitor {
  const at = new Visitor()
  beforeAll(async () => {
    at.service = await start()
    at.browser = await launchChromium()
  })
  beforeEach(async () => {
    at.context = await at.browser.newContext()
    at.context.setDefaultTimeout(DEADLINE_MS)
    at.errors = []
    at.page = await at.open('/')
  })
  afterEach(async () => {
    await at.context.close()
    expect(at.errors).toEqual([])
  })
  return at
}

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
