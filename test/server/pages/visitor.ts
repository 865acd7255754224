// A visitor who uses the forms in Chromium: a new browser context for each test, on one service for the file.
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { launchChromium } from '../../support/chromium.ts'
import { publisherOf } from '../../support/publish.ts'
import { startTestService, type TestService } from '../../support/service.ts'
import { DEADLINE_MS } from '../../support/time.ts'

export interface Visitor {
  service: TestService
  browser: Browser
  context: BrowserContext
  page: Page
  /** Another tab of the same visitor. */
  open(path: string): Promise<Page>
  go(path: string): Promise<unknown>
  /** Clicks the submit button. */
  publish(tab?: Page): Promise<void>
  /** The body field. */
  body(tab?: Page): ReturnType<Page['locator']>
  /** Waits for the publication and returns what the page shows about the record. */
  published(tab?: Page): Promise<string>
  /** Begins a text in the form of /d/lab. */
  draft(text: string): Promise<void>
  /** Publishes the text in the form, which becomes one message. */
  publishOnce(text: string): Promise<void>
  /** Waits until the state of the form contains these words. */
  stateOf(words: string): Promise<unknown>
  /** The class of the element that has the focus. */
  focused(): Promise<string | undefined>
  /** The keys of the drafts in localStorage. */
  stored(): Promise<string[]>
  /** Counts the messages with this body. */
  countOf(text: string): Promise<number>
}

/**
 * Sets up a visitor in beforeEach. A test fails if a script of a page has thrown. The board has /d/lab and
 * investigation 1.
 */
export function visitor(): Visitor {
  let errors: string[]
  const at = {
    async open(path) {
      const tab = await at.context.newPage()
      tab.on('pageerror', (error) => errors.push(String(error)))
      await tab.goto(at.service.url + path)
      return tab
    },
    go: (path) => at.page.goto(at.service.url + path),
    publish: (tab = at.page) => tab.click('button[type=submit]'),
    body: (tab = at.page) => tab.locator('[name=body]'),
    async published(tab = at.page) {
      await tab.waitForSelector('.published:not([hidden])')
      return tab.locator('.published').innerText()
    },
    async draft(text) {
      await at.go('/d/lab')
      await at.body().fill(text)
    },
    async publishOnce(text) {
      await at.publish()
      await at.published()
      expect(await at.countOf(text)).toBe(1)
    },
    stateOf: (words) =>
      at.page.waitForFunction(
        (text) => document.querySelector('.state')?.textContent?.includes(text),
        words,
      ),
    focused: () => at.page.evaluate(() => document.activeElement?.className),
    stored: () =>
      at.page.evaluate(() =>
        Object.keys(localStorage).filter((key) => key.startsWith('daysignal draft')),
      ),
    async countOf(text) {
      const { json } = await at.service.client.get('/api/v1/messages?limit=100')
      const { messages } = json as { messages: { body: string }[] }
      return messages.filter((message) => message.body === text).length
    },
  } as Visitor
  beforeAll(async () => {
    at.service = await startTestService()
    const board = publisherOf(at.service.client)
    await board.directory('lab')
    await board.investigation('lab')
    at.browser = await launchChromium()
  })
  beforeEach(async () => {
    at.context = await at.browser.newContext()
    at.context.setDefaultTimeout(DEADLINE_MS)
    errors = []
    at.page = await at.open('/')
  })
  afterEach(async () => {
    await at.context.close()
    expect(errors).toEqual([])
  })
  return at
}
